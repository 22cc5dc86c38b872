"""Runs a command in a terminal of its own and prints what it wrote there.

terminal.py [--size ROWSxCOLS] [--when REGEX TEXT]... [--hangup REGEX] -- CMD ARG...

--when waits until the output fits REGEX, then types TEXT (Python escapes); several in order.
--hangup waits likewise, then closes the terminal. Ends with the command's status, 128 and the signal.
"""
import codecs, fcntl, os, pty, re, select, struct, sys, termios, time

args, size, steps = sys.argv[1:], (24, 80), []
while args[0] != "--":
    if args[0] == "--size":
        size = tuple(map(int, args[1].split("x")))
        args = args[2:]
    elif args[0] == "--when":
        steps.append((args[1].encode(), codecs.escape_decode(args[2].encode())[0]))
        args = args[3:]
    elif args[0] == "--hangup":
        steps.append((args[1].encode(), None))
        args = args[2:]
    else:
        sys.exit("terminal.py: " + args[0])
cmd = args[1:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
mode = termios.tcgetattr(slave)
mode[1] &= ~termios.OPOST  # what is written is what is seen
termios.tcsetattr(slave, termios.TCSANOW, mode)
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.environ.setdefault("TERM", "xterm")
    os.execvp(cmd[0], cmd)
os.close(slave)
seen, searched, status, end = bytearray(), 0, None, time.monotonic() + 120
while time.monotonic() < end:
    if steps and master >= 0:
        found = re.search(steps[0][0], seen[searched:])
        if found:
            searched += found.end()
            _, text = steps.pop(0)
            if text is None:
                os.close(master)
                master = -1
            else:
                os.write(master, text)
            continue
    if master < 0:
        status = os.waitpid(pid, 0)[1]
        break
    if select.select([master], [], [], 0.1)[0]:
        try:
            data = os.read(master, 65536)
        except OSError:
            data = b""
        if not data:
            status = os.waitpid(pid, 0)[1]
            break
        seen += data
else:
    sys.stderr.write("terminal.py: no end\n")
    os.kill(pid, 9)
sys.stdout.buffer.write(seen)
if steps:
    sys.stderr.write("terminal.py: never seen: %r\n" % steps[0][0])
    sys.exit(99)
if status is None:
    sys.exit(98)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

"""A full-screen program in a pty of 200x60, key by key: what an answer costs in time, bytes and processor time."""
import fcntl, os, pty, select, signal, struct, termios, time

QUIET = 0.08        # no byte for so long: the answer is whole
SILENT = 2          # no byte at all: there is none


class Screen:
    def __init__(self, argv, cwd, env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.master)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(slave, fd)
            os.chdir(cwd)
            os.execvpe(argv[0], argv, {**env, "TERM": "xterm-256color"})
        os.close(slave)

    def cpu(self):
        """Seconds of processor time so far, of all threads."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat") as f:
                total += int(f.read().split()[0])
        return total / 1e9

    def read(self, begin, until=None, limit=900):
        """The bytes of an answer, and when the last of them came (or `until` was there)."""
        got, last = bytearray(), begin
        while time.perf_counter() < begin + limit:
            if not select.select([self.master], [], [], QUIET if got or until else SILENT)[0]:
                if until is None:
                    break
                continue
            got += os.read(self.master, 65536)
            last = time.perf_counter()
            if until is not None and until in got:
                until, found = None, last
                while select.select([self.master], [], [], QUIET)[0]:
                    got += os.read(self.master, 65536)
                return got, found
        else:
            raise SystemExit(f"bench: no answer with {until!r}")
        return got, last

    def settle(self):
        """Until it neither writes nor works."""
        begin, before = time.perf_counter(), -1.0
        while self.cpu() - before > 0.002:
            before = self.cpu()
            end = time.perf_counter() + 0.3
            while select.select([self.master], [], [], max(0, end - time.perf_counter()))[0]:
                os.read(self.master, 65536)
        return time.perf_counter() - begin

    def key(self, keys, until=None):
        """Seconds, bytes, processor seconds of one answer."""
        cpu, begin = self.cpu(), time.perf_counter()
        os.write(self.master, keys.encode())
        got, last = self.read(begin, until)
        return last - begin, len(got), self.cpu() - cpu

    def close(self):
        os.kill(self.pid, signal.SIGHUP)
        os.close(self.master)
        os.waitpid(self.pid, 0)

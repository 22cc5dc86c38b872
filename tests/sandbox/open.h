/* What a run without namespaces (tier B) must not be able to do: the machine around it is there, and
 * Landlock does not cover all of it. PROBE_DIR is a folder of the caller's, PROBE_PID the caller. */

#define PY_AROUND PY_SYSCALL \
	"import resource, signal, socket\n" \
	"where, caller = os.environ['PROBE_DIR'], int(os.environ['PROBE_PID'])\n" \
	"secret = where + '/secret'\n" \
	"DENIED = ('EACCES', 'EPERM')\n"

static const struct probe open_attacks[] = {
	{ .name = "files of the caller", .source = PY_AROUND
	  "for p in (secret, '/etc/passwd', '/etc/hostname', '/root/.bashrc', '/proc/self/environ', '/proc/%d/environ' % caller,\n"
	  "          '/proc/self/mem', '/sys/kernel/uevent_seqnum'):\n"
	  "    denied(p, lambda: open(p, 'rb').read(1), 'EACCES', 'ENOENT')\n"
	  "    denied(p, lambda: open(p, 'ab').close(), 'EACCES', 'ENOENT')\n"
	  "for p in (where, '/', '/etc', '/tmp', '/home', '/proc', '/dev', os.path.dirname(os.getcwd())):\n"
	  "    denied(p, lambda: os.listdir(p), 'EACCES')\n"
	  "denied('truncate', lambda: os.truncate(secret, 0), 'EACCES')\n"
	  "denied('unlink', lambda: os.unlink(secret), 'EACCES')\n"
	  "denied('rename', lambda: os.rename(secret, 'mine'), 'EACCES', 'EXDEV')\n"
	  "denied('link', lambda: os.link(secret, 'mine'), 'EACCES', 'EXDEV', 'EPERM')\n"
	  "denied('rename out', lambda: os.rename('data.csv', where + '/x'), 'EACCES', 'EXDEV')\n"
	  "for p in (where + '/x', '/tmp/tickmark-probe-x', '/var/tmp/x', '/dev/shm/x', os.path.dirname(os.getcwd()) + '/x'):\n"
	  "    denied(p, lambda: open(p, 'w'), 'EACCES')\n"
	  "    denied(p, lambda: os.mkdir(p), 'EACCES')\n"
	  "    denied(p, lambda: os.symlink('/', p), 'EACCES')\n"
	  "    denied(p, lambda: os.mkfifo(p), 'EACCES')\n"
	  "os.symlink(secret, 'way'); denied('a link', lambda: open('way'), 'EACCES')\n" PASS,
	  .out = "PASS", .any_left = true },
	{ .name = "modes, owners and times", .source = PY_AROUND
	  "for p in (secret, where): os.chmod(p, 0o777); os.utime(p, (1, 1)); os.chown(p, 0, 0)\n"
	  "fd = os.open('data.csv', os.O_RDWR); os.fchmod(fd, 0o777); assert os.fstat(fd).st_mode & 0o777 == 0o600\n" PASS,
	  .out = "PASS", .refused = { "file chmod harmless", "file utimensat harmless", "file chown harmless", "file fchmod harmless" } },
	{ .name = "sockets", .source = PY_AROUND
	  "for f in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):\n"
	  "    denied(f, lambda: socket.socket(f, socket.SOCK_STREAM), 'EACCES')\n"
	  "denied('datagrams', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM), 'EACCES')\n"
	  "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(2) == b'x'\n"
	  "for p in ('/run/dbus/system_bus_socket', '/run/systemd/journal/dev-log', '\\0x'):\n"
	  "    denied(p, lambda: a.connect(p), 'EACCES'); denied(p, lambda: a.bind(p), 'EACCES')\n"
	  "denied('listen', lambda: a.listen(), 'EACCES')\n" PASS,
	  .out = "PASS", .any_refusal = true,
	  .refused = { "network socket AF_UNIX", "network socket AF_INET", "network socketpair AF_UNIX", "network connect",
	               "network bind", "network listen" } },
	{ .name = "other processes", .source = PY_AROUND
	  "for pid in (1, os.getppid(), caller):\n"
	  "    for s in (0, signal.SIGCONT, signal.SIGURG): denied((pid, s), lambda: os.kill(pid, s), 'EPERM')\n"
	  "    denied('prlimit', lambda: resource.prlimit(pid, resource.RLIMIT_CORE), 'EPERM')\n"
	  "    denied('nice', lambda: os.setpriority(os.PRIO_PROCESS, pid, 19), *DENIED)\n"
	  "    denied('affinity', lambda: os.sched_setaffinity(pid, {0}), 'EPERM')\n"
	  "    must('ptrace', call(101, 16, pid, 0, 0), 'EPERM')\n"
	  "    denied('pidfd', lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0), 'EPERM')\n"
	  "os.kill(-1, signal.SIGURG)\n" /* succeeds whomever it reaches; the caller looks whether it got it */
	  "denied('group', lambda: os.killpg(os.getpgid(os.getppid()), 0), 'EPERM')\n"
	  "denied('user', lambda: os.setpriority(os.PRIO_USER, 0, 19), *DENIED)\n"
	  "os.nice(1); resource.prlimit(0, resource.RLIMIT_CORE)\n" PASS,
	  .out = "PASS", .any_refusal = true, .refused = { "process setpriority process 0", "process ptrace PTRACE_ATTACH" } },
	{ .name = "its keeper's memory and descriptors", .source = PY_AROUND
	  "k = os.getppid()\n"
	  "for f in ('mem', 'environ', 'maps', 'fd/3', 'root/etc/passwd', 'cwd', 'exe'):\n"
	  "    denied(f, lambda: open('/proc/%d/%s' % (k, f), 'rb').read(1), *DENIED)\n"
	  "for fd in range(3, 1000): denied(fd, lambda: os.fstat(fd), 'EBADF')\n" PASS,
	  .out = "PASS" },
	{ .name = "where it is", .source =
	  "import os\n"
	  "top = os.path.dirname(os.getcwd())\n"
	  "assert os.environ['HOME'] == top + '/home' and os.environ['TMPDIR'] == top + '/tmp', os.environ\n"
	  "assert os.environ['MPLCONFIGDIR'].startswith(top) and not [k for k in os.environ if 'SECRET' in k], os.environ\n"
	  "assert sorted(os.listdir('.')) == sorted(['main.py', 'data.csv', 'sub', 'over.txt', 'gone', 'append.txt', 'rewrite.txt', 'same.txt',\n"
	  "  'edit.json', 'move.txt', 'patch.txt', 'two words \\u00e4.txt']), os.listdir('.')\n"
	  "assert open('over.txt').read() == 'from the upper layer\\n' and open(top + '/support/hook.py').read() == 'HOOK = 1\\n'\n"
	  "open(os.environ['HOME'] + '/h', 'w').write('h'); open(os.environ['TMPDIR'] + '/t', 'w').write('t')\n"
	  "try: open(top + '/support/hook.py', 'a'); print('FAIL')\n"
	  "except PermissionError: pass\n" PASS,
	  .out = "PASS", .left = { "~/h 644 1", "/tmp/t 644 1" } },
	{ .name = "daemons beyond its sessions", .source =
	  "import os, time\n"
	  "for i in range(12):\n"
	  "    if os.fork() == 0:\n"
	  "        os.setsid()\n"
	  "        if os.fork() == 0:\n"
	  "            os.setsid(); open('alive%d' % i, 'w').close(); time.sleep(600)\n"
	  "        os._exit(0)\n"
	  "while not all(os.path.exists('alive%d' % i) for i in range(12)): time.sleep(0.01)\n"
	  "print('PASS', flush=True); os._exit(0)\n",
	  .out = "PASS", .killed = 12, .any_left = true },
	{ .name = "a fork bomb of all its children", .source =
	  "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n",
	  .limits = { .processes = 40, .wall_ms = 2000 }, .end = SANDBOX_LIMIT, .limit = "timeout", .at = "processes", .killed = 20 },
	{ .name = "memory of many processes", .source =
	  "import os, time\n"
	  "for i in range(4):\n"
	  "    if os.fork() == 0: x = bytearray(90 << 20); time.sleep(60); os._exit(0)\n"
	  "time.sleep(60)\n",
	  .limits = { .memory_bytes = 200 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory", .killed = 2 },
};

/* Of every scratch that lies on disk, which has no quota of the kernel's. */
static const struct probe disk_limits[] = {
	{ .name = "bytes far down", .source =
	  "import os, time\n"
	  "for i in range(150): os.mkdir('d'); os.chdir('d')\n"
	  "f = open('big', 'wb', buffering=0)\nfor _ in range(32): f.write(bytes(1 << 20))\ntime.sleep(60)\n",
	  .limits = { .scratch_bytes = 16 * MIB, .file_bytes = 128 * MIB }, .end = SANDBOX_LIMIT, .limit = "scratch", .at = "scratch",
	  .any_left = true, .left_out = true },
	{ .name = "bytes without a name", .source =
	  "import os, time\n"
	  "f = open('big', 'wb', buffering=0); os.unlink('big')\nfor _ in range(32): f.write(bytes(1 << 20))\n"
	  "g = os.dup(f.fileno()); time.sleep(60)\n",
	  .limits = { .scratch_bytes = 16 * MIB, .file_bytes = 128 * MIB }, .end = SANDBOX_LIMIT, .limit = "scratch", .any_left = true,
	  .at = "scratch" },
	{ .name = "one nameless file of many holders", .source =
	  "import os, time\n"
	  "f = open('big', 'wb', buffering=0); os.unlink('big'); f.write(bytes(6 << 20))\n"
	  "for i in range(6):\n"
	  "    if os.fork() == 0: time.sleep(1.2); os._exit(0)\n"
	  "time.sleep(1.5)\n" PASS,
	  .limits = { .scratch_bytes = 16 * MIB, .file_bytes = 128 * MIB }, .out = "PASS", .any_left = true },
	{ .name = "many files", .source =
	  "import time\nfor i in range(2000): open('f%d' % i, 'w').close()\ntime.sleep(60)\n",
	  .limits = { .scratch_files = 500, .artifact_files = 3 }, .end = SANDBOX_LIMIT, .limit = "scratch-files", .at = "files",
	  .any_left = true, .left_out = true },
};

/* What a run must not be able to do. */

static const struct probe attacks[] = {
	/* network */
	{ .name = "every address family but AF_UNIX", .source = PY_SYSCALL
	  "import socket\n"
	  "for f in list(range(0, 60)) + [2 | 1 << 32]:\n"
	  "    for t in (1, 2, 3, 5):\n"
	  "        r = call(41, f, t, 0)\n"
	  "        if f != 1: must(('socket', f, t), r, 'EACCES')\n"
	  "socket.socket(socket.AF_UNIX).close()\n" PASS,
	  .out = "PASS", .any_refusal = true,
	  .refused = { "network socket AF_INET", "network socket AF_INET6", "network socket AF_PACKET", "network socket AF_ALG",
	               "network socket AF_VSOCK", "network socket AF_BLUETOOTH", "network socket AF_XDP",
	               "network socket AF_UNSPEC", "network socket family 55", "network socket AF_NETLINK harmless" } },
	{ .name = "names are not resolved", .everywhere = true, .source =
	  "import socket\n"
	  "try: socket.getaddrinfo('example.com', 80)\n"
	  "except socket.gaierror as e: print('PASS', e)\n",
	  .out = "PASS", .refused = { "network socket AF_INET" } },
	{ .name = "a download fails with a traceback", .everywhere = true, .source =
	  "import urllib.request\nurllib.request.urlopen('http://192.0.2.1/')\n",
	  .exit = 1, .err = "URLError: <urlopen error [Errno 13] Permission denied>", .refused = { "network socket AF_INET" } },
	{ .name = "socketpair of other families", .everywhere = true, .source = PY_SYSCALL
	  "buf = ctypes.create_string_buffer(8)\n"
	  "for f in (2, 10, 30, 40): must(f, call(53, f, 1, 0, buf), 'EACCES')\n" PASS,
	  .out = "PASS", .any_refusal = true, .refused = { "network socketpair AF_INET" } },
	{ .name = "sockets of the host", .source = PY_SYSCALL
	  "import socket\n"
	  "for path in ('/run/dbus/system_bus_socket', '/run/docker.sock', '/var/run/nscd/socket', '/tmp/.X11-unix/X0',\n"
	  "             '/run/systemd/private', '/run/user/0/bus'):\n"
	  "    denied(path, lambda: socket.socket(socket.AF_UNIX).connect(path), 'ENOENT')\n"
	  "for name in ('\\0/tmp/.X11-unix/X0', '\\0/tmp/dbus-x'):\n"
	  "    denied(name, lambda: socket.socket(socket.AF_UNIX).connect(name), 'ECONNREFUSED', 'EPERM')\n" PASS,
	  .out = "PASS" },
	{ .name = "there is no network interface", .source =
	  "import os\n"
	  "lines = open('/proc/net/dev').read().split('\\n')[2:]\n"
	  "names = [l.split(':')[0].strip() for l in lines if l]\n"
	  "assert names in ([], ['lo']), names\n"
	  "assert not os.path.exists('/sys'), os.listdir('/sys')\n" PASS,
	  .out = "PASS" },

	/* the file tree */
	{ .name = "mounting", .everywhere = true, .source = PY_SYSCALL
	  "must('mount', call(165, b'x', b'/mnt', b'tmpfs', 0, 0), 'EPERM')\n"
	  "must('bind', call(165, b'/usr', b'/mnt', b'', 4096, 0), 'EPERM')\n"
	  "must('remount', call(165, b'', b'/', b'', 32, 0), 'EPERM')\n"
	  "must('umount', call(166, b'/proc', 2), 'EPERM')\n"
	  "must('pivot_root', call(155, b'.', b'.'), 'EPERM')\n"
	  "must('chroot', call(161, b'/tmp'), 'EPERM')\n"
	  "must('open_tree', call(428, -100, b'/', 1), 'EPERM')\n"
	  "must('move_mount', call(429, -100, b'/usr', -100, b'/mnt', 0), 'EPERM')\n"
	  "must('fsopen', call(430, b'tmpfs', 0), 'EPERM')\n"
	  "must('mount_setattr', call(442, -100, b'/', 0, 0, 32), 'EPERM')\n"
	  "must('swapon', call(167, b'/tmp/x', 0), 'EPERM')\n" PASS,
	  .out = "PASS", .refused = { "mount mount", "mount umount2", "mount pivot_root", "mount chroot", "mount open_tree",
	                              "mount move_mount", "mount fsopen", "mount mount_setattr", "mount swapon" } },
	{ .name = "namespaces", .source = PY_SYSCALL
	  "for f in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x80):\n"
	  "    must(('unshare', f), call(272, f), 'EPERM')\n"
	  "    if f != 0x80: must(('clone', f), call(56, f | 17, 0, 0, 0, 0), 'EPERM')\n"
	  "fd = os.open('/proc/self/ns/mnt', os.O_RDONLY)\n"
	  "must('setns', call(308, fd, 0), 'EPERM')\n"
	  "must('clone3', call(435, ctypes.create_string_buffer(88), 88), 'ENOSYS')\n" PASS,
	  .out = "PASS", .any_refusal = true,
	  .refused = { "namespace unshare CLONE_NEWUSER", "namespace unshare CLONE_NEWNS", "namespace clone CLONE_NEWUSER",
	               "namespace setns 0x0" } },
	{ .name = "files by handle", .source = PY_SYSCALL
	  "buf = ctypes.create_string_buffer(b'\\x80\\0\\0\\0' + bytes(200)); n = ctypes.create_string_buffer(8)\n"
	  "must('name_to_handle_at', call(303, -100, b'/', buf, n, 0), 'EPERM')\n"
	  "must('open_by_handle_at', call(304, os.open('/', 0), buf, 0), 'EPERM')\n"
	  "must('fanotify_init', call(300, 0, 0), 'EPERM')\n" PASS,
	  .out = "PASS", .refused = { "file name_to_handle_at", "file open_by_handle_at", "file fanotify_init" } },
	{ .name = "the system's files cannot be written", .source = PY_SYSCALL
	  "for p in ('/x', '/usr/x', '/usr/bin/x', '/etc/x', '/dev/x', '/run/x', '/run/tickmark/x', '/mnt/x', '/home/x', '/var/x'):\n"
	  "    denied(p, lambda: open(p, 'w'), 'EROFS', 'EACCES')\n"
	  "for p in ('/etc/passwd', '/usr/bin/env', '/etc/ld.so.cache', '/run/tickmark/hook.py', '/etc/hosts'):\n"
	  "    denied(p, lambda: open(p, 'a'), 'EROFS', 'EACCES')\n"
	  "    denied(p, lambda: os.unlink(p), 'EROFS', 'EACCES', 'EBUSY')\n"
	  "    denied(p, lambda: os.chmod(p, 0o777), 'EROFS', 'EPERM')\n"
	  "    denied(p, lambda: os.rename(p, '/tmp/x'), 'EROFS', 'EXDEV', 'EACCES')\n"
	  "    denied(p, lambda: os.link(p, '/tmp/l'), 'EROFS', 'EXDEV', 'EACCES', 'EPERM')\n" PASS,
	  .out = "PASS" },
	{ .name = "the host's folders are not there", .source =
	  "import os\n"
	  "for p in ('/root/.bashrc', '/root/.ssh', '/etc/shadow', '/etc/ssh', '/sys/kernel', '/boot', '/var/lib', '/var/log',\n"
	  "          '/home/root', '/run/user', '/run/systemd', '/dev/tty', '/dev/ptmx', '/dev/pts', '/dev/kmsg', '/dev/mem',\n"
	  "          '/dev/sda', '/dev/vda', '/dev/fuse', '/dev/kvm', '/dev/console', '/.dockerenv'):\n"
	  "    assert not os.path.lexists(p), p\n"
	  "assert sorted(os.listdir('/dev')) == ['fd', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom', 'zero']\n"
	  "assert sorted(os.listdir('/home')) == ['analyst', 'tick'], os.listdir('/home')\n"
	  "assert os.listdir('/home/analyst') == ['work space'], os.listdir('/home/analyst')\n" PASS,
	  .out = "PASS" },
	{ .name = "devices and set-id programs", .source = PY_SYSCALL
	  "import stat, subprocess\n"
	  "for d in ('.', '/tmp', os.path.expanduser('~'), '/dev/shm'):\n"
	  "    p = d + '/node'\n"
	  "    denied(p, lambda: os.mknod(p, 0o600 | stat.S_IFCHR, os.makedev(1, 3)), 'EPERM', 'EACCES')\n"
	  "    denied(p, lambda: os.mknod(p, 0o600 | stat.S_IFBLK, os.makedev(8, 0)), 'EPERM', 'EACCES')\n"
	  "    denied(p, lambda: os.mknod(p, 0o600 | stat.S_IFCHR, 0), 'EPERM', 'EACCES')\n"
	  "for d in ('.', '/tmp', '/usr', '/proc', '/dev/shm'):\n"
	  "    assert os.statvfs(d).f_flag & os.ST_NOSUID, d\n"
	  "for d in ('.', '/tmp', '/usr', '/proc', '/'):\n"
	  "    assert os.statvfs(d).f_flag & os.ST_NODEV, d\n" PASS,
	  .out = "PASS" },
	{ .name = "marks of the overlay", .everywhere = true, .source = PY_SYSCALL
	  "open('f', 'w').close()\n"
	  "for name in ('user.overlay.opaque', 'user.overlay.redirect', 'trusted.overlay.opaque', 'security.capability', 'user.x'):\n"
	  "    denied(name, lambda: os.setxattr('f', name, b'y'), 'EOPNOTSUPP', 'ENOTSUP')\n" PASS,
	  .out = "PASS", .left = { "f 644 0" } },

	/* other processes */
	{ .name = "the keeper cannot be read or traced", .source = PY_SYSCALL
	  "for f in ('environ', 'mem', 'maps', 'auxv', 'syscall', 'stack', 'io', 'smaps'):\n"
	  "    denied(f, lambda: open('/proc/1/' + f, 'rb').read(1), 'EACCES', 'EPERM')\n"
	  "for f in ('exe', 'root', 'cwd', 'fd/0', 'ns/mnt'):\n"
	  "    denied(f, lambda: os.readlink('/proc/1/' + f), 'EACCES', 'EPERM')\n"
	  "denied('fd', lambda: os.listdir('/proc/1/fd'), 'EACCES', 'EPERM')\n"
	  "denied('exe', lambda: open('/proc/1/exe', 'r+b'), 'EACCES', 'EPERM')\n"
	  "must('ptrace', call(101, 16, 1, 0, 0), 'EPERM')\n"
	  "must('seize', call(101, 0x4206, 1, 0, 0), 'EPERM')\n"
	  "iov = ctypes.create_string_buffer(16)\n"
	  "must('process_vm_readv', call(310, 1, iov, 1, iov, 1, 0), 'EPERM')\n"
	  "must('process_vm_writev', call(311, 1, iov, 1, iov, 1, 0), 'EPERM')\n"
	  "must('pidfd_getfd', call(438, os.pidfd_open(1), 0, 0), 'EPERM')\n"
	  "must('kcmp', call(312, 1, os.getpid(), 0, 0, 0), 'EPERM')\n" PASS,
	  .out = "PASS", .refused = { "process ptrace PTRACE_ATTACH", "process ptrace PTRACE_SEIZE", "process process_vm_readv",
	                              "process process_vm_writev", "process pidfd_getfd", "process kcmp" } },
	{ .name = "the keeper cannot be killed", .everywhere = true, .source =
	  "import os, signal, time\n"
	  "for s in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGSEGV, signal.SIGHUP):\n"
	  "    try: os.kill(1, s)\n"
	  "    except PermissionError: pass\n"
	  "time.sleep(0.05)\n"
	  "os.kill(1, 0) if False else None\n" PASS,
	  .out = "PASS" },
	{ .name = "the keeper cannot be slowed or blinded", .source = PY_SYSCALL
	  "import resource\n"
	  "b = ctypes.create_string_buffer(128)\n"
	  "must('prlimit', call(302, 1, resource.RLIMIT_NOFILE, b, 0), 'EPERM')\n"
	  "must('prlimit', call(302, 1 | 1 << 32, resource.RLIMIT_CPU, b, 0), 'EPERM')\n"
	  "must('sched_setaffinity', call(203, 1, 8, b), 'EPERM')\n"
	  "must('sched_setscheduler', call(144, 1, 5, b), 'EPERM')\n"
	  "must('sched_setattr', call(314, 1, b, 0), 'EPERM')\n"
	  "for which, who in ((0, 1), (1, 1), (2, 1000)): must('setpriority', call(141, which, who, 19), 'EPERM')\n"
	  "was = os.getpriority(os.PRIO_PROCESS, 1)\n" /* whoever tests may be nice himself */
	  "os.nice(1); os.setpriority(os.PRIO_PGRP, 0, min(was + 2, 19)); assert os.getpriority(os.PRIO_PROCESS, 1) == was\n"
	  "os.sched_setaffinity(os.getpid(), os.sched_getaffinity(0)); resource.prlimit(os.getpid(), resource.RLIMIT_CORE)\n" PASS,
	  .out = "PASS", .refused = { "process prlimit64 process 1", "process sched_setaffinity process 1",
	                              "process sched_setscheduler process 1", "process setpriority process 1" } },
	{ .name = "only its own processes are there", .source =
	  "import os\n"
	  "pids = sorted(int(p) for p in os.listdir('/proc') if p.isdigit())\n"
	  "assert pids == [1, os.getpid()], pids\n"
	  "assert os.getppid() == 1 and os.getsid(0) == os.getpid() == os.getpgid(0) and os.getsid(1) == 1\n"
	  "assert open('/proc/1/cmdline', 'rb').read().strip(b'\\0') == b'', open('/proc/1/cmdline', 'rb').read()\n"
	  "assert open('/proc/1/comm').read() == 'keeper\\n', open('/proc/1/comm').read()\n" PASS,
	  .out = "PASS" },
	{ .name = "inherited descriptors", .source =
	  "import os\n"
	  "fds = {int(f): os.readlink('/proc/self/fd/' + f) for f in os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/' + f)}\n"
	  "assert sorted(fds) == [0, 1, 2], fds\n"
	  "assert fds[0] == '/dev/null' and fds[1].startswith('pipe:') and fds[2].startswith('pipe:') and fds[1] != fds[2], fds\n" PASS,
	  .out = "PASS" },
	{ .name = "the caller's environment", .source =
	  "import os\n"
	  "assert not [k for k in os.environ if 'SECRET' in k or k in ('PWD', 'OLDPWD', 'SHLVL', 'MAIL', 'SSH_AUTH_SOCK')], os.environ\n"
	  "for k, v in {'HOME': '/home/tick', 'TMPDIR': '/tmp', 'LANG': 'C.UTF-8', 'LC_ALL': 'C.UTF-8', 'USER': 'tick',\n"
	  "             'PYTHONHASHSEED': '0', 'COLUMNS': '80', 'PYTHONUTF8': '1'}.items():\n"
	  "    assert os.environ[k] == v, (k, os.environ.get(k))\n"
	  "import shutil; assert shutil.get_terminal_size().columns == 80\n"
	  "assert b'SECRET' not in open('/proc/self/environ', 'rb').read()\n" PASS,
	  .out = "PASS" },

	/* terminals and input */
	{ .name = "terminal ioctls", .everywhere = true, .source = PY_SYSCALL
	  "c = ctypes.create_string_buffer(b'x')\n"
	  "for fd in (0, 1, 2):\n"
	  "    for req in (0x5412, 0x541c, 0x540e, 0x5412 | 1 << 32, 0x541c | 1 << 40):\n"
	  "        must(('ioctl', fd, hex(req)), call(16, fd, req, c), 'EPERM')\n"
	  "    must('TIOCNOTTY', call(16, fd, 0x5422, c), 'ENOTTY')\n"
	  "    assert not os.isatty(fd)\n" PASS,
	  .out = "PASS", .refused = { "terminal ioctl TIOCSTI", "terminal ioctl TIOCLINUX", "terminal ioctl TIOCSCTTY" } },
	{ .name = "input is empty", .everywhere = true, .source =
	  "import getpass, sys, os\n"
	  "assert len(sys.stdin.read()) == 0\n"
	  "try: input('ok? '); print('FAIL')\n"
	  "except EOFError: pass\n"
	  "try: getpass.getpass(); print('FAIL')\n"
	  "except EOFError: pass\n"
	  "try: open('/dev/tty'); print('FAIL')\n"
	  "except OSError: pass\n"
	  "try: os.openpty(); print('FAIL')\n"
	  "except OSError: pass\n"
	  "print('PASS')\n",
	  .out = "PASS" },

	/* the kernel */
	{ .name = "the machine", .everywhere = true, .source = PY_SYSCALL
	  "b = ctypes.create_string_buffer(256)\n"
	  "for name, nr in (('init_module', 175), ('delete_module', 176), ('finit_module', 313), ('kexec_load', 246), ('reboot', 169),\n"
	  "                 ('acct', 163), ('settimeofday', 164), ('clock_settime', 227), ('adjtimex', 159), ('sethostname', 170),\n"
	  "                 ('setdomainname', 171), ('iopl', 172), ('ioperm', 173), ('modify_ldt', 154), ('syslog', 103),\n"
	  "                 ('bpf', 321), ('perf_event_open', 298), ('vhangup', 153)):\n"
	  "    must(name, call(nr, 0, b, 0, 0, 0), 'EPERM')\n" PASS,
	  .out = "PASS", .any_refusal = true,
	  .refused = { "kernel init_module", "kernel reboot", "kernel bpf", "kernel perf_event_open", "kernel syslog",
	               "kernel modify_ldt" } },
	{ .name = "key rings", .everywhere = true, .source = PY_SYSCALL
	  "must('add_key', call(248, b'user', b'k', b'v', 1, -3), 'EPERM')\n"
	  "must('request_key', call(249, b'user', b'k', 0, 0), 'EPERM')\n"
	  "must('keyctl', call(250, 0, -3, 0), 'EPERM')\n" PASS,
	  .out = "PASS", .refused = { "keyring add_key", "keyring request_key", "keyring keyctl" } },
	{ .name = "memory that no limit sees", .everywhere = true, .source = PY_SYSCALL
	  "must('memfd_create', call(319, b'x', 0), 'ENOSYS')\n"
	  "must('memfd_secret', call(447, 0), 'ENOSYS')\n"
	  "must('shmget', call(29, 0, 4096, 0o1600), 'EPERM')\n"
	  "must('msgget', call(68, 0, 0o1600), 'EPERM')\n"
	  "must('semget', call(64, 0, 1, 0o1600), 'EPERM')\n"
	  "must('mq_open', call(240, b'x', 66, 0o600, 0), 'EPERM')\n"
	  "must('mlockall', call(151, 3), 'EPERM')\n" PASS,
	  .out = "PASS", .refused = { "ipc shmget", "ipc msgget", "ipc semget", "ipc mq_open", "memory memfd_create harmless",
	                              "memory mlockall harmless" } },
	{ .name = "ways around the filter", .everywhere = true, .source = PY_SYSCALL
	  "b = ctypes.create_string_buffer(256)\n"
	  "must('io_uring_setup', call(425, 8, b), 'ENOSYS')\n"
	  "must('io_uring_enter', call(426, 3, 0, 0, 0, 0), 'ENOSYS')\n"
	  "must('userfaultfd', call(323, 0), 'ENOSYS')\n"
	  "must('splice', call(275, 0, 0, 1, 0, 1, 0), 'ENOSYS')\n"
	  "must('tee', call(276, 0, 1, 1, 0), 'ENOSYS')\n"
	  "must('vmsplice', call(278, 1, b, 1, 0), 'EPERM')\n"
	  "must('seccomp', call(317, 1, 0, b), 'ENOSYS')\n"
	  "must('PR_SET_SECCOMP', call(157, 22, 2, b), 'EINVAL')\n"
	  "must('PR_SET_MM', call(157, 35, 8, 0, 0, 0), 'EINVAL')\n"
	  "must('execveat', call(322, -100, b'/bin/true', 0, 0, 0), 'ENOSYS')\n"
	  "must('landlock', call(444, 0, 0, 1), 'ENOSYS')\n"
	  "must('personality', call(135, 0x0040000), 'EPERM')\n"
	  "must('a number of the future', call(990), 'ENOSYS')\n" PASS,
	  .out = "PASS", .refused = { "kernel vmsplice", "kernel io_uring_setup harmless", "kernel userfaultfd harmless",
	                              "kernel splice harmless", "kernel personality 0x40000 harmless" } },
	{ .name = "int 0x80", .everywhere = true, .source = PY_SYSCALL
	  "import mmap\n"
	  "m = mmap.mmap(-1, 4096, prot=7)\n"
	  "m.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n" /* mov eax, 20 (getpid); int 0x80; ret */
	  "f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n"
	  "pid = os.fork()\n"
	  "if pid == 0: f(); os._exit(0)\n"
	  "s = os.waitpid(pid, 0)[1]\n"
	  "assert os.WIFSIGNALED(s) and os.WTERMSIG(s) in (31, 11), s\n" PASS, /* SIGSEGV: a kernel without that ABI */
	  .out = "PASS" },
	{ .name = "calls of the x32 ABI", .everywhere = true, .source = PY_SYSCALL
	  "print('before', flush=True)\ncall(0x40000000 | 39)\nprint('after')\n",
	  .out = "before\n", .signal = 31 },
	{ .name = "inotify of the user's quota", .source = PY_SYSCALL
	  "must('inotify_init', call(253), 'ENOSYS')\nmust('inotify_init1', call(294, 0), 'ENOSYS')\n" PASS,
	  .out = "PASS", .refused = { "file inotify_init harmless", "file inotify_init1 harmless" } },
	{ .name = "kernel settings", .source = PY_SYSCALL
	  "for p in ('/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname', '/proc/sysrq-trigger', '/proc/sys/vm/drop_caches',\n"
	  "          '/proc/self/oom_score_adj', '/proc/self/uid_map', '/proc/self/comm', '/proc/self/coredump_filter'):\n"
	  "    denied(p, lambda: open(p, 'w').write('0'), 'EROFS', 'EACCES', 'EPERM', 'ENOENT')\n"
	  "for p in ('/proc/kcore', '/proc/kmsg', '/dev/mem'):\n"
	  "    denied(p, lambda: open(p, 'rb').read(1), 'EACCES', 'ENOENT', 'EPERM')\n" PASS,
	  .out = "PASS" },
	{ .name = "rights", .source =
	  "status = dict(l.split(':\\t', 1) for l in open('/proc/self/status').read().strip().split('\\n') if ':\\t' in l)\n"
	  "for k in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'): assert int(status[k], 16) == 0, (k, status[k])\n"
	  "assert status['NoNewPrivs'] == '1' and status['Seccomp'] == '2', status\n"
	  "assert status['Uid'].split() == ['1000'] * 4 and status['Gid'].split() == ['1000'] * 4, status\n"
	  "assert status['SigBlk'] == '0' * 16 and int(status['SigIgn'], 16) & ~0x1001000 == 0, status\n"
	  "import os; assert os.umask(0) == 0o022\n" PASS,
	  .out = "PASS" },
	{ .name = "becoming somebody else", .source = PY_SYSCALL
	  "for name, nr, args in (('setuid', 105, (0,)), ('setgid', 106, (0,)), ('setreuid', 113, (0, 0)), ('setresuid', 117, (0, 0, 0)),\n"
	  "                       ('setgroups', 116, (0, 0)), ('setfsuid', 122, (0,)), ('capset', 126, (0, 0))):\n"
	  "    must(name, call(nr, *args), 'EPERM')\n"
	  "denied('chown', lambda: os.chown('data.csv', 0, 0), 'EPERM', 'EINVAL')\n"
	  "import subprocess\n"
	  "r = subprocess.run(['/bin/su', '-c', 'id'], capture_output=True, stdin=subprocess.DEVNULL)\n"
	  "assert r.returncode != 0, r\n" PASS,
	  .out = "PASS", .any_refusal = true, .any_left = true, .refused = { "identity setuid", "identity setgid", "identity capset" } },
	{ .name = "limits cannot be raised", .everywhere = true, .source =
	  "import resource\n"
	  "for name in ('RLIMIT_NPROC', 'RLIMIT_NOFILE', 'RLIMIT_FSIZE', 'RLIMIT_CORE', 'RLIMIT_CPU', 'RLIMIT_AS', 'RLIMIT_NICE'):\n"
	  "    which = getattr(resource, name, None) if name != 'RLIMIT_NICE' else 13\n"
	  "    soft, hard = resource.getrlimit(which)\n"
	  "    assert hard != resource.RLIM_INFINITY, name\n"
	  "    try: resource.setrlimit(which, (hard, hard + 1)); print('FAIL', name)\n"
	  "    except (ValueError, PermissionError): pass\n"
	  "import os\n"
	  "try: os.setpriority(os.PRIO_PROCESS, 0, -5); print('FAIL nice')\n"
	  "except PermissionError: pass\n" PASS,
	  .out = "PASS" },
	{ .name = "trusted folders cannot be moved away", .source = PY_SYSCALL
	  "for p in ('/tmp', '/home/tick', '/dev/shm', '/home/analyst/work space'):\n"
	  "    denied(p, lambda: os.rmdir(p), 'EBUSY', 'EROFS', 'EACCES', 'ENOTEMPTY')\n"
	  "    denied(p, lambda: os.rename(p, p + '2'), 'EBUSY', 'EROFS', 'EACCES', 'EXDEV')\n" PASS,
	  .out = "PASS" },
};

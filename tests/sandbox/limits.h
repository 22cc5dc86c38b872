/* What ends a run, or makes its calls fail, because it has had enough. */

#define PY_FILL \
	"import socket, time\n" \
	"def fill(s):\n" \
	"    s.setblocking(False)\n" \
	"    try:\n" \
	"        while True: s.send(b'x' * 32768)\n" \
	"    except BlockingIOError: pass\n"

#define PY_TOUCH \
	"import mmap, os, sys, time\n" \
	"def hold(mib):\n" \
	"    m = bytearray(mib << 20)\n" \
	"    return m\n"

#define PY_TABLES \
	"import mmap, os, time\n" \
	"def child(n):\n" \
	"    pid = os.fork()\n" \
	"    if pid: return pid\n" \
	"    m = mmap.mmap(-1, 5 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)\n" \
	"    m.madvise(mmap.MADV_NOHUGEPAGE)\n" \
	"    for i in range(n): m[i << 21]\n" \
	"    time.sleep(60); os._exit(0)\n"

static const struct probe limits[] = {
	{ .name = "sleeping for ever", .everywhere = true, .source =
	  "import signal, time\n"
	  "for s in range(1, 32):\n"
	  "    try: signal.signal(s, signal.SIG_IGN)\n"
	  "    except OSError: pass\n"
	  "print('half a line', end='')\nopen('partial.csv', 'w').write('a,b\\n1,2\\n')\ntime.sleep(3600)\n",
	  .limits = { .wall_ms = 2000 }, .end = SANDBOX_LIMIT, .limit = "timeout", .out = "half a line", .left = { "partial.csv 644 8" } },
	{ .name = "spinning for ever", .source = "while True: pass\n",
	  .limits = { .wall_ms = 60000, .cpu_ms = 1000 }, .end = SANDBOX_LIMIT, .limit = "cpu" },
	{ .name = "spinning with SIGXCPU ignored", .source =
	  "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass\n",
	  .limits = { .wall_ms = 60000, .cpu_ms = 1000 }, .end = SANDBOX_LIMIT, .limit = "cpu" },
	{ .name = "memory of one process", .source = PY_TOUCH "x = [hold(16) for _ in range(64)]\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 100 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory" },
	{ .name = "memory of many processes", .source = PY_TOUCH
	  "for i in range(4):\n"
	  "    if os.fork() == 0:\n"
	  "        x = hold(90); time.sleep(60); os._exit(0)\n"
	  "time.sleep(60)\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 200 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory", .killed = 2 },
	{ .name = "memory shared by forks counts once", .source = PY_TOUCH
	  "x = hold(60)\n"
	  "pids = []\n"
	  "for i in range(4):\n"
	  "    pid = os.fork()\n"
	  "    if pid == 0: time.sleep(0.5); os._exit(0)\n"
	  "    pids.append(pid)\n"
	  "for p in pids: os.waitpid(p, 0)\n" PASS,
	  .limits = { .memory_bytes = 128 * MIB }, .out = "PASS" },
	{ .name = "shared anonymous memory", .source = PY_TOUCH
	  "m = mmap.mmap(-1, 400 << 20)\n"
	  "for i in range(0, 400 << 20, 1 << 20): m[i:i + (1 << 20)] = b'x' * (1 << 20)\n"
	  "time.sleep(60)\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 100 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory" },
	{ .name = "shared memory that is not resident", .source = PY_TOUCH
	  "n = 16 << 20\nm = mmap.mmap(-1, 25 * n)\n"
	  "for i in range(0, 25 * n, n): m[i:i + n] = b'x' * n; m.madvise(mmap.MADV_DONTNEED, i, n)\n"
	  "time.sleep(60)\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 200 * MIB }, .counted = true, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory" },
	/* memory of the kernel's, in nobody's resident size */
	{ .name = "bytes in sockets", .source = PY_FILL
	  "pairs = []\n"
	  "for i in range(450):\n"
	  "    pairs.append(socket.socketpair())\n"
	  "    for s in pairs[-1]: fill(s)\n"
	  "time.sleep(60)\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 100 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory" },
	{ .name = "bytes in sockets whose senders are gone", .source = PY_FILL
	  "kept = []\n"
	  "for i in range(450):\n"
	  "    kept.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))\n"
	  "    kept[-1].bind('\\0%d' % i)\n"
	  "    for n in range(9):\n"
	  "        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:\n"
	  "            s.connect('\\0%d' % i)\n"
	  "            s.setblocking(False); s.send(b'x' * (4096 if n == 0 else 100000))\n"
	  "time.sleep(60)\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 100 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory" },
	/* 10 MiB of page tables each, for pages of which there is one */
	{ .name = "page tables", .source = PY_TABLES "pids = [child(2560) for _ in range(12)]\ntime.sleep(60)\nprint('FAIL')\n",
	  .limits = { .memory_bytes = 150 * MIB }, .end = SANDBOX_LIMIT, .limit = "memory", .at = "memory" },
	{ .name = "mappings without page tables", .source = PY_TABLES
	  "pids = [child(4) for _ in range(12)]\ntime.sleep(0.5)\nfor p in pids: os.kill(p, 9)\n" PASS,
	  .limits = { .memory_bytes = 150 * MIB }, .out = "PASS" },
	{ .name = "sockets with little in them", .source = PY_FILL
	  "pairs = [socket.socketpair() for _ in range(200)]\n"
	  "for a, b in pairs: a.send(b'x' * 100); b.send(b'y'); b.recv(100)\n"
	  "time.sleep(0.2)\n" PASS,
	  .limits = { .memory_bytes = 100 * MIB }, .out = "PASS" },
	{ .name = "one absurd allocation", .everywhere = true, .source = "x = bytearray(1 << 44)\n",
	  .exit = 1, .err = "MemoryError", .at = "memory", .refused = { "memory mmap 17592186048512 bytes harmless" } },
	{ .name = "memory that is only reserved", .source =
	  "import mmap\nm = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\nm[5] = 1\n" PASS,
	  .limits = { .memory_bytes = 256 * MIB }, .out = "PASS" },
	{ .name = "fork bomb", .source =
	  "import os, time\n"
	  "n = 0\n"
	  "try:\n"
	  "    while n < 1000:\n"
	  "        if os.fork() == 0: time.sleep(60); os._exit(0)\n"
	  "        n += 1\n"
	  "except BlockingIOError as e:\n"
	  "    time.sleep(0.3); print('PASS', n, e)\n",
	  .limits = { .processes = 24 }, .out = "PASS 23 ", .at = "processes", .killed = 23 },
	{ .name = "a fork bomb of all its children", .source =
	  "import os\n"
	  "while True:\n"
	  "    try: os.fork()\n"
	  "    except OSError: pass\n",
	  .limits = { .processes = 40, .wall_ms = 5000 }, .end = SANDBOX_LIMIT, .limit = "timeout", .at = "processes", .killed = 20 },
	{ .name = "threads", .source =
	  "import threading, time\n"
	  "n = 0\n"
	  "try:\n"
	  "    for n in range(1000): threading.Thread(target=time.sleep, args=(1.0,), daemon=True).start()\n"
	  "except RuntimeError as e:\n"
	  "    time.sleep(0.3); print('PASS', n, e)\n",
	  .limits = { .processes = 20 }, .out = "PASS 19 can't start new thread", .at = "processes" },
	{ .name = "a large file fills the scratch", .source =
	  "with open('big', 'wb', buffering=0) as f:\n"
	  "    while True: f.write(bytes(1 << 20))\n",
	  .limits = { .scratch_bytes = 16 * MIB, .file_bytes = 64 * MIB }, .exit = 1, .err = "OSError: [Errno 28]", .at = "scratch",
	  .any_left = true },
	{ .name = "one quota for folder, HOME, tmp and shm", .source =
	  "import errno, os\n"
	  "n = 0\n"
	  "try:\n"
	  "    for d in ('.', os.path.expanduser('~'), '/tmp', '/dev/shm'):\n"
	  "        with open(d + '/part', 'wb', buffering=0) as f:\n"
	  "            for _ in range(6): n += f.write(bytes(1 << 20))\n"
	  "except OSError as e:\n"
	  "    assert e.errno == errno.ENOSPC and 15 << 20 <= n <= 17 << 20, (e, n)\n" PASS,
	  .limits = { .scratch_bytes = 16 * MIB }, .out = "PASS", .at = "scratch", .any_left = true },
	{ .name = "many files", .source =
	  "import errno\n"
	  "try:\n"
	  "    for n in range(5000): open('f%d' % n, 'w').close()\n"
	  "except OSError as e:\n"
	  "    assert e.errno == errno.ENOSPC and 900 <= n <= 1100, (e, n)\n" PASS,
	  .limits = { .scratch_files = 1000, .artifact_files = 5 }, .out = "PASS", .at = "files", .any_left = true, .left_out = true,
	  .left = { "f0 644 0", "f1 644 0", "f10 644 0", "f100 644 0", "f1000 644 0" } },
	{ .name = "many links and special files", .source =
	  "import os\n"
	  "open('f', 'w').close()\n"
	  "for i in range(3000): os.link('f', 'h%04d' % i)\n"
	  "for i in range(500): os.symlink('x', 's%03d' % i); os.mkfifo('p%03d' % i)\n" PASS,
	  .limits = { .artifact_files = 4 }, .out = "PASS", .left_out = true,
	  .left = { "f 644 0", "h0000 644 0 (hard link to f)", "h0001 644 0 (hard link to f)", "h0002 644 0 (hard link to f)",
	            "p000 (fifo)", "p001 (fifo)", "p002 (fifo)", "p003 (fifo)" } },
	{ .name = "a file over the size of a file", .everywhere = true, .source =
	  "with open('big', 'wb', buffering=0) as f:\n"
	  "    while True: f.write(bytes(1 << 20))\n",
	  .limits = { .file_bytes = 4 * MIB }, .exit = 1, .err = "[Errno 27] File too large",
	  .left = { "big 644 4194304" } },
	{ .name = "SIGXFSZ", .source =
	  "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nopen('big', 'wb', buffering=0).write(bytes(5 << 20))\n"
	  "open('big', 'ab', buffering=0).write(b'x')\n",
	  .limits = { .file_bytes = 4 * MIB }, .signal = 25, .left = { "big 644 4194304" } },
	{ .name = "a petabyte without bytes", .source =
	  "try: open('huge', 'wb').truncate(1 << 50)\n"
	  "except OSError as e: print('PASS', e.errno)\n",
	  .out = "PASS 27", .left = { "huge 644 0" } },
	{ .name = "open files", .everywhere = true, .source =
	  "import errno, os\n"
	  "fds = []\n"
	  "try:\n"
	  "    while True: fds.append(os.open('/dev/null', 0))\n"
	  "except OSError as e: print('PASS', len(fds), errno.errorcode[e.errno])\n",
	  .limits = { .open_files = 100 }, .out = "PASS 97 EMFILE" },
	{ .name = "flood of stdout", .everywhere = true, .source =
	  "import os\nb = b'x' * 65536\nwhile True: os.write(1, b)\n",
	  .limits = { .stream_total = 8 * MIB }, .end = SANDBOX_LIMIT, .limit = "stream-total", .least_out = 8 * MIB + 1 },
	{ .name = "flood of stderr by lines", .source =
	  "import sys\nwhile True: print('a line of some length, again and again', file=sys.stderr)\n",
	  .limits = { .stream_total = 1 * MIB }, .end = SANDBOX_LIMIT, .limit = "stream-total" },
	{ .name = "exactly at the limit of a stream", .source =
	  "import os\nfor _ in range(64): os.write(1, b'x' * 16384)\n",
	  .limits = { .stream_total = 1 * MIB }, .least_out = 1 * MIB },
	{ .name = "a deep tree", .source =
	  "import os\n"
	  "for i in range(800): os.mkdir('d'); os.chdir('d')\n"
	  "open('bottom', 'w').write('x')\nos.chdir('/home/analyst/work space'); open('top', 'w').write('x')\n",
	  .left = { "top 644 1" }, .left_out = true },
	{ .name = "no core file", .source = "import os, signal\nos.kill(os.getpid(), signal.SIGQUIT)\n", .signal = 3 },
	{ .name = "daemons that hold the pipes", .everywhere = true, .source =
	  "import os, subprocess, sys, time\n"
	  "code = 'import os, time\\nopen(\"alive%s\", \"w\").close()\\ntime.sleep(600)'\n"
	  "subprocess.Popen([sys.executable, '-c', code % 1])\n"
	  "subprocess.Popen([sys.executable, '-c', code % 2], start_new_session=True)\n"
	  "if os.fork() == 0:\n"
	  "    os.setsid()\n"
	  "    if os.fork() == 0: os.execv(sys.executable, [sys.executable, '-c', code % 3])\n"
	  "    os._exit(0)\n"
	  "while not all(os.path.exists('alive%d' % i) for i in (1, 2, 3)): time.sleep(0.01)\n"
	  "print('PASS', flush=True); os._exit(0)\n",
	  .out = "PASS", .killed = 3, .left = { "alive1 644 0", "alive2 644 0", "alive3 644 0" } },
	{ .name = "workers that are waited for", .source =
	  "import os, time\n"
	  "for i in range(8):\n"
	  "    if os.fork() == 0: time.sleep(600)\n"
	  "while True: os.wait()\n",
	  .limits = { .wall_ms = 2500 }, .end = SANDBOX_LIMIT, .limit = "timeout", .killed = 8 },
	{ .name = "closed streams", .everywhere = true, .source =
	  "import os, time\n"
	  "os.write(1, b'before'); os.close(1); os.close(2); time.sleep(0.2); open('after', 'w').write('ran on'); os._exit(7)\n",
	  .exit = 7, .out = "before", .left = { "after 644 6" } },
	{ .name = "stopped processes", .source =
	  "import os, signal, time\n"
	  "pid = os.fork()\n"
	  "if pid == 0: time.sleep(600)\n"
	  "os.kill(pid, signal.SIGSTOP); print('PASS', flush=True); os._exit(0)\n",
	  .out = "PASS", .killed = 1 },
};

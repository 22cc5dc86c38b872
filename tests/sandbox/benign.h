/* What must work as on any Linux. */

#define PY_NEEDS(modules) \
	"import sys\n" \
	"try: import " modules "\n" \
	"except ImportError as e: print('SKIP', e); sys.exit(0)\n"

static const struct probe benign[] = {
	{ .name = "threads", .everywhere = true, .source =
	  "import threading, queue\n"
	  "q = queue.Queue()\n"
	  "ts = [threading.Thread(target=lambda i=i: q.put(i)) for i in range(50)]\n"
	  "for t in ts: t.start()\n"
	  "for t in ts: t.join()\n"
	  "assert sorted(q.get() for _ in ts) == list(range(50))\n" PASS,
	  .out = "PASS" },
	{ .name = "multiprocessing", .source =
	  "import multiprocessing as mp\n"
	  "from multiprocessing import shared_memory\n"
	  "def f(x): return x * x\n"
	  "def fill(name): m = shared_memory.SharedMemory(name); m.buf[0] = 42; m.close()\n"
	  "if __name__ == '__main__':\n"
	  "    for method in ('fork', 'spawn'):\n"
	  "        with mp.get_context(method).Pool(2) as p: assert p.map(f, range(10)) == [x * x for x in range(10)]\n"
	  "    m = shared_memory.SharedMemory(create=True, size=4096)\n"
	  "    p = mp.Process(target=fill, args=(m.name,)); p.start(); p.join()\n"
	  "    assert m.buf[0] == 42; m.close(); m.unlink()\n"
	  "    with mp.Lock(), mp.Value('i', 1) as v: pass\n"
	  "    print('PASS')\n",
	  .out = "PASS" },
	{ .name = "concurrent futures", .source =
	  "from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor\n"
	  "if __name__ == '__main__':\n"
	  "    with ProcessPoolExecutor(2) as e: assert list(e.map(abs, [-1, 2])) == [1, 2]\n"
	  "    with ThreadPoolExecutor(4) as e: assert list(e.map(abs, [-1, 2])) == [1, 2]\n"
	  "    print('PASS')\n",
	  .out = "PASS" },
	{ .name = "subprocesses", .everywhere = true, .source =
	  "import subprocess, sys\n"
	  "assert subprocess.run('echo hi | tr h j; false', shell=True, capture_output=True, text=True).stdout == 'ji\\n'\n"
	  "assert subprocess.check_output([sys.executable, '-c', 'print(6 * 7)'], text=True) == '42\\n'\n"
	  "assert subprocess.run(['sort'], input='b\\na\\n', capture_output=True, text=True).stdout == 'a\\nb\\n'\n"
	  "assert subprocess.run(['sleep', '60'], timeout=None) if False else True\n"
	  "try: subprocess.run(['sleep', '60'], timeout=0.1)\n"
	  "except subprocess.TimeoutExpired: pass\n" PASS,
	  .out = "PASS" },
	{ .name = "temporary files", .source =
	  "import tempfile, os\n"
	  "with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile() as f, tempfile.TemporaryFile() as g:\n"
	  "    assert d.startswith('/tmp/') and f.name.startswith('/tmp/'); g.write(b'x')\n"
	  "assert os.listdir('/tmp') == [] and os.path.samefile('/var/tmp', '/tmp')\n" PASS,
	  .out = "PASS" },
	{ .name = "sqlite", .everywhere = true, .source =
	  "import sqlite3\n"
	  "for mode in ('delete', 'wal', 'memory'):\n"
	  "    c = sqlite3.connect(mode + '.db'); c.execute('pragma journal_mode=' + mode)\n"
	  "    with c: c.execute('create table t (a)'); c.executemany('insert into t values (?)', [(i,) for i in range(1000)])\n"
	  "    assert c.execute('select sum(a) from t').fetchone() == (499500,); c.close()\n" PASS,
	  .out = "PASS", .any_left = true },
	{ .name = "pandas and CSV", .everywhere = true, .source = PY_NEEDS("pandas")
	  "df = pandas.read_csv('data.csv'); df['value'] *= 2; df.to_csv('out.csv', index=False)\n"
	  "print(df.groupby('name').value.sum().to_dict())\n",
	  .out = "{'a': 2, 'b': 4}", .left = { "out.csv 644 19" }, .opens = { "data.csv: read", "out.csv: written from-nothing" } },
	{ .name = "pandas and xlsx, both ways", .source = PY_NEEDS("pandas, openpyxl")
	  "pandas.DataFrame({'a': [1, 2], 'b': ['x', 'y']}).to_excel('t.xlsx', index=False)\n"
	  "assert pandas.read_excel('t.xlsx').b.tolist() == ['x', 'y']\n" PASS,
	  .out = "PASS", .any_left = true },
	{ .name = "a figure", .source = PY_NEEDS("matplotlib")
	  "import matplotlib.pyplot as plt\n"
	  "plt.plot([1, 3, 2]); plt.title('\\u00e4'); plt.savefig('plot.png'); print(matplotlib.get_backend(), matplotlib.get_configdir())\n",
	  .out = "agg /home/tick/.cache/matplotlib", .any_left = true },
	{ .name = "linear algebra with threads", .source = PY_NEEDS("numpy")
	  "import os\n"
	  "a = numpy.random.default_rng(1).random((600, 600))\n"
	  "assert numpy.allclose(a @ numpy.linalg.inv(a), numpy.eye(600), atol=1e-6)\n"
	  "assert int(os.environ['OPENBLAS_NUM_THREADS']) <= 4\n" PASS,
	  .out = "PASS" },
	{ .name = "zones and locales", .source =
	  "import datetime, locale, time, zoneinfo, sys\n"
	  "assert datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).utcoffset().seconds == 7200\n"
	  "locale.setlocale(locale.LC_ALL, ''); assert locale.getpreferredencoding().lower() == 'utf-8'\n"
	  "assert sys.stdout.encoding == 'utf-8' and sys.getfilesystemencoding() == 'utf-8'\n"
	  "print(time.tzname, '\\u00e4\\u6f22'); time.strftime('%c')\n" PASS,
	  .out = "PASS" },
	{ .name = "foreign functions", .source =
	  "import ctypes, ctypes.util\n"
	  "libc = ctypes.CDLL('libc.so.6'); assert libc.abs(-3) == 3\n"
	  "cmp = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0])\n"
	  "v = (ctypes.c_int * 3)(3, 1, 2); libc.qsort(v, 3, 4, cmp); assert list(v) == [1, 2, 3]\n" PASS,
	  .out = "PASS" },
	{ .name = "signals", .source =
	  "import os, signal, time\n"
	  "got = []\n"
	  "signal.signal(signal.SIGALRM, lambda *a: got.append('alarm')); signal.signal(signal.SIGUSR1, lambda *a: got.append('usr1'))\n"
	  "signal.setitimer(signal.ITIMER_REAL, 0.05); os.kill(os.getpid(), signal.SIGUSR1); time.sleep(0.2)\n"
	  "assert got == ['usr1', 'alarm'], got\n"
	  "pid = os.fork()\n"
	  "if pid == 0: signal.pause()\n"
	  "os.kill(pid, signal.SIGTERM); assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGTERM\n" PASS,
	  .out = "PASS" },
	{ .name = "two hundred open files", .source =
	  "fs = [open('f%d' % i, 'w') for i in range(200)]\n"
	  "for f in fs: f.write('x'); f.close()\n" PASS,
	  .out = "PASS", .any_left = true },
	{ .name = "asyncio", .source =
	  "import asyncio\n"
	  "async def main():\n"
	  "    s = await asyncio.start_unix_server(lambda r, w: (w.write(b'hello\\n'), w.close()), 's.sock')\n"
	  "    r, w = await asyncio.open_unix_connection('s.sock'); assert await r.readline() == b'hello\\n'\n"
	  "    p = await asyncio.create_subprocess_exec('echo', 'x', stdout=asyncio.subprocess.PIPE)\n"
	  "    assert (await p.communicate())[0] == b'x\\n'\n"
	  "    await asyncio.gather(*[asyncio.sleep(0.01) for _ in range(100)]); s.close()\n"
	  "asyncio.run(main())\n" PASS,
	  .out = "PASS", .any_left = true },
	{ .name = "who and where", .source =
	  "import getpass, os, platform, pwd, socket, uuid, multiprocessing\n"
	  "assert getpass.getuser() == 'tick' and pwd.getpwuid(os.getuid()).pw_dir == '/home/tick'\n"
	  "assert os.path.expanduser('~') == '/home/tick' and socket.gethostname() == 'tick' and platform.node() == 'tick'\n"
	  "uuid.uuid1(); uuid.uuid4(); assert multiprocessing.cpu_count() >= 1; platform.platform(); os.getloadavg(); os.urandom(8)\n" PASS,
	  .out = "PASS", .any_refusal = true },
	{ .name = "copying and moving", .source =
	  "import os, shutil\n"
	  "shutil.copy2('data.csv', 'copy.csv'); shutil.copytree('sub', 'sub2'); shutil.move('move.txt', 'sub2/'); shutil.copyfile('data.csv', '/tmp/d')\n"
	  "shutil.move('sub', 'sub3'); shutil.make_archive('a', 'zip', 'sub2'); shutil.unpack_archive('a.zip', 'un'); os.sync()\n"
	  "assert os.listdir('un').sort() is None and open('sub3/deep.txt').read() == 'deep\\n'\n"
	  "assert os.stat('copy.csv').st_mtime == os.stat('data.csv').st_mtime\n" PASS,
	  .out = "PASS", .any_left = true },
	{ .name = "mapped files and locks", .source =
	  "import fcntl, mmap, os\n"
	  "with open('data.csv', 'r+b') as f:\n"
	  "    fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX)\n"
	  "    m = mmap.mmap(f.fileno(), 0); assert m[:4] == b'name'; m[0:1] = b'N'; m.flush(); m.close()\n"
	  "assert open('data.csv').read(4) == 'Name'\n"
	  "os.sendfile(os.open('o', os.O_WRONLY | os.O_CREAT), os.open('data.csv', 0), 0, 10)\n" PASS,
	  .out = "PASS", .left = { "data.csv 644 19", "o 755 10" }, .opens = { "data.csv: read written" } },
	{ .name = "compression and TLS libraries", .source =
	  "import bz2, gzip, hashlib, lzma, ssl, zipfile, faulthandler, sys\n"
	  "ssl.create_default_context(); faulthandler.enable(); faulthandler.dump_traceback(sys.stdout)\n"
	  "assert lzma.decompress(lzma.compress(b'x')) == b'x'; hashlib.scrypt(b'p', salt=b's', n=2, r=1, p=1)\n" PASS,
	  .out = "PASS" },
	{ .name = "a shell script with tools", .source =
	  "import subprocess\n"
	  "print(subprocess.run(['sh', '-ec', 'for i in 1 2 3; do echo $i; done | sort -r | head -1; awk -F, \"{print \\\\$2}\" data.csv | paste -sd+ ; '\n"
	  "    'test -w . && test -d /tmp && echo x > /dev/null && cat < /dev/stdin | wc -c; ls /dev/fd | head -1'],\n"
	  "    capture_output=True, text=True, check=True).stdout)\n" PASS,
	  .out = "PASS" },
	{ .name = "order of streams", .source =
	  "import sys, time\n"
	  "for i in range(5):\n"
	  "    print('out', i, flush=True); print('err', i, file=sys.stderr, flush=True)\n",
	  .out = "out 4", .err = "err 4" },
};

/* What is left of a run, and how it is told. */

static const struct probe outputs[] = {
	{ .name = "exit status", .everywhere = true, .source = "import sys\nsys.exit(3)\n", .exit = 3 },
	{ .name = "exit status 137", .source = "import sys\nsys.exit(137)\n", .exit = 137 },
	{ .name = "an uncaught error", .everywhere = true, .source = "raise ValueError('balance does not match')\n",
	  .exit = 1, .err = "ValueError: balance does not match" },
	{ .name = "killed by itself", .source = "import os\nprint('before', flush=True)\nos.kill(os.getpid(), 9)\n",
	  .signal = 9, .out = "before" },
	{ .name = "SIGTERM to itself", .source = "import os\nos.kill(os.getpid(), 15)\n", .signal = 15 },
	{ .name = "a crash", .source = "import ctypes\nctypes.string_at(0)\n", .signal = 11 },
	{ .name = "abort", .source = "import os\nos.abort()\n", .signal = 6 },
	{ .name = "never flushed", .source = "import os, sys\nsys.stdout.write('never flushed'); os._exit(0)\n", .out = "never flushed" },
	{ .name = "the interpreter's arguments", .source = "import sys\nprint(sys.argv[1:])\n",
	  .args = { "-x", "two words", "\xc3\xa4", "" }, .out = "['-x', 'two words', '\xc3\xa4', '']" },
	{ .name = "the folder as offered", .source =
	  "import os\n"
	  "assert os.getcwd() == '/home/analyst/work space', os.getcwd()\n"
	  "assert os.path.samefile('/mnt/data', '.')\n"
	  "assert sorted(os.listdir('.')) == sorted(['data.csv', 'sub', 'over.txt', 'gone', 'append.txt', 'rewrite.txt', 'same.txt',\n"
	  "    'edit.json', 'move.txt', 'patch.txt', 'two words \\u00e4.txt', 'main.py']), os.listdir('.')\n"
	  "assert open('over.txt').read() == 'from the upper layer\\n'\n"
	  "assert open('/mnt/data/sub/deep.txt').read() == 'deep\\n'\n"
	  "assert open('/run/tickmark/hook.py').read() == 'HOOK = 1\\n'\n"
	  "assert open(os.path.expanduser('~/.cache/seed.json')).read() == '{}'\n" PASS,
	  .out = "PASS", .opens = { "over.txt: read", "main.py: read", "sub/deep.txt: read" } },
	{ .name = "files read", .everywhere = true, .source =
	  "import subprocess, sqlite3\n"
	  "open('data.csv').read()\n"
	  "subprocess.run(['cat', 'two words \\u00e4.txt'], check=True)\n"
	  "import os; os.stat('over.txt'); os.listdir('gone')\n",
	  .out = "umlaut", .opens = { "data.csv: read", "two words \xc3\xa4.txt: read" } },
	{ .name = "files written", .source =
	  "open('append.txt', 'a').write('more\\n')\n"
	  "open('rewrite.txt', 'w').write('something else that is longer than what was there before\\n')\n"
	  "open('same.txt', 'w').write('same again\\n')\n"
	  "with open('edit.json', 'r+') as f:\n"
	  "    text = f.read(); f.seek(0); f.truncate(); f.write(text.replace('1', '22'))\n"
	  "open('new.txt', 'w').write('new')\n"
	  "open('patch.txt', 'r+').write('ONE')\n",
	  .left = { "append.txt 644 16", "edit.json 644 10", "new.txt 644 3", "patch.txt 644 100", "rewrite.txt 644 57",
	            "same.txt 644 11" },
	  .opens = { "append.txt: written", "rewrite.txt: written from-nothing", "same.txt: written from-nothing", "edit.json: written",
	             "new.txt: written from-nothing", "patch.txt: written" } },
	{ .name = "read, then overwritten", .everywhere = true, .source =
	  "text = open('rewrite.txt').read()\nopen('rewrite.txt', 'w').write('x' + text)\n",
	  .left = { "rewrite.txt 644 41" }, .opens = { "rewrite.txt: read written" } },
	{ .name = "files removed and renamed", .source =
	  "import os, shutil\n"
	  "os.unlink('data.csv'); os.rename('move.txt', 'moved.txt'); os.unlink('gone/one.txt')\n"
	  "open('tmp.txt', 'w').write('x'); os.replace('tmp.txt', 'over.txt')\n",
	  .left = { "-data.csv", "-gone/one.txt", "-move.txt", "moved.txt 644 6", "over.txt 644 1" },
	  .opens = { "data.csv: deleted", "move.txt: read deleted", "moved.txt: written from-nothing", "over.txt: written from-nothing",
	             "gone/one.txt: deleted" } },
	{ .name = "files under another name", .everywhere = true, .source =
	  "import os\n"
	  "os.unlink('gone/one.txt'); open('rewrite.txt', 'w').write('something else that is longer than what was there before\\n')\n"
	  "os.link('data.csv', 'l'); print(open('l').read()); os.unlink('l')\n"
	  "os.mkdir('d'); os.link('patch.txt', 'd/p'); os.unlink('patch.txt')\n"
	  "os.link('same.txt', 's'); open('x', 'w').write('x'); os.replace('x', 'same.txt')\n"
	  "os.rename('move.txt', 'd/m'); open('new.txt', 'w').write('new')\n",
	  .out = "name,value", .any_left = true,
	  .opens = { "gone/one.txt: deleted", "rewrite.txt: written from-nothing", "data.csv: read", "patch.txt: read deleted",
	             "same.txt: read written from-nothing", "move.txt: read deleted", "new.txt: written from-nothing" } },
	{ .name = "files exchanged", .source =
	  "import ctypes\n"
	  "assert ctypes.CDLL(None).renameat2(-100, b'append.txt', -100, b'patch.txt', 2) == 0\n" PASS,
	  .out = "PASS", .left = { "append.txt 644 100", "patch.txt 644 11" },
	  .opens = { "append.txt: read written from-nothing", "patch.txt: read written from-nothing deleted" } },
	{ .name = "files read by descriptor", .source =
	  "import os\n"
	  "fds = [os.open(name, os.O_PATH) for name in ('data.csv', 'over.txt', 'move.txt')]\n"
	  "os.unlink('data.csv')\n"
	  "for fd in fds[:2]: print(open('/proc/self/fd/%d' % fd).read())\n"
	  "os.sendfile(os.open('to', os.O_WRONLY | os.O_CREAT, 0o644), os.open('same.txt', os.O_RDONLY), 0, 3)\n",
	  .left = { "-data.csv", "to 644 3" }, .opens = { "data.csv: read deleted", "over.txt: read", "same.txt: read" } },
	{ .name = "a folder removed", .source = "import shutil\nshutil.rmtree('gone')\n",
	  .left = { "-gone/" }, .opens = { "gone/one.txt: deleted", "gone/two.txt: deleted" } },
	{ .name = "a folder removed and made again", .source =
	  "import os, shutil\nshutil.rmtree('gone'); os.mkdir('gone'); open('gone/three.txt', 'w').write('3')\nos.makedirs('empty/x')\n"
	  "os.makedirs('fresh/y'); open('fresh/y/f', 'w').write('f')\n",
	  .left = { "fresh/y/f 644 1", "-gone/", "gone/three.txt 644 1" } },
	{ .name = "a folder replaced by a file", .source = "import shutil\nshutil.rmtree('gone'); open('gone', 'w').write('file')\n",
	  .left = { "-gone/", "gone 644 4" } },
	{ .name = "a file replaced by a folder", .source =
	  "import os\nos.unlink('data.csv'); os.mkdir('data.csv'); open('data.csv/x', 'w').write('x')\n",
	  .left = { "-data.csv", "data.csv/x 644 1" } },
	{ .name = "only touched", .source = "import os\nos.chmod('data.csv', 0o755)\n", .left = { "data.csv 755 19" } },
	{ .name = "links and special files", .source =
	  "import os, socket\n"
	  "open('f', 'w').write('x'); os.link('f', 'g'); os.symlink('/etc/shadow', 'link'); os.symlink('/home', 'dirlink')\n"
	  "os.mkfifo('fifo'); s = socket.socket(socket.AF_UNIX); s.bind('sock'); os.mkdir('d'); os.link('f', 'd/h')\n",
	  .left = { "d/h 644 1", "dirlink (symlink to /home)", "f 644 1 (hard link to d/h)", "fifo (fifo)", "g 644 1 (hard link to d/h)",
	            "link (symlink to /etc/shadow)", "sock (socket)" } },
	{ .name = "unreadable files and folders", .source =
	  "import os\n"
	  "open('a', 'w').write('1'); os.chmod('a', 0); os.mkdir('d'); open('d/b', 'w').write('22'); os.chmod('d/b', 0o111); os.chmod('d', 0)\n"
	  "open('s', 'w').write('3'); os.chmod('s', 0o6777)\n",
	  .left = { "a 644 1", "d/b 755 2", "s 755 1" } },
	{ .name = "a sparse file", .source =
	  "f = open('sparse', 'wb'); f.seek(50 << 20); f.write(b'end'); f.close()\n",
	  .left = { "sparse 644 52428803 sparse" } },
	{ .name = "odd names", .everywhere = true, .source =
	  "import os\n"
	  "for n in (b'-rf', b' space ', b'new\\nline', b'latin-\\xe9', b'esc-\\x1b]0;t\\x07', b'%s%n', b'back\\\\slash', b'n' * 255, b'same', b'SAME'):\n"
	  "    open(n, 'w').write('x')\n",
	  .left = { " space  644 1", "%s%n 644 1", "-rf 644 1", "SAME 644 1", "back\\slash 644 1", "esc-\x1b]0;t\x07 644 1",
	            "latin-\xe9 644 1", "new\nline 644 1",
	            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
	            "nnnnnnnnnnnnnnn 644 1", "same 644 1" } },
	{ .name = "HOME, tmp and caches", .source =
	  "import os\n"
	  "home = os.path.expanduser('~')\n"
	  "open(home + '/notes.txt', 'w').write('h'); os.makedirs(home + '/.cache/lib'); open(home + '/.cache/lib/x', 'w').write('c')\n"
	  "os.makedirs('/tmp/deep/er'); open('/tmp/deep/er/t.csv', 'w').write('t'); open('/dev/shm/s', 'w').write('s')\n"
	  "os.mkdir('__pycache__'); open('__pycache__/m.pyc', 'w').write('p')\n"
	  "open(home + '/.cache/seed.json', 'w').write('{}')\n",
	  .left = { "~/notes.txt 644 1", "/tmp/deep/er/t.csv 644 1" } },
	{ .name = "byte code is not written", .source =
	  "open('helper.py', 'w').write('x = 1\\n')\nimport helper, os\nassert not os.path.exists('__pycache__')\n" PASS,
	  .out = "PASS", .left = { "helper.py 644 6" } },
	{ .name = "a script that changes itself", .source = "open(__file__, 'a').write('# more\\n')\n", .left = { "main.py 644 45" } },
	{ .name = "a script that removes itself", .source = "import os\nos.unlink(__file__)\n", .left = { NULL } },
	{ .name = "in a subfolder", .source = "import os\nprint(os.getcwd(), open('deep.txt').read())\n", .cwd = "sub",
	  .out = "/home/analyst/work space/sub deep" },
	{ .name = "in a subfolder that is not offered", .source = "import os\nprint(os.getcwd(), os.listdir('.'))\n", .cwd = "not/there",
	  .out = "/home/analyst/work space/not/there []" },
	{ .name = "a folder below tmp", .source = "import os\nopen('x', 'w').write(os.getcwd()); open('/tmp/y', 'w').write('y')\n",
	  .box = "/tmp/ws-abc/d", .left = { "x 644 13", "/tmp/y 644 1" } },
	{ .name = "a folder below root's home", .source = "import os\nprint(os.getcwd(), os.listdir('/root'))\n", .box = "/root/x/y",
	  .out = "/root/x/y ['x']" },
	{ .name = "a folder inside /usr", .source =
	  "import os\nprint(os.getcwd()); assert os.path.exists('/usr/bin/python3'); open('x', 'w').write('x')\n"
	  "try: open('/usr/local/y', 'w')\n"
	  "except OSError as e: print('PASS', e.errno)\n",
	  .box = "/usr/local/not-on-this-host/ws", .out = "PASS", .left = { "x 644 1" } },
	{ .name = "a folder that holds HOME", .source =
	  "import os\nopen('x', 'w').write('x'); open(os.path.expanduser('~/y'), 'w').write('y'); print(sorted(os.listdir('/home')))\n",
	  .box = "/home", .out = "'data.csv'", .left = { "x 644 1", "~/y 644 1" } },
	{ .name = "a folder that is HOME", .source = "import os\nassert os.path.samefile(os.path.expanduser('~'), '.')\n" PASS,
	  .box = "/home/tick", .out = "PASS" },
	{ .name = "a folder at tmp", .source = "import tempfile\nprint(tempfile.mkdtemp(), open('/tmp/data.csv').read())\n", .box = "/tmp",
	  .out = "name,value" },
	{ .name = "a folder below shm", .source = "open('x', 'w').write('x'); print(open('/mnt/data/x').read())\n", .box = "/dev/shm/w",
	  .out = "x", .left = { "x 644 1" } },
	{ .name = "a folder at /mnt/data", .source = "import os\nprint(os.getcwd(), os.path.islink('/mnt/data'))\n", .box = "/mnt/data",
	  .out = "/mnt/data False" },
	{ .name = "a folder at /mnt", .source = "import os\nprint(os.getcwd(), sorted(os.listdir('/mnt'))[0])\n", .box = "/mnt",
	  .out = "/mnt append.txt" },
	{ .name = "a folder at /var/tmp/x", .source = "open('x', 'w').write('x')\nprint('PASS')\n", .box = "/var/tmp/x", .out = "PASS",
	  .left = { "x 644 1" } },

	/* other kinds of scratch */
	{ .name = "scratch without marks", .source =
	  "import os\nopen('sub/deep.txt', 'a').write('x'); os.unlink('data.csv'); open('n', 'w').write('n')\n"
	  "os.unlink('gone/one.txt'); os.unlink('gone/two.txt')\n"
	  "try: os.rmdir('gone')\n"
	  "except OSError as e: print('PASS', e.errno)\n",
	  .scratch = SCRATCH_TMPFS, .out = "PASS 5",
	  .left = { "-data.csv", "-gone/one.txt", "-gone/two.txt", "n 644 1", "sub/deep.txt 644 6" } },
	{ .name = "scratch on disk", .source =
	  "import os, shutil\nopen('sub/deep.txt', 'a').write('x'); os.unlink('data.csv'); open('n', 'w').write('n'); shutil.rmtree('gone')\n"
	  "open('/tmp/t', 'w').write('t'); open('rewrite.txt', 'w').write('x')\n",
	  .scratch = SCRATCH_DISK,
	  .left = { "-data.csv", "-gone/", "n 644 1", "rewrite.txt 644 1", "sub/deep.txt 644 6", "/tmp/t 644 1" },
	  .opens = { "rewrite.txt: written from-nothing", "sub/deep.txt: written" } },
	{ .name = "a copied folder renamed", .source =
	  "import os\nos.rename('sub', 'other'); print(open('other/deep.txt').read()); os.rename('gone', 'sub'); os.unlink('sub/one.txt')\n",
	  .scratch = SCRATCH_COPY, .out = "deep",
	  .left = { "other/deep.txt 644 5", "sub/two.txt 644 2", "-gone/one.txt", "-gone/two.txt", "-sub/deep.txt" },
	  .opens = { "sub/deep.txt: read", "gone/one.txt: deleted" } },
	{ .name = "scratch as a copy", .source =
	  "import os, shutil\nassert open('over.txt').read() == 'from the upper layer\\n'\n"
	  "open('sub/deep.txt', 'a').write('x'); os.unlink('data.csv'); open('n', 'w').write('n'); shutil.rmtree('gone')\n"
	  "open('/tmp/t', 'w').write('t')\n",
	  .scratch = SCRATCH_COPY,
	  .left = { "n 644 1", "sub/deep.txt 644 6", "-data.csv", "-gone/one.txt", "-gone/two.txt", "/tmp/t 644 1" },
	  .opens = { "over.txt: read", "sub/deep.txt: written" } },
	{ .name = "a scratch on disk has a limit too", .source =
	  "import time\nwith open('big', 'wb', buffering=0) as f:\n    for _ in range(64): f.write(bytes(1 << 20))\ntime.sleep(60)\n",
	  .scratch = SCRATCH_DISK, .limits = { .scratch_bytes = 16 * MIB, .file_bytes = 128 * MIB }, .end = SANDBOX_LIMIT,
	  .limit = "scratch", .at = "scratch", .any_left = true },
};

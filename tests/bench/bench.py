"""make bench: tickmark against named peers, in pairs, one table of ratios.

python3 bench.py TICKMARK PEER GENERATE [P1 P3 …]      BENCH_N: pairs of each (default 100)

A pair is one run of ours and one of the peer, in an order that alternates; the figure is the ratio
of the medians. Absolute times are printed for orientation only: they mean nothing on shared machines.
"""
import os, random, shutil, sqlite3, statistics, subprocess, sys, tempfile, time

TICK, PEER, GENERATE = (os.path.abspath(p) for p in sys.argv[1:4])
WANT = sys.argv[4:]
N = int(os.environ.get("BENCH_N", "100"))
PYTHON = "/usr/bin/python3"
WORK = tempfile.mkdtemp(prefix="tickmark-bench.", dir=os.environ.get("BENCH_DIR"))
ENV = {"PATH": "/usr/bin:/bin", "HOME": WORK, "LC_ALL": "C.UTF-8"}
RUN_ENV = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
NULL = open(os.devnull, "r+b")
rows = []


def timed(argv, cwd, env=ENV, fine=(0,)):
    begin = time.perf_counter()
    done = subprocess.run(argv, cwd=cwd, env=env, stdin=NULL, stdout=NULL, stderr=subprocess.PIPE)
    spent = time.perf_counter() - begin
    if done.returncode not in fine:
        sys.exit(f"bench: {argv} failed: {done.stderr.decode(errors='replace')}")
    return spent


def pairs(ours, theirs, n=N, settle=None):
    """Medians of both sides of n pairs."""
    a, b = [], []
    for i in range(n + 2):
        sides = [(a, ours), (b, theirs)]
        for times, side in (sides if i % 2 else sides[::-1]):
            times.append(side())
            if settle:
                settle()
    return statistics.median(a[2:]), statistics.median(b[2:])


def say(name, what, ours, theirs, target, note=""):
    ratio = ours / theirs
    rows.append((name, what, ratio, target, ours, theirs, note))
    print(f"{name:4} {what:66} {ratio:7.3f}  target {'<=' if target > 0 else '>='} {abs(target):<5}"
          f" {'met' if (ratio <= target if target > 0 else ratio >= -target) else 'MISSED':7} {note}", flush=True)


def folder(name):
    path = os.path.join(WORK, name)
    os.makedirs(path)
    return path


def workspace(name, **settings):
    path = folder(name)
    subprocess.run([TICK, "init", "--yes", "--python", PYTHON], cwd=path, env=ENV, check=True,
                   stdin=NULL, stdout=NULL, stderr=NULL)
    for key, value in settings.items():
        subprocess.run([TICK, "config", key.replace("_", "-"), str(value)], cwd=path, env=ENV, check=True,
                       stdout=NULL, stderr=NULL)
    return path


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def bwrap(box, script):
    """The same binds, namespaces and interpreter, without filter, limits or record."""
    binds = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.islink("/" + name):
            binds += ["--symlink", os.readlink("/" + name), "/" + name]
    for path in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/python3", "/etc/python3.11", "/etc/localtime",
                 "/etc/fonts", "/etc/mime.types", "/etc/matplotlibrc", "/var/cache/fontconfig"):
        if os.path.exists(path):
            binds += ["--ro-bind", path, path]
    binds += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/home/tick", "--bind", box, box]
    sets = [x for k, v in RUN_ENV.items() for x in ("--setenv", k, v)]
    return ["bwrap", "--unshare-all", "--new-session", "--die-with-parent", "--clearenv", "--setenv", "HOME",
            "/home/tick", "--setenv", "PATH", "/usr/bin:/bin", *sets, *binds, "--chdir", box, PYTHON, script]


def p1():
    ws, bare = workspace("p1"), folder("p1-peer")
    for d in (ws, bare):
        write(d + "/step.py", "pass\n")
    log = WORK + "/p1.log"
    ours = lambda: timed([TICK, "run", "step.py"], ws)
    x, y = pairs(ours, lambda: timed([PEER, "-a", log, *bwrap(bare, "step.py")], bare))
    say("P1", "tickmark run of pass / bwrap + two fdatasync'ed appends", x, y, 1.15, f"{x*1e3:.1f} ms / {y*1e3:.1f} ms")
    x, y = pairs(ours, lambda: timed([PEER, *bwrap(bare, "step.py")], bare))
    say("P1b", "the same / bwrap without the appends (no target)", x, y, 99, f"{x*1e3:.1f} ms / {y*1e3:.1f} ms")
    x, y = pairs(ours, lambda: timed([PEER, PYTHON, "step.py"], bare))
    say("P1c", "the same / bare python3 (no target)", x, y, 99, f"{x*1e3:.1f} ms / {y*1e3:.1f} ms")


def p3():
    ws, bare = workspace("p3", stream_total="2G"), folder("p3-peer")
    for d in (ws, bare):
        write(d + "/flood.py", "import sys\nb = b'x' * 65535 + b'\\n'\nfor _ in range(16000): sys.stdout.buffer.write(b)\n")
    n = max(N // 5, 3) if "P3" not in WANT else N
    x, y = pairs(lambda: timed([TICK, "run", "flood.py"], ws),
                 lambda: timed([PEER, "-o", WORK + "/p3.out", PYTHON, "flood.py"], bare), n)
    say("P3", f"capture of 1 GB in 64 KiB blocks / python3 > file + fsync ({n} pairs)", x, y, 4.0, f"{x:.2f} s / {y:.2f} s")


def changed(lines, share):
    """Two files of numbered lines of which a share was edited, removed or added."""
    draw = random.Random(lines)
    a = ["%d,%d,stable text of a line\n" % (i, draw.randrange(1000)) for i in range(lines)]
    b = list(a)
    for i in range(int(lines * share)):
        k, what = draw.randrange(len(b)), draw.randrange(3)
        b[k] = ["", b[k] + "a new line %d\n" % i, b[k].rstrip("\n") + "x\n"][what]
    paths = [f"{WORK}/{side}{lines}.csv.txt" for side in "ab"]
    write(paths[0], "".join(a))
    write(paths[1], "".join(b))
    return paths


def peak(argv):
    """Peak memory in KiB."""
    pid = os.fork()
    if pid == 0:
        os.dup2(NULL.fileno(), 1)
        os.execvpe(argv[0], argv, ENV)
    return os.wait4(pid, 0)[2].ru_maxrss


def p6():
    for lines in (200_000, 1_000_000):
        a, b = changed(lines, 0.01)
        ours, gnu = [TICK, "diff", "--files", a, b], ["diff", "-u", a, b]
        git = ["git", "diff", "--no-index", "--no-color", a, b]
        n = max(N // (5 if lines < 500_000 else 20), 5)
        x, y = pairs(lambda: timed(ours, WORK, fine=(1,)), lambda: timed(gnu, WORK, fine=(1,)), n)
        say("P6", f"diff of {lines} lines, 1 % edited / GNU diff -u ({n} pairs)", x, y, 1.0, f"{x:.2f} s / {y:.2f} s")
        x, y = pairs(lambda: timed(ours, WORK, fine=(1,)), lambda: timed(git, WORK, fine=(1,)), n)
        say("P6b", "the same / git diff --no-index", x, y, 1.0, f"{x:.2f} s / {y:.2f} s")
        x, y = peak(ours), peak(gnu)
        say("P6c", "the same, peak memory / GNU diff", x, y, 1.0, f"{x >> 10} MiB / {y >> 10} MiB")
def p5():
    """Ten streams of 50 MB, as the record holds them and as files, both in the page cache."""
    n = max(N // 5, 3) if "P5" not in WANT else N
    ws, bare = workspace("p5"), folder("p5-files")
    write(ws + "/step.py", """# 50 MB of lines
import random, sys
seed = int(sys.argv[1]); r = random.Random(seed); w = sys.stdout.write; size = i = 0
words = "premium layer limit excess policy risk schedule total account region currency claim".split()
while size < 50_000_000:
    i += 1
    line = f"{i:08d} {r.choice(words)} {r.choice(words)} {r.random()*1e6:.2f} EUR ref={r.getrandbits(48):012x} {r.choice(words)}\\n"
    if i % 100_000 == seed: line = f"{i:08d} Needle-4711 was here, total 123.99 GBP\\n"
    w(line); size += len(line)
""")
    for i in range(1, 11):
        timed([TICK, "run", "step.py", str(i)], ws)
        with open(f"{bare}/{i}.txt", "wb") as f:
            subprocess.run([TICK, "show", "last", "--stdout"], cwd=ws, env=ENV, check=True, stdin=NULL, stdout=f)
    total = sum(os.path.getsize(f"{bare}/{f}") for f in os.listdir(bare))
    for what, ours, theirs, target in (
            ("regular expression", [r"total [0-9]{3}\.99 [A-Z]{3}", "--case"], [r"total [0-9]{3}\.99 [A-Z]{3}"], 1.0),
            ("literal", ["Needle-4711", "-F"], ["-F", "Needle-4711"], 1.0),
            ("literal without a hit", ["Needle-4712", "-F"], ["-F", "Needle-4712"], 1.5)):
        x, y = pairs(lambda: timed([TICK, "search", "--in", "stdout", *ours], ws, fine=(0, 1)),
                     lambda: timed(["rg", "-n", *theirs, bare], bare, fine=(0, 1)), n)
        say("P5", f"{what} over {total/1e6:.0f} MB of recorded streams / rg -n on files", x, y, target, f"{x*1e3:.0f} ms / {y*1e3:.0f} ms")


def generated(name, *numbers):
    """A workspace whose record was made by generate, where a sync costs nothing while it is made."""
    path = workspace(name)
    made = tempfile.mkdtemp(prefix="tickmark-bench.", dir="/dev/shm" if os.path.isdir("/dev/shm") else WORK)
    try:
        subprocess.run([GENERATE, made + "/record.db", *map(str, numbers)], check=True)
        shutil.copyfile(made + "/record.db", path + "/.tickmark/record.db")
    finally:
        shutil.rmtree(made)
    return path


def p4():
    n = int(os.environ.get("BENCH_ATTEMPTS", "1000000"))
    ws = generated("p4", n)
    newest = ("SELECT s.id, s.title, e.outcome, e.wall_us FROM step_tally t JOIN step s ON s.id = t.step LEFT JOIN attempt_end e"
              " ON e.attempt = t.last ORDER BY t.step DESC LIMIT 50")
    memory = []

    def until(text, *argv):
        done = subprocess.run([PEER, "-f", text, *argv], cwd=ws, env={**ENV, "TERM": "xterm-256color"}, stdin=NULL, stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"bench: {argv} did not show {text!r}")
        spent, kib = map(int, done.stdout.split())
        if text:
            memory.append(kib)
        return spent / 1e6

    # the word that is drawn last, below the list; then what comes later by itself: the files of the newest attempts
    for name, what, text, target in (("P4", "first full frame", " quit", 3.0), ("P4b", "the same with the Artifacts pane", "tiv.csv", 99)):
        x, y = pairs(lambda: until(text, TICK), lambda: until("", "sqlite3", ".tickmark/record.db", newest))
        say(name, f"{what} on {n:,} attempts / sqlite3 printing the newest 50 (floor 10 ms)", max(x, 0.01), max(y, 0.01), target,
            f"{x*1e3:.1f} ms / {y*1e3:.1f} ms")
    rss = max(memory) * 1024
    say("P4m", "its peak memory / 32 MiB", rss, 32 << 20, 1.0, f"{rss >> 20} MiB")


def p7():
    """One stream of 1 GB in the record, and the same bytes as a file, both in the page cache."""
    from pager import Screen
    size = int(os.environ.get("BENCH_STREAM", "1000000000"))
    ws, bare = workspace("p7", stream_head="2G", stream_total="4G"), folder("p7-file")
    write(ws + "/step.py", """# Many lines
import sys
size, at, i, w = int(sys.argv[1]), 0, 0, sys.stdout.write
while at < size:
    block = "".join(f"{k:09d} layer {k % 97:02d} of region {k % 13} comes to {k * 7919 % 1000003:>8} EUR, as agreed\\n" for k in range(i, i + 10000))
    w(block); at += len(block); i += 10000
w("Needle-4711 stands here\\n")
w("the last line of all\\n")
""")
    timed([TICK, "run", "step.py", str(size)], ws)
    with open(bare + "/stream.txt", "wb") as f:
        subprocess.run([TICK, "show", "1.1", "--stdout"], cwd=ws, env=ENV, check=True, stdin=NULL, stdout=f)
    total = os.path.getsize(bare + "/stream.txt")
    n = max(N // 30, 3)
    figures = {}

    def open_ours():
        s = Screen([TICK], ws, ENV)
        s.settle()
        for k in (":1\r", "\r", "/000000000 layer\r", "\r", "g"):
            s.key(k)
        return s

    def open_less():
        s = Screen(["less", "stream.txt"], bare, ENV)
        s.read(time.perf_counter())
        return s

    def add(side, what, figure):
        figures.setdefault((side, what), []).append(figure)

    for turn in range(n): # in turns, so that a busy machine is busy for both
        for side, opened in (("ours", open_ours), ("less", open_less))[::1 if turn % 2 else -1]:
            s = opened()
            add(side, "to the end at once", s.key("G", b"the last line of all"))
            s.key("g")
            s.settle()
            add(side, "to the end", s.key("G", b"the last line of all"))
            add(side, "page up", s.key("b"))
            s.key("g")
            if turn == 0: # less takes minutes
                add(side, "search", s.key("/Needle-4711\r", b"the last line of all"))
                s.key("g")
                add(side, "search, expression", s.key("/Needle-47[0-9]+ stands\r", b"the last line of all"))
            s.key("50%" if side == "less" else ":50%\r")
            for what, keys in (("a line down", "j" * 20), ("a line up", "k" * 20), ("page down", "     "), ("page up, again", "bbbbb"),
                               ("half down", "\x04" * 5), ("half up", "\x15" * 5)):
                for k in keys:
                    add(side, what, s.key(k))
            s.close()
    middle = lambda side, what, i: statistics.median(f[i] for f in figures[side, what])
    for what in ("to the end at once", "to the end", "page up", "search", "search, expression"):
        x, y = middle("ours", what, 0), middle("less", what, 0)
        say("P7", f"{what}, pager on {total/1e9:.1f} GB / less (floor 10 ms)", max(x, 0.01), max(y, 0.01), 1.0, f"{x*1e3:.1f} ms / {y*1e3:.1f} ms")
    keys = [w for s, w in figures if s == "ours" and "search" not in w and "at once" not in w]
    for what in keys:
        say("P7b", f"{what}: bytes to the terminal / less", middle("ours", what, 1), max(middle("less", what, 1), 1), 1.2,
            f"{middle('ours', what, 1):.0f} / {middle('less', what, 1):.0f} bytes")
    worst = max(keys, key=lambda w: middle("ours", w, 2))
    say("P7c", f"processor time of the dearest key ({worst}) / 2 ms", middle("ours", worst, 2), 0.002, 1.0, f"{middle('ours', worst, 2)*1e3:.2f} ms")


def p9():
    ws = generated("p9", 10_000, 1, 20_000)
    db = ws + "/.tickmark/record.db"
    x, y = pairs(lambda: timed([TICK, "verify"], ws), lambda: timed(["openssl", "dgst", "-sha256", db], ws), max(N // 5, 3))
    say("P9", "verify of 10,000 attempts / openssl dgst -sha256 of the same file", x, y, 1.25,
        f"{x:.2f} s / {y:.2f} s, {os.path.getsize(db) / x / 1e6:.0f} MB/s")


def p9l():
    """BENCH_LARGE=1: a record of 10 GB (BENCH_MB=10000), which takes half an hour to make: memory does not grow with it."""
    if not os.environ.get("BENCH_LARGE"):
        return
    ws = workspace("p9l")
    db = ws + "/.tickmark/record.db"
    for beside in ("", "-wal", "-shm"):
        if os.path.exists(db + beside):
            os.unlink(db + beside)
    begin = time.perf_counter()
    subprocess.run([GENERATE, db, str(int(os.environ.get("BENCH_MB", "10000"))), "1", "1000000"], check=True)
    print(f"P9L  made {os.path.getsize(db) / 1e9:.1f} GB in {time.perf_counter() - begin:.0f} s", flush=True)
    for argv in (["log"], ["show", "last"], ["size"], ["queue"], ["search", "-F", "no such text"], ["prune", "--streams", "--older-than", "1d"], ["verify"],
                 ["pack", WORK + "/p9l-step.db", "7"]):
        begin = time.perf_counter()
        pid = os.posix_spawn(TICK, [TICK, "-C", ws, *argv], ENV, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        status, used = os.wait4(pid, 0)[1:]
        say("P9L", f"{argv[0]}: memory / 64 MiB (status {os.waitstatus_to_exitcode(status)})", used.ru_maxrss / 1024, 64, 1.0,
            f"{time.perf_counter() - begin:.2f} s, {used.ru_utime + used.ru_stime:.2f} s of processor")


def p8():
    ws = workspace("p8")
    with open(ws + "/data.bin", "wb") as f:
        f.write(os.urandom(10_000_000))
    write(ws + "/step.py", "import hashlib\nb = open('data.bin', 'rb').read()\n"
          "open('out.bin', 'wb').write(b[:1_000_000])\nprint(hashlib.sha256(b).hexdigest())\n")
    timed([TICK, "run", "step.py"], ws)
    n = int(os.environ.get("BENCH_REPEATS", "1000"))
    for i in range(n):
        timed([TICK, "repeat", "last"], ws)
    db = sqlite3.connect(ws + "/.tickmark/record.db")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    distinct = db.execute("SELECT sum(size) FROM blob").fetchone()[0] \
        + db.execute("SELECT sum(n) FROM (SELECT max(length(bytes)) AS n FROM stream_chunk GROUP BY bytes)").fetchone()[0]
    db.close()
    size = os.path.getsize(ws + "/.tickmark/record.db")
    say("P8", f"record after {n} repeats, 10 MB input, 1 MB artifact / distinct bytes", size, distinct, 1.05,
        f"{size} / {distinct} bytes, {(size - distinct) / max(n, 1):.0f} a repeat")


def p10():
    ws, bare = workspace("p10"), folder("p10-peer")
    n = int(os.environ.get("BENCH_BATCH", "1000"))
    for i in range(n):
        for d in (ws, bare):
            write(f"{d}/s{i}.py", f"print({i})\n")
        timed([TICK, "run", f"s{i}.py"], ws)
    write(WORK + "/p10.list", "".join(f"s{i}.py\n" for i in range(n)))
    peer = ["xargs", "-P2", "-n1", "-a", WORK + "/p10.list", *bwrap(bare, "")[:-1]]
    x, y = pairs(lambda: timed([TICK, "repeat", "--all", "--jobs", "2"], ws), lambda: timed(peer, bare), int(os.environ.get("BENCH_BATCHES", "3")))
    say("P10", f"repeat --all of {n} attempts on 2 cores / xargs -P2 bwrap python3", x, y, 1.2, f"{x:.1f} s / {y:.1f} s")


def p11():
    ws, bare = workspace("p11"), folder("p11-peer")
    for d in (ws, bare):
        write(d + "/step.py", "pass\n")

    def eight(argv, cwd):
        begin = time.perf_counter()
        running = [subprocess.Popen(argv, cwd=cwd, env=ENV, stdin=NULL, stdout=NULL, stderr=NULL) for _ in range(8)]
        if any(p.wait() for p in running):
            sys.exit(f"bench: {argv} failed in parallel")
        return time.perf_counter() - begin

    x, y = pairs(lambda: eight([TICK, "run", "step.py"], ws), lambda: eight([PEER, *bwrap(bare, "step.py")], bare))
    say("P11", "attempts per second, eight runners at once / the same unrecorded under bwrap", y, x, -0.8,
        f"{8/x:.0f}/s / {8/y:.0f}/s")


def p12():
    empty, full = workspace("p12-empty"), workspace("p12-full", attached_files="60000")
    for i in range(50_000):
        if i % 500 == 0:
            os.makedirs(f"{full}/d{i // 500}")
        write(f"{full}/d{i // 500}/f{i}.txt", "")
    for d in (empty, full):
        write(d + "/step.py", "pass\n")
    for _ in range(3):                 # racy entries settle: the index must be younger than the files
        time.sleep(1.1)
        timed([TICK, "run", "step.py"], full)
    x, y = pairs(lambda: timed([TICK, "run", "step.py"], full), lambda: timed([TICK, "run", "step.py"], empty))
    say("P12", "trivial run, 50,000 unchanged attached files / empty folder", x, y, 2.0, f"{x*1e3:.1f} ms / {y*1e3:.1f} ms")


try:
    for bench in (p1, p3, p4, p5, p6, p7, p8, p9, p9l, p10, p11, p12):
        if not WANT or bench.__name__.upper() in WANT:
            bench()
finally:
    subprocess.run(["chmod", "-R", "u+rwX", WORK])
    shutil.rmtree(WORK, ignore_errors=True)

#!/bin/bash
# Every limit has an option of `run`; when it is hit the outcome names it, its value, what was reached and
# the option, also where Python saw an error that could mean anything.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >hit.py <<'PY'
import sys, threading
what = sys.argv[1] # naming /dev/full, as this line does, decides nothing
if what == "scratch" or what == "file-size":
    with open("big", "wb") as f:
        for _ in range(64): f.write(b"x" * (1 << 20))
elif what == "mapped":
    import mmap
    with open("big", "w+b") as f:
        f.truncate(64 << 20)
        mmap.mmap(f.fileno(), 64 << 20)[:] = b"x" * (64 << 20)
elif what == "hole":
    with open("big", "wb") as f: f.truncate(64 << 20)
elif what == "temporary":
    import tempfile
    with tempfile.TemporaryFile() as f: f.write(b"x" * (64 << 20))
elif what == "temporary-names":
    import tempfile
    with tempfile.TemporaryDirectory() as d:
        for i in range(100000): open(d + "/f%d" % i, "w").close()
elif what == "temporary-links":
    import tempfile, os
    with tempfile.TemporaryDirectory() as d:
        open(d + "/f", "w").close()
        for i in range(100000): os.link(d + "/f", d + "/f%d" % i)
elif what == "reserve":
    import os
    os.posix_fallocate(os.open("big", os.O_RDWR | os.O_CREAT), 0, 64 << 20)
elif what == "seek":
    with open("big", "wb") as f:
        f.seek(64 << 20)
        f.write(b"x")
elif what == "scratch-files":
    for i in range(100000): open("f%d" % i, "w").close()
elif what == "open-files":
    held = [open("/dev/null") for _ in range(5000)]
elif what == "processes":
    for _ in range(500): threading.Thread(target=threading.Event().wait, daemon=True).start()
elif what == "artifacts":
    for i in range(30): open("a%d" % i, "w").close()
elif what == "artifact-depth":
    import os
    os.makedirs("a/b/c/d/e"); open("a/b/c/d/e/f", "w").close()
elif what == "stream-total":
    while True: sys.stdout.write("x" * 65536)
elif what == "cpu":
    while True: pass
PY
check() { # LIMIT VALUE WANTED-VALUE OPTION…: hit, by the option; in the way $way
	local name=$1 value=$2 wanted=$3; shift 3
	tm run --new "--$name" "$value" "$@" hit.py "${way:-$name}"
	is "$name: status" "$rc" 1
	like "$name ${way:-}: what raises it" "$err" "$name .* reached.*: tickmark run --$name [0-9]+[a-zK-T]*, or tickmark config $name "
	tm show last --json
	jis "$name: on the record" '(d["state"], d["limit"]["name"], d["limit"]["value"], d["limit"]["reached"] >= d["limit"]["value"])' \
		"('limit', '$name', $wanted, True)"
}
check scratch 8M 8388608
check file-size 8M 8388608
way=mapped check scratch 8M 8388608
way=hole check scratch 8M 8388608
way=temporary check scratch 8M 8388608
way=reserve check scratch 8M 8388608
way=seek check file-size 8M 8388608
check scratch-files 500 500 --artifacts 100000
way=temporary-names check scratch-files 500 500
way=temporary-links check scratch-files 20000 20000
# the same where the folder lies on disk and only the rest in memory
for TICKMARK_TEST_SCRATCH in disk copy; do
	export TICKMARK_TEST_SCRATCH
	way=temporary check scratch 8M 8388608
	way=temporary-names check scratch-files 500 500
done
unset TICKMARK_TEST_SCRATCH
check open-files 64 64
check processes 20 20
check artifacts 10 10
check artifact-depth 3 3
check stream-total 1M 1048576
check cpu 1s 1000
tm run --processes 20x hit.py processes; is "no number: status" "$rc" 3
tm doctor --limits; like "doctor names the options" "$out" '^scratch-files .*run --scratch-files, config scratch-files'
finish

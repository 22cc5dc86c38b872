#!/bin/bash
# one user
# sanitizer sample
# Random keys, resizes, pastes and mouse events while a flood arrives: nothing may go wrong. The seed is
# fixed; SEED=N tries another, KEYS=N more of them.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
cd "$work/ws" || exit 1
workspaces=$work/ws
export EDITOR=true ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
printf 'import time\nend = time.time() + 20\ni = 0\nwhile time.time() < end:\n    for _ in range(200):\n        i += 1\n        print("line", i, "x" * (i %% 97))\n    time.sleep(0.01)\n' > flood.py
"$TICKMARK" run --detach flood.py >/dev/null

"$python" - "${SEED:-1}" "${KEYS:-5000}" > "$work/random.keys" <<'X'
import random, sys
random.seed(int(sys.argv[1]))
keys = ("j k Down Up Space b PgDn PgUp Ctrl-D Ctrl-U g G Home End Enter Right Left l h Esc Esc Tab S-Tab 1 2 3 7 z ? "
        "f 5 4 u U p n N . , > < v y w F M # @ + - I Ctrl-L Ctrl-C s o x e d D W t 漢 : / J X Backspace").split()
last = ""
for _ in range(int(sys.argv[2])):
    r = random.random()
    if r < 0.90:
        k = random.choice(keys)
        # the screen's own editor and stop are confirmed now and then only
        if k == "Enter" and last in "xeso": k = "Esc"
        last = k
        print("key", k)
    elif r < 0.93:
        print("resize %dx%d" % (random.choice([1, 5, 20, 40, 72, 80, 100, 200]), random.choice([1, 3, 5, 10, 16, 24, 60])))
    elif r < 0.95:
        print("paste " + random.choice(["rRtd\\nQ", "x", "\\e[A\\r\\n", "漢" * 50]))
    elif r < 0.98:
        print("mouse %s %d %d" % (random.choice(["press", "release", "wheel-up", "wheel-down"]), random.randrange(120), random.randrange(40)))
    else:
        print("text " + random.choice([":1.1", ":2", ":50%", "/e", "/line 1", ":search x", ":theme mono", ":120", "/("]))
        print("key Enter")
print("resize 80x24")
X
"$TICKMARK" --script "$work/random.keys" --size 80x24 . > "$work/out" 2> "$work/err"; status=$?
is "status" "$status" 0
is "nothing on stderr" "$(head -c 2000 "$work/err")" ""
"$TICKMARK" stop --all >/dev/null 2>&1
finish

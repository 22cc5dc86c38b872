#!/bin/bash
# sanitizers alone
# Random keys, resizes, pastes and mouse events over a record of 4,000 attempts while a flood arrives: nothing
# may go wrong. The seed is fixed; SEED=N tries another, KEYS=N another number of them.
. "$(dirname "$0")/lib.sh"
sampled && : "${KEYS:=2000}" # the sanitizers are slow; all of them in make soak
fixture basic "$work/ws"
cd "$work/ws" || exit 1
workspaces=$work/ws
generate=$(dirname "$TICKMARK")/tests/bench/generate
if [ -x "$generate" ]; then "$generate" "$work/large.db" 4000 && mv "$work/large.db" .tickmark/record.db && rm -f .tickmark/record.db-*; fi
export EDITOR=true ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
printf 'import time\nend = time.time() + 20\ni = 0\nwhile time.time() < end:\n    for _ in range(200):\n        i += 1\n        print("line", i, "x" * (i %% 97))\n    time.sleep(0.01)\n' > flood.py
"$TICKMARK" run --detach flood.py >/dev/null

"$python" - "${SEED:-1}" "${KEYS:-5000}" > "$work/random.keys" <<'X'
import random, sys
random.seed(int(sys.argv[1]))
keys = ("j k Down Up Space b PgDn PgUp Ctrl-D Ctrl-U g G Home End Enter Right Left l h Esc Esc Tab S-Tab 1 2 3 7 z ? "
        "f 5 4 u U p n N . , > < v y w F M C # @ + - I Ctrl-L Ctrl-C s o x e d D W t 漢 : / J X Backspace").split()
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
        print("text " + random.choice([":1.1", ":2", ":50%", "/e", "/line 1", ":search x", ":theme mono", ":120", ":3900", "/(", "/line 5", "/x$"]))
        print("key Enter")
print("resize 80x24")
X
"$TICKMARK" --script "$work/random.keys" --size 80x24 . > "$work/out" 2> "$work/err"; status=$?
is "status" "$status" 0
is "nothing on stderr" "$(head -c 2000 "$work/err")" ""
# the same in a terminal, where what is drawn is sent: 30 handfuls of keys, with resizes between them
mapfile -t steps < <("$python" - "${SEED:-1}" <<'X'
import random, sys
random.seed(int(sys.argv[1]))
keys = (r"j k g G n N w v M # @ + - z ? p S 1 2 3 4 5 7 漢 b \r \r \t \x0c \x1b \x1b[A \x1b[B \x1b[C \x1b[D \x1b[5~ \x1b[6~ :2\r /e\r /line\r "
        r":theme\x20nord\r \x1b[<0;30;5M\x1b[<0;30;5m \x1b[<65;30;5M \x1b[200~rRtd\nQ\x03\x1b[201~ \x1b[99;99~ \x1b]52;c;x").split()
# a slow one that has not the terminal yet would be interrupted by the first Ctrl-C
for _ in range(6):
    print("--do", "expect:Workspace", sep="\n")
for _ in range(30):
    print("--do", "key:" + "".join(random.choice(keys) for _ in range(40)), sep="\n")
    print("--do", "size:%dx%d" % (random.choice([1, 5, 16, 24, 60]), random.choice([1, 20, 72, 80, 200])), sep="\n")
# all of them were taken when this was
for step in ["size:24x80"] + [r"key:\x1b"] * 20 + [r"key::quite-done\r"] + ["expect:quite-done"] * 6 + ["key:Q"]:
    print("--do", step, sep="\n")
X
)
like "the terminal is left sane" "$(pty --env EDITOR=true "${steps[@]}" -- "$TICKMARK" .)" \
	'"ended_by_itself": true, "exit": 0, .*"left_on": \[\], .*"tty_restored": true'
"$TICKMARK" stop --all >/dev/null 2>&1
finish

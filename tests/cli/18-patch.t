#!/bin/bash
# diff into a pipe: what patch(1) and git apply make the other side of, whatever ends its lines have.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
has_patch=$(command -v patch)

cat >pairs.py <<'X'
import os, random, subprocess, sys
wrong = []
for seed in range(40):
    r = random.Random(seed)
    ends = r.choice([[b"\n"], [b"\r\n"], [b"\n", b"\r\n"], [b"\n", b"\r\n", b"\r"], [b"\r"]])
    words = r.sample([b"", b"a", b"x y", b"\xff\xfe", b"-- a", b"++ b", b"@@ -1 +1 @@", b"\\ No newline at end of file", b"diff --git a b",
                      b"\x1b[31m", b"L" * 9000], r.randrange(1, 8))
    text = lambda k: b"".join(r.choice(words) + r.choice(ends) for _ in range(k))
    a = text(r.choice([0, 1, 2, 30]))
    lines = a.splitlines(True)
    for _ in range(r.randrange(1, 6)): lines.insert(r.randrange(len(lines) + 1), text(1))
    b = [b"".join(lines), a.replace(b"\r\n", b"\n"), a.replace(b"\n", b"\r\n"), a.rstrip(b"\r\n"), text(3), b"\xef\xbb\xbf" + a][seed % 6]
    if r.random() < .3: b = b.rstrip(b"\n")
    if r.random() < .5: a, b = b, a
    if a == b: continue
    open("x y.txt", "wb").write(a); open("b.txt", "wb").write(b)
    out = subprocess.run([sys.argv[1], "diff", "--files", "x y.txt", "b.txt"], capture_output=True).stdout
    def makes_it(command, patch):
        open("x y.txt", "wb").write(a)
        subprocess.run(command, input=patch, capture_output=True)
        return (open("x y.txt", "rb").read() if os.path.exists("x y.txt") else b"") == b
    if sys.argv[2] and not makes_it(["patch", "--binary", "-s", "x y.txt"], out): wrong.append((seed, "patch"))
    if not makes_it(["git", "apply", "-p0", "--whitespace=nowarn", "-"], out.replace(b"\n+++ b.txt\n", b"\n+++ x y.txt\t\n")): wrong.append((seed, "git"))
print(wrong)
X
is "40 pairs with ends of all kinds, by patch and by git apply" "$("$python" pairs.py "$TICKMARK" "$has_patch")" "[]"

# two attempts: texts, tables and JSON, files that came and went, names of every kind
workspace ws
cat >make.py <<'X'
import json, os, sys
b = sys.argv[1] == "b"
def put(name, text):
    with open(name, "w", newline="") as f: f.write(text)
put("t.csv", "id,v\r\n1,%d\r\n" % (3 if b else 2)); put("j.json", json.dumps({"v": b})); put("two words.txt", "x" + "\n" * b)
put('q"u\\o\tte.txt', "a\n" if b else "b\n"); put("\u00e9.txt", "%d\n" % b)
if b: put("new.txt", "n\r\nn"); put("new.csv", "a,b\n1,2\n")
else: put("old file.txt", "gone\n")
os.makedirs("d", exist_ok=True); put("d/deep.txt", "1\n2\n%s\n" % b)
open("bin", "wb").write(b"\0%d" % b)
X
run_ok "left" make.py a; run_ok "right" make.py b
mkdir left right
(cd left && "$python" ../make.py a) && (cd right && "$python" ../make.py b) || exit 1
tm diff 1 --patch; is "of two attempts: status" "$rc" 1; cp "$work/.out" "$work/p"
like "what is no text is told" "$out" '^=== file bin \(bytes\): '
rm -f left/bin right/bin; cp -r left other
if [ -n "$has_patch" ]; then (cd left && patch -s -p1 --binary <"$work/p"); is "patch -p1 makes the other's files" "$(diff -r left right 2>&1)" ""
else skip "patch -p1 makes the other's files" "no patch"; fi
(cd other && git apply --whitespace=nowarn --exclude=arguments "$work/p"); is "and so does git apply" "$(diff -r other right 2>&1)" ""
tm diff 1; like "without --patch tables are by cell" "$out" '^~id 1: v 2 -> 3$'; like "and added texts whole" "$out" '^\+n.?$'
unlike "added tables are named alone" "$out" '^\+1,2$'
# what export wrote of one becomes what it wrote of the other: code, streams, files, though an input has the name of a file
mkdir "$work/parts"; cd "$work/parts" || exit 1
"$TICKMARK" init --yes --python "$python" >/dev/null 2>&1
printf 'one\n' >in.txt
printf 'import sys\nt = open("in.txt").read()\nopen("in.txt", "a").write("more\\n")\nprint("out", t)\nprint("err", t, file=sys.stderr)\n' >part.py
"$TICKMARK" run part.py >/dev/null 2>&1; printf 'two\n' >in.txt; echo '# later' >>part.py; "$TICKMARK" run part.py >/dev/null 2>&1
tm export 1.1 --to left --whole; tm export 1.2 --to right --whole
tm diff 1 --patch; cp "$work/.out" "$work/p"
like "code has the name that export gives it" "$out" '^--- 1\.1/_code/part\.py$'
(cd left && git apply --whitespace=nowarn --exclude='_inputs/*' "$work/p"); is "git apply makes what was exported" "$(diff -r left right 2>&1)" ""
cd "$work/ws" || exit 1
for o in --word -b -y --stat --ignore-ends; do tm diff 1 --patch $o; is "--patch and $o exclude each other" "$rc" 3; done
pty -- "$TICKMARK" diff 1 --only t.csv --patch >"$work/.tty"; is "on a terminal a CR is seen, and none is sent" "$(grep -c $'\r' "$work/.tty") $(grep -cE '^.*[-+]1,[23].*(0D|\\r|␍|\^M)' "$work/.tty")" "0 2"
pty -- "$TICKMARK" diff 1 --only new.txt >"$work/.tty"; unlike "on a terminal added files are named alone" "$(cat "$work/.tty")" '@@'
finish

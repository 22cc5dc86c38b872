#!/bin/bash
# export: artifacts, streams and code, byte for byte, without overwriting anything.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >make.py <<'PY'
import os, sys
os.makedirs("deep/er")
open("a.bin", "wb").write(bytes(range(256)) * 1000)
open("deep/er/b.txt", "w").write("b\n")
open("empty", "w")
os.symlink("a.bin", "link")
os.mkfifo("pipe")
sys.stdout.buffer.write(b"before\0NEEDLE-AFTER-NUL\n" + b"\0" * 3 + b"tail\n\0")
sys.stderr.buffer.write(b"err\0NEEDLE-ERR\n")
PY
run_ok "a run" make.py
mkdir "$work/o" && cd "$work/o" || exit 1
"$python" -c 'open("want","wb").write(bytes(range(256)) * 1000)'
T="-C $work/ws"
x() { "$TICKMARK" -C "$work/ws" export "$@" </dev/null >"$work/.out" 2>"$work/.err"; rc=$?; out=$(tr -d '\000' <"$work/.out"); err=$(cat "$work/.err"); }
x 1.1 a.bin -o "$PWD/got"
is "to a file: status" "$rc" 0
is "to a file: says which" "$out" "$PWD/got"
same_bytes "to a file: bytes" got want
is "to a file: for the user alone" "$(stat -c %a got)" 600
x 1.1 a.bin -o "$PWD/got"; is "what is there is not overwritten: status" "$rc" 2
like "what is there is not overwritten: message" "$err" "$PWD/got"
echo other >got; x 1.1 a.bin -o "$PWD/got" --force; is "--force: status" "$rc" 0
same_bytes "--force: bytes" got want
ln -s target symlink; x 1.1 a.bin -o "$PWD/symlink" --force
no "nothing is written through a link" test -e target
x 1.1 a.bin -o -; same_bytes "to a pipe" "$work/.out" want
x 1.1 --stdout -o -; printf 'before\0NEEDLE-AFTER-NUL\n\0\0\0tail\n\0' >w; same_bytes "stdout, NULs and all" "$work/.out" w
is "33 bytes" "$(stat -c %s w)" 33
x 1.1 --stderr -o "$PWD/e"; printf 'err\0NEEDLE-ERR\n' >w; same_bytes "stderr to a file" e w
x 1.1 --code -o "$PWD/c.py"; same_bytes "code" c.py "$work/ws/make.py"
is "code: for the user alone" "$(stat -c %a c.py)" 600
x 1.1 --code -o "$PWD/c.py"; is "code: not overwritten" "$rc" 2
x 1.1 --code -o "$PWD/c.py" --force; is "code: --force" "$rc" 0
x 1.1 empty -o "$PWD/empty"; is "an empty file" "$rc $(stat -c %s empty)" "0 0"

# under its own name, into the current folder
cd "$work/ws" && mkdir sub && cd sub || exit 1
tm export 1.1 deep/er/b.txt; is "own name: status" "$rc" 0
is "own name" "$out $(cat b.txt)" "b.txt b"
tm export 1.1 --stdout; is "own name of a stream" "$out" "1.1.stdout.txt"
tm export 1.1 --code; is "own name of code" "$out" "1.1.py"
tm export 1.1 b.txt; is "a base name alone is not its path: status" "$rc" 2

# all of it
tm export 1.1 --to "$work/all"
is "--to: status" "$rc" 0
is "--to: files" "$(cd "$work/all" && find . -type f | sort | tr '\n' ' ')" "./a.bin ./deep/er/b.txt ./empty "
is "--to: says which" "$(wc -l <<<"$out")" 3
is "--to: folders for the user alone" "$(find "$work/all" -perm /077 | wc -l)" 0
tm export 1.1 --to "$work/all"; is "--to again: status" "$rc" 2
tm export 1.1 --to "$work/all" --force; is "--to again --force: status" "$rc" 0
tm export 1.1 --to "$work/whole" --whole --json
jis "--whole: streams and code too" 'len(d["files"])' 6
tm export 1.1 deep/er/b.txt --to "$work/one/two"; is "NAME --to: status" "$rc" 0
is "NAME --to" "$(cat "$work/one/two/b.txt")" b
# a hostile path stays below
cat >evil.py <<'PY'
import os
os.makedirs("a"); open("a/x", "w").write("x")
PY
run_ok "another run" evil.py
mkdir "$work/trap" && ln -s "$work/outside" "$work/trap/a"; mkdir "$work/outside"
tm export last --to "$work/trap"
no "a link in the target folder is not followed" test -e "$work/outside/x"

# what cannot be exported
tm export 1.1 nowhere; is "no such file: status" "$rc" 2
like "no such file: how to see what there is" "$err" 'no file nowhere; tickmark show 1\.1 --artifacts'
tm export 1.1 link; is "a link has no bytes: status" "$((rc == 2 || rc == 3))" 1
like "a link has no bytes: message" "$err" "link"
tm export 1.1 a.bin -o /no/such/folder/x; is "no such folder: status" "$rc" 2
like "no such folder: message" "$err" "/no/such/folder"
"$TICKMARK" export 1.1 a.bin -o - >/dev/full 2>"$work/err"; is "a full disk: status" "$?" 2
tm export 1.1 a.bin -o - --json; is "two for stdout" "$rc" 3
tm export 1.1 a.bin -o x --to y; is "two targets" "$rc" 3
tm_from <(echo 'print(1)') run -; tm export last --to "$work/none"; is "no files: status" "$rc" 0
like "no files: said" "$err" "left no files"

# the packages, for pip
tm export 1.1 --requirements -o -; is "requirements: status" "$rc" 0
like "requirements: the interpreter as a comment" "$(head -1 <<<"$out")" '^# packages of 1\.1: CPython 3\.[0-9.]+ on Linux'
is "requirements: nothing but names, versions and comments" "$(grep -vE '^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9._+!-]*$|^# ' <<<"$out")" ""
is "requirements: every package that can be asked for" "$(grep -c == <<<"$out")" \
	"$("$TICKMARK" show 1.1 --json | "$python" -c 'import json,sys; print(len(json.load(sys.stdin)["environment"]["packages"]))')"
tm export requirements 1.1 --to "$work/req"; is "export requirements" "$rc $out" "0 $work/req/1.1.requirements.txt"
tm export 1.1 a.bin --requirements; is "requirements and a file" "$rc" 3
finish

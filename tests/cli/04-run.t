#!/bin/bash
# sanitizer sample
# run: code from files and pipes, arguments, streams, variables, titles, steps.
. "$(dirname "$0")/lib.sh"
workspace ws

printf 'print(6*7)' >"$work/code"
tm_from "$work/code" run -
is "code from a pipe: status" "$rc" 0
is "code from a pipe: stdout is the script's alone" "$out" 42
like "code from a pipe: outcome line" "$err" '^1\.1 ok  [0-9.]+s  stdout 1 line$'
got=$(printf 'print(6*7)' | "$TICKMARK" run - 2>/dev/null)
is "printf | tickmark run -" "$got" 42

cat >args.py <<'PY'
# Shows its arguments
# purpose: to see what arrives
import os, sys
print(sys.argv[1:], os.getcwd(), __file__)
PY
tm run args.py --title x -- -n "two words" $'new\nline'
is "options end at FILE" "$out" "['--title', 'x', '--', '-n', 'two words', 'new\\nline'] $PWD $PWD/args.py"
tm run -- args.py a; is "-- before FILE" "$rc" 0
tm show last --json
jis "title from the first comment" 'd["title"]' "Shows its arguments"
jis "purpose from the comment" 'd["purpose"]' "to see what arrives"
jis "arguments are recorded" 'd["args"]' "['a']"
jis "running the file again is the next attempt of its step" 'd["ref"]' 3.2
jis "asked by a person" 'd["asker"]["kind"]' person
tm run --new args.py; like "--new makes a step" "$err" "^4\.1 ok"
tm run --step 3 args.py; like "--step names one" "$err" "^3\.3 ok"
tm_from "$work/code" run --step 1 -; like "--step for a pipe" "$err" "^1\.2 ok"
tm_from "$work/code" run --title 'A title' --purpose 'A purpose' -
tm show last --json
jis "--title" 'd["title"]' "A title"
jis "--purpose" 'd["purpose"]' "A purpose"
tm run --step 99 args.py; is "--step that is not there: status" "$((rc == 2 || rc == 3))" 1
like "--step that is not there: message" "$err" "99"
mkdir -p deep && cp args.py deep/ && cd deep || exit 1
tm run args.py; like "from a folder below: current folder and path" "$out" "$work/ws/deep $work/ws/deep/args.py"
cd ..
tm -C deep run args.py; like "-C" "$out" "$work/ws/deep $work/ws/deep/args.py"
cp args.py -- -weird.py; tm run -- -weird.py; is "a file whose name begins with a dash" "$rc" 0

# streams: bytes as they are, each where it belongs
cat >bytes.py <<'PY'
import sys
sys.stdout.buffer.write(bytes(range(256)) + b"tail")
sys.stderr.buffer.write(b"err\x00\xff\x1b[31m end")
PY
tm run bytes.py
"$python" -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) + b"tail")' >"$work/want"
same_bytes "stdout into a file: byte for byte" "$work/.out" "$work/want"
"$python" -c 'import sys; sys.stdout.buffer.write(b"err\x00\xff\x1b[31m end\n")' >"$work/want"
head -c "$(stat -c %s "$work/want")" "$work/.err" >"$work/got"
same_bytes "stderr into a file: byte for byte, then a line of its own for the outcome" "$work/got" "$work/want"
like "outcome line stands alone" "$(tail -n +2 "$work/.err")" '^[0-9]+\.1 ok '
"$TICKMARK" run bytes.py >"$work/both" 2>&1
like "both into one file: outcome line stands alone" "$(tr -d '\000' <"$work/both" | tail -1)" '^[0-9]+\.[0-9]+ ok '
tm_from <(echo 'import sys; print("to out"); print("to err", file=sys.stderr)') run -
is "stdout" "$out" "to out"
like "stderr" "$err" '^to err$'
like "outcome line counts both" "$err" 'stdout 1 line  stderr 1 line$'
if ! sampled; then
	tm_from <(printf 'for i in range(300000): print("line %%08d the quick brown fox" %% i)\nprint("LAST")') run -
	is "a flood arrives whole" "$(wc -l <"$work/.out") $(tail -1 "$work/.out")" "300001 LAST"
	is "nothing of it is out of order" "$(head -300000 "$work/.out" | cut -c6-13 | md5sum)" "$(seq -f %08.0f 0 299999 | md5sum)"
	like "and is counted" "$err" "stdout 300001 lines"
	cat >slow-reader.py <<'PY'
import sys
for i in range(200000): sys.stdout.write("%07d" % i + "x" * 92 + "\n")
PY
	"$TICKMARK" run slow-reader.py 2>/dev/null | { wait_for state_is last ok; cat; } >"$work/got"
	is "a reader that waits for the end gets all of it" "$(wc -c <"$work/got")" 20000000
	is "in order" "$(cut -c1-7 "$work/got" | md5sum)" "$(seq -f %07.0f 0 199999 | md5sum)"
fi

# variables
export TICK_PLAIN=no TICK_SECRET=s3cr3t-own
cat >env.py <<'PY'
import os
for k in sorted(os.environ): print(k, "=", os.environ[k])
PY
PROBE_API_KEY=s3cr3t-probe SSH_AUTH_SOCK=/tmp/x tm run --env A=1 --env 'B=two words=x' --secret-env C=s3cr3t-given --secret-env TICK_SECRET env.py
like "--env" "$out" '^A = 1$'
like "--env with a sign and a blank" "$out" '^B = two words=x$'
like "--secret-env with a value" "$out" '^C = s3cr3t-given$'
like "--secret-env from our own" "$out" '^TICK_SECRET = s3cr3t-own$'
unlike "nothing else comes in" "$out" 's3cr3t-probe|TICK_PLAIN|SSH_AUTH_SOCK'
tm show last --json
jis "variables are recorded, secrets by name" '[(v["name"], v["value"]) for v in d["variables"]]' "[('A', '1'), ('B', 'two words=x'), ('C', None), ('TICK_SECRET', None)]"
tm_from <(echo 'print(1)') run --secret-env C=s3cr3t-quiet -
no "a secret that is not printed is in no stored byte" grep -r -q s3cr3t-quiet .tickmark
no "nor is what was not passed" grep -r -q s3cr3t-probe .tickmark

if sampled; then finish; fi # from here on it is what the script meets that differs
# stdin is empty, there is no terminal
tm_from <(echo 'import sys; print(len(sys.stdin.read()))') run -
is "stdin of a run is empty" "$out" 0
tm_from <(echo 'input("ok? ")') run -; is "a prompt fails at once" "$rc" 1
like "a prompt fails with EOFError" "$err" "EOFError"
tm_from <(echo 'import getpass; getpass.getpass()') run -; is "a password prompt fails at once" "$rc" 1
tm_from <(printf '') run -; is "no code at all: status" "$((rc == 2 || rc == 3))" 1
like "no code at all: message" "$err" "no code came from stdin"
COLUMNS=200 tm_from <(echo 'import shutil; print(shutil.get_terminal_size().columns)') run -
is "a run sees 80 columns, whatever ours are" "$out" 80

# locale: bytes do not depend on the viewer's
echo x >é.csv
printf 'print("Zoë 漢字 😀", open("é.csv").read().strip())' >"$work/code"
tm_from "$work/code" run -; a=$out
LC_ALL=C tm_from "$work/code" run -; is "under LC_ALL=C: the same bytes" "$out" "$a"
LC_ALL='' LANG='' tm_from "$work/code" run -; is "without a locale: the same bytes" "$out" "$a"
LC_ALL=C tm show last --json; jis "under LC_ALL=C: inputs" 'd["inputs"][0]["path"]' "é.csv"

# --json: one document, the streams in it
tm_from <(echo 'import sys; print("o"); print("e", file=sys.stderr); open("f.txt", "w").write("abc")') run --json -
is "--json: status" "$rc" 0
yes "--json is JSON" "$python" -m json.tool "$work/.out" /dev/null
jis "--json: streams" 'd["stdout"]["text"], d["stderr"]["text"]' "('o\\n', 'e\\n')"
jis "--json: outcome" 'd["state"], d["exit_code"]' "('ok', 0)"
jis "--json: files" '[(a["path"], a["kind"], a["size"]) for a in d["artifacts"]]' "[('f.txt', 'created', 3)]"
like "--json: the outcome line is on stderr all the same" "$err" ' ok .*1 file'
like "the line that says how to save files" "$err" 'save them: tickmark export [0-9.]+ --to DIR'
a=$(cat "$work/.out"); tm show last --json
is "--json of run is --json of show" "$out" "$a"
tm_from <(echo 'import sys; sys.stdout.buffer.write(b"a\xffb")') run --json -
jis "--json: bytes that are no text" 'd["stdout"]["text"], d["stdout"]["text_base64"]' "('a�b', 'Yf9i')"

# interpreters
tm_from <(echo 'import sys; print(sys.executable)') run --python "$python" -
like "--python" "$out" "python3"
tm_from <(echo 'print(1)') run --python /no/such/python -
is "--python that is not there: status" "$((rc == 2 || rc == 3))" 1
like "--python that is not there: message" "$err" "/no/such/python"
tm run "$work/ws"; is "a folder is no script: status" "$((rc == 2 || rc == 3))" 1
# detached
tm run --detach args.py; ref=$out
like "--detach prints the reference" "$ref" '^[34]\.[0-9]+$'
tm wait "$ref"; is "wait for it: status" "$rc" 0
is "wait for it: line" "$out" "$ref ok"
tm run --detach --json args.py; jis "--detach --json" 'd["ref"][:2] in ("3.", "4.")' True
tm wait last
# code whose bytes come once
workspace pipes
tm run <(echo 'print("substituted")'); is "process substitution" "$rc $out" "0 substituted"
mkfifo fifo; (echo 'print("written later")' >fifo) & tm run fifo; wait; is "a FIFO waits for its writer" "$rc $out" "0 written later"
tm run <(true); is "an empty pipe is no script" "$rc" 3
tm_from <(printf 'import os\n\nx = 6 * 7\nprint(x)\n') run -
tm show last --json; jis "code without name or title goes by its first line" 'd["title"]' "x = 6 * 7"
tm_from <(printf '# Title: \n# Purpose: \n\nprint(1)\n') run -
tm show last --json; jis "what a draft begins with, left as it is, says nothing" '(d["title"], d["purpose"])' "('print(1)', None)"
finish

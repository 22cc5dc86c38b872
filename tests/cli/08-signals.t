#!/bin/bash
# both users in the long form
# Ctrl-C, hang-ups, readers that go away, killed fronts and runners; stop and wait.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >hang.py <<'PY'
import sys, time
print("begun", flush=True)
open("partial.csv", "w").write("a,b\n1,2\n")
time.sleep(3600)
PY
cat >gate.py <<'PY'
import sys, time
print("begun", flush=True)
for i in range(int(sys.argv[1])): time.sleep(0.01)
print("went on to its end", flush=True)
PY

# Ctrl-C stops the attempt, and says by whom
pty --when 'begun' '\x03' -- "$TICKMARK" run hang.py >"$work/tty"; rc=$?
is "Ctrl-C: status" "$rc" 1
like "Ctrl-C: outcome" "$(sed 's/\x1b\[[0-9]*m//g' "$work/tty")" '^1\.1 stopped  by person .* \(Ctrl-C\)'
tm show last --json
jis "Ctrl-C: document" 'd["state"], d["stopped_by"].endswith("(Ctrl-C)"), d["ended"]' "('stopped', True, True)"
jis "Ctrl-C: what was written is kept" 'd["stdout"]["text"], [a["path"] for a in d["artifacts"]]' "('begun\\n', ['partial.csv'])"

# the terminal is closed: the run goes on
pty --hangup 'begun' -- "$TICKMARK" run gate.py 50 >/dev/null; rc=$?
is "hang-up: the front is gone" "$((rc >= 128))" 1
tm wait last
is "hang-up: the run went on to its end" "$rc $out" "0 2.1 ok"
is "hang-up: every byte is there" "$("$TICKMARK" show last --stdout)" $'begun\nwent on to its end'

# the reader of stdout goes away
{ "$TICKMARK" run gate.py 30 2>"$work/err"; echo $? >"$work/rc"; } | head -1 >"$work/got"
is "EPIPE: the reader got its line" "$(cat "$work/got")" "begun"
is "EPIPE: status is that of the run" "$(cat "$work/rc")" 0
like "EPIPE: the outcome is said" "$(cat "$work/err")" '^2\.2 ok '
unlike "EPIPE: without complaint" "$(cat "$work/err")" 'stdout:|Broken pipe|cannot'
is "EPIPE: the record has it all" "$("$TICKMARK" show last --stdout)" $'begun\nwent on to its end'
{ "$TICKMARK" run exits-not-there.py 2>/dev/null; echo $? >"$work/rc"; } | :
is "EPIPE: an error is still one" "$(cat "$work/rc")" 2

# stdout is a full disk
"$TICKMARK" run gate.py 1 >/dev/full 2>"$work/err"; rc=$?
is "full disk: status" "$rc" 2
like "full disk: said" "$(cat "$work/err")" 'cannot write to stdout: No space left'
tm show last --json; jis "full disk: the run itself is ok" 'd["state"]' ok
"$TICKMARK" show last >/dev/full 2>"$work/err"; is "full disk: show" "$?" 2
"$TICKMARK" log --json >/dev/full 2>"$work/err"; is "full disk: log --json" "$?" 2
"$TICKMARK" show last --stdout >/dev/full 2>"$work/err"; is "full disk: show --stdout" "$?" 2

# kill -9 of the front: the run goes on
"$TICKMARK" run gate.py 300 >/dev/null 2>&1 & front=$!
begun last; kill -9 $front; wait $front 2>/dev/null
tm wait last
is "kill -9 of the front: the run went on" "$rc" 0
is "kill -9 of the front: every byte is there" "$("$TICKMARK" show last --stdout)" $'begun\nwent on to its end'

# kill -9 of the runner: interrupted, with what was written; nothing is left
tag=$$-$RANDOM
cat >mark.py <<'PY'
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time\ntime.sleep(3600) # tick-%s" % sys.argv[1]], start_new_session=True)
print("begun", flush=True)
time.sleep(3600)
PY
"$TICKMARK" run mark.py $tag >"$work/got" 2>"$work/err" & front=$!
begun last; runner=$(runner_of)
like "the runner is found" "$runner" '^[0-9]+$'
kill -9 "$runner"; wait $front; rc=$?
is "kill -9 of the runner: status" "$rc" 1
like "kill -9 of the runner: outcome" "$(cat "$work/err")" '^3\.1 interrupted '
like "kill -9 of the runner: why" "$(cat "$work/err")" '^  .*runner vanished'
tm show last --json
jis "kill -9 of the runner: state and streams" 'd["state"], d["stdout"]["text"]' "('interrupted', 'begun\\n')"
none_left() { ! pgrep -f "tick-$tag" >/dev/null; }
yes "kill -9 of the runner: nothing is left" wait_for none_left
# both at once: whoever opens the workspace next marks it
"$TICKMARK" run hang.py >/dev/null 2>&1 & front=$!
begun last; runner=$(runner_of); kill -9 $front "$runner"; wait $front 2>/dev/null
wait_for state_is last interrupted
tm log -n 1; like "kill -9 of both: interrupted" "$out" '^1\.[0-9]+ +interrupted'

# stop and wait, from elsewhere
ref=$("$TICKMARK" run --detach hang.py); wait_for stdout_has last begun
tm wait --timeout 100ms "$ref"
is "wait, still running: status" "$rc" 4
like "wait, still running: line" "$out" "^$ref running"
tm log -n 1; like "log shows it" "$out" "^$ref +running"
tm show "$ref"; is "show, while it runs: status" "$rc" 0
like "show, while it runs: streams so far" "$out" '^  begun'
tm show "$ref" --json; jis "show --json, while it runs" 'd["state"], d["ended"], d["ended_at"]' "('running', False, None)"
tm export "$ref" --stdout -o "$work/sofar" --json; jis "export --json, while it runs: what was written" 'd["files"][0]["size"] == __import__("os").path.getsize("'"$work"'/sofar") > 0' True
tm wait --timeout 50ms --json "$ref"; jis "wait --json" '(d["ref"], d["state"], d["ended"])' "('$ref', 'running', False)"
tm stop "$ref"
is "stop: status" "$rc" 0
like "stop: line" "$out" "^$ref stopped  by tickmark stop by "
tm wait "$ref"; is "wait for what was stopped: status" "$rc" 1
tm stop "$ref"; is "stop what has ended: status" "$rc" 2
like "stop what has ended: message" "$err" "has ended already: stopped"
a=$("$TICKMARK" run --detach hang.py); b=$("$TICKMARK" run --detach --new hang.py)
wait_for stdout_has "$a" begun; wait_for stdout_has "$b" begun
tm stop --all --json; jis "stop --all --json" 'd["stopped"]' 2
tm wait "$a"; like "stop --all: the first" "$out" "stopped"
tm wait "$b"; like "stop --all: the second" "$out" "stopped"
tm stop --all; is "stop --all, nothing there: status" "$rc $out" "0 0 stopped"
tm stop 99; is "stop of nothing: status" "$rc" 2
tm wait 99; is "wait for nothing: status" "$rc" 2

# Ctrl-C while the reader of stdout stands still
printf 'import time\nprint("x" * 1000000, "begun", flush=True)\ntime.sleep(3600)\n' >much.py
mkfifo "$work/still"; exec 7<>"$work/still"
"$TICKMARK" run much.py >"$work/still" 2>"$work/err" & front=$!
begun last
kill -INT $front; wait_for state_is last stopped || kill -9 $front
tm show last --json; jis "Ctrl-C before a reader that stands still" 'd["state"], d["stopped_by"].endswith("(Ctrl-C)")' "('stopped', True)"
yes "… the front waits for the reader" kill -0 $front
kill -INT $front; wait $front
is "… a second one ends that: status" "$?" 1
like "… and the outcome" "$(head -1 "$work/err")" '^[0-9.]+ stopped  by person .* \(Ctrl-C\)'
exec 7>&-

# several at once: none is lost
before=$("$TICKMARK" log --json | "$python" -c 'import json,sys; print(len(json.load(sys.stdin)["attempts"]))')
printf 'print("x")' >"$work/code"
for _ in 1 2 3 4 5 6 7 8; do "$TICKMARK" run --new - <"$work/code" >/dev/null 2>>"$work/many" & done; wait
tm log --json; jis "eight at once: eight more" "len(d['attempts']) - $before" 8
is "eight at once: all ok" "$(grep -c ' ok ' "$work/many")" 8
finish

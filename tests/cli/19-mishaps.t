#!/bin/bash
# What goes wrong around a run, on our side: no thread, no /dev/null, a plan that fails, a stop while files
# are being kept. Nothing runs on, the reason is told, what was kept stays kept.
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || { echo "1..0 # SKIP no C compiler"; exit 0; }
cc -shared -fPIC -o "$work/trip.so" "$here/trip.c" || { echo "Bail out! trip.c"; exit 1; }
export ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
workspace ws
tag=$$-$RANDOM
cat >hang.py <<'PY'
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600) # tick-" + sys.argv[1]], start_new_session=True)
time.sleep(3600)
PY
tripped() { # TRIP ARG...: as tm, with that mishap
	local trip=$1; shift
	TRIP=$trip LD_PRELOAD=$work/trip.so "$TICKMARK" "$@" </dev/null >"$work/.out" 2>"$work/.err"; rc=$?
	out=$(cat "$work/.out"); err=$(cat "$work/.err")
}
none_left() { ! pgrep -f "$tag" >/dev/null && [ -z "$(runner_of)" ]; }

# what can be the matter before anything runs
for t in A A-noproc B; do
	TICKMARK_TEST_TIER=$t tripped thread run hang.py "$tag"
	if grep -q 'no sandbox can be had here' <<<"$err"; then skip "$t: no thread" "not to be had here"; continue; fi
	is "$t: no thread: status" "$rc" 1
	like "$t: no thread: told" "$err" 'cannot make the thread that captures: Resource temporarily unavailable'
	yes "$t: no thread: nothing is left" wait_for none_left
	tm show last --json; jis "$t: no thread: on the record" '(d["state"], "thread that captures" in d["detail"])' "('fault', True)"
done
before=$("$TICKMARK" log --json | "$python" -c 'import json,sys; print(len(json.load(sys.stdin)["attempts"]))')
tripped null run hang.py "$tag"
is "no /dev/null: status" "$rc" 2
like "no /dev/null: told" "$err" '/dev/null.*No such file'
yes "no /dev/null: nothing is left" wait_for none_left
TICKMARK_TEST_TIER=A tripped null-inside run hang.py "$tag"
is "no /dev/null inside: status" "$rc" 2
like "no /dev/null inside: told" "$err" 'opening /dev/null: No such file'
yes "no /dev/null inside: nothing is left" wait_for none_left
tm run --python /nonexistent/python3 hang.py "$tag"
is "a plan that fails: status" "$rc" 2
like "a plan that fails: told" "$err" '/nonexistent/python3'
yes "a plan that fails: nothing is left" wait_for none_left
tm log --json; jis "of what never began nothing is on the record" "len(d['attempts']) - $before" 0

# stopped while its files are being kept: the runner itself is held at the second of three, or in the middle of one
cat >leave.py <<'PY'
for name in "abc": open(name + ".bin", "w").write(name * 100000)
print("done")
PY
cat >large.py <<'PY'
open("a.bin", "w").write("a" * 100000)
with open("large.bin", "wb") as f:
    for i in range(16): f.write(b"%d" % (i % 10) * (1 << 20))
    f.truncate(1 << 30)
print("done")
PY
"$python" -c 'open("'"$work"'/a.bin", "w").write("a" * 100000)'
held() { [ "$(sed 's/.*) //; s/ .*//' "/proc/$(runner_of)/stat" 2>/dev/null)" = T ]; }
stop_held() { # TRIP SCRIPT: runs it, and stops it when it is held
	ref=$(TRIP=$1 LD_PRELOAD=$work/trip.so "$TICKMARK" run --new --detach "$2")
	yes "$2: a run whose files are being kept" wait_for held
	runner=$(runner_of)
	"$TICKMARK" stop "$ref" >"$work/stop" 2>&1 & stopping=$!
	yes "$2: is told to stop" wait_for signalled
	kill -CONT "$runner"; wait $stopping
	is "$2: which works" "$?" 0
	tm wait "$ref"; is "$2: its status" "$rc" 1
	tm show "$ref" --json
	jis "$2: it says by whom" '(d["state"], d["stopped_by"].startswith("tickmark stop"))' "('stopped', True)"
	jis "$2: what was printed is there" 'd["stdout"]["text"].split()' "['done']"
	jis "$2: what was kept stays" '[(a["path"], a["size"]) for a in d["artifacts"]]' "[('a.bin', 100000)]"
}
signalled() { [ $((0x$(sed -n 's/^ShdPnd:\t//p' "/proc/$runner/status") & 0x4000)) != 0 ]; }
stop_held at:b.bin leave.py
jis "and that files are missing" '"stopped while its files were being kept: 2 are not here, first b.bin" in d["detail"]' True
tm export "$ref" a.bin -o "$work/got.bin"; same_bytes "and is whole" "$work/got.bin" "$work/a.bin"
stop_held part:4 large.py
jis "in the middle of a file: it is named" '"stopped while its files were being kept: 1 is not here, first large.bin" in d["detail"]' True
cut_is_gone() { [ "$(sqlite3 .tickmark/record.db 'SELECT count(*) FROM blob_upload')" = 0 ]; }
yes "in the middle of a file: what came in of it goes" wait_for cut_is_gone
tm verify; is "the record is in order" "$rc" 0
finish

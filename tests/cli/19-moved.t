#!/bin/bash
# The record is moved, replaced or removed while a run writes to it: that is told, with status 2, and all that
# it held is had again.
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || { echo "1..0 # SKIP no C compiler"; exit 0; }
cc -shared -fPIC -o "$work/trip.so" "$here/trip.c" || { echo "Bail out! trip.c"; exit 1; }
export ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} XDG_STATE_HOME=$work/state
held() { [ "$(sed 's/.*) //; s/ .*//' "/proc/$runner/stat" 2>/dev/null)" = T ]; }
workspace ws
echo 'print(1)' >one.py; "$TICKMARK" run one.py >/dev/null 2>&1
echo 'open("made.txt", "w").write("made"); print("printed")' >two.py
n=0
during() { # NAME COMMAND: a run, and the command before its file is kept
	n=$((n + 1))
	cp -a "$work/ws" "$work/ws$n" && cd "$work/ws$n" || exit 1
	rm -rf "$work/state"
	TRIP=at:made.txt LD_PRELOAD=$work/trip.so "$TICKMARK" run two.py >"$work/.out" 2>"$work/.err" & front=$!
	runner=
	found() { runner=$(runner_of); [ -n "$runner" ] && held; }
	yes "$1: a run" wait_for found
	eval "$2"
	kill -CONT "$runner"; wait "$front"; rc=$?
	err=$(cat "$work/.err")
}
whole() { # NAME FILE: both attempts are in it, with what the second printed and made
	tm verify "$2"; is "$1: it is in order" "$rc" 0
	is "$1: both attempts are there" "$(sqlite3 "$2" 'SELECT group_concat(ref || outcome) FROM attempts')" "1.1ok,2.1ok"
	tm -C "$2" show 2.1 --stdout; is "$1: what it printed" "$out" "printed"
	tm -C "$2" export 2.1 made.txt -o -; is "$1: what it made" "$out" "made"
}
saved() { sed -n "s/.*is saved: tickmark '\(.*\)' opens it.*/\1/p" <<<"$err"; }

for how in 'rm -rf .tickmark' 'cp .tickmark/record.db x; mv x .tickmark/record.db' \
	'rm -rf .tickmark; "$TICKMARK" init --yes >/dev/null 2>&1'; do
	during "$how" "$how"
	is "$how: status" "$rc" 2
	like "$how: told" "$err" 'the record was removed or replaced while 2.1 ran; all that it held, 2.1 too, is saved'
	file=$(saved)
	like "$how: in the folder" "$file" "^$PWD/record-recovered-[0-9]{8}-[0-9]{6}\\.db$"
	whole "$how" "$file"
done
rm -rf .tickmark; mkdir .tickmark && mv "$file" .tickmark/record.db
tm log --json; jis "taken over: it is the workspace's again" 'len(d["attempts"])' 2
during "the folder too" 'cd "$work" && rm -rf "ws$n"'
is "the folder too: status" "$rc" 2
like "the folder too: saved with the user's state" "$(saved)" "^$work/state/tickmark/record-recovered-"
whole "the folder too" "$(saved)"
during "no place at all" 'cd "$work" && rm -rf "ws$n"; : >"$work/state"'
like "no place at all: told" "$err" 'all that it held is lost, 2.1 too, as it could not be saved: .*state'
is "no place at all: status" "$rc" 2
rm -f "$work/state"
during "moved" 'mv .tickmark/record.db "$work/moved.db"'
is "moved: status" "$rc" 2
like "moved: where to" "$err" "the record was moved while 2.1 ran, which is in it; to have it back: mv '$work/moved.db' '$PWD/.tickmark/record.db'"
whole "moved" "$work/moved.db"
during "moved with its workspace" 'cd "$work" && mv "ws$n" elsewhere && cd elsewhere'
is "moved with its workspace: status" "$rc" 0
tm log --json; jis "moved with its workspace: it is there" '[a["state"] for a in d["attempts"]]' "['ok', 'ok']"
finish

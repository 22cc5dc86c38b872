#!/bin/bash
# Eight at once on one record: runs, marks, notes, messages and a reader. No error reaches anybody, nothing is
# lost, and what a reader sees only grows.
. "$(dirname "$0")/lib.sh"
rounds=6; [ -z "${SOAK:-}" ] || rounds=150
workspace ws
echo 'import sys; print(sys.argv[1] * 2000); open("out.txt", "w").write(sys.argv[1])' >step.py
run_ok "one to speak of" step.py 0
# loop NAME COMMAND...: so many times; what failed goes to a file
loop() {
	local name=$1 i; shift
	for ((i = 0; i < rounds; i++)); do
		"$TICKMARK" "$@" </dev/null >/dev/null 2>"$work/$name.err" || { echo "$*: $(cat "$work/$name.err")" >>"$work/failed"; }
	done
}
# newest first, in order, without a gap, and never less than before
reader() {
	local before=0 n
	until [ -e "$work/over" ]; do
		"$TICKMARK" log --json >"$work/list" 2>>"$work/failed" || echo "log failed" >>"$work/failed"
		n=$("$python" -c 'import json,sys
refs = [a["ref"] for a in json.load(open(sys.argv[1]))["attempts"]]
steps = {}
for r in refs: steps.setdefault(r.split(".")[0], []).append(int(r.split(".")[1]))
print(len(refs) if all(v == list(range(len(v), 0, -1)) for v in steps.values()) else -1)' "$work/list")
		[ "$n" -ge "$before" ] || echo "the list went from $before to $n" >>"$work/failed"
		before=$n
	done
}
: >"$work/failed"
reader & watching=$!
for k in 1 2 3; do loop "run$k" run step.py "$k" & writers="${writers:-} $!"; done
loop mark1 mark 1.1 accepted --as-command & writers="$writers $!"
loop mark2 mark record questioned --as-command & writers="$writers $!"
loop note note 1.1 --line 1 "seen" & writers="$writers $!"
loop say say "see [1.1]" & writers="$writers $!"
# shellcheck disable=SC2086
wait $writers
touch "$work/over"; wait $watching
is "no error reached anybody" "$(sort "$work/failed" | uniq -c)" ""
count() { sqlite3 .tickmark/record.db "SELECT count(*) FROM $1"; }
is "nothing is lost" "$(count attempt) $(count mark) $(count note) $(count message)" "$((1 + 3 * rounds)) $((2 * rounds)) $rounds $rounds"
is "each run is whole" "$(sqlite3 .tickmark/record.db "SELECT count(*) FROM attempt_end WHERE outcome = 'ok' AND out_bytes = 2001")" "$((1 + 3 * rounds))"
tm verify; is "and it verifies" "$rc" 0
echo "# eight at once: $((3 * rounds)) runs, $((2 * rounds)) marks, $rounds notes, $rounds messages, 0 lost"
finish

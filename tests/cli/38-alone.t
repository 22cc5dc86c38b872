#!/bin/bash
# record.db by itself, as people copy it: whole after every ended attempt, after every command that wrote, and
# after the screen was left. Copies at any other moment open, verify, and lack the newest at most.
. "$(dirname "$0")/lib.sh"
workspace ws
echo 'import sys, time; print("a line " * 3000, flush=True); time.sleep(float(sys.argv[1]))' >step.py
# alone TABLE: copies the file by itself; how many rows the copy has
alone() {
	echo >>"$work/copies"
	rm -rf "$work/alone"; mkdir "$work/alone"; cp .tickmark/record.db "$work/alone/record.db"
	sqlite3 "file:$work/alone/record.db?immutable=1" "SELECT count(*) FROM $1"
}
whole() { "$TICKMARK" verify "$work/alone/record.db" >"$work/verified" 2>&1; }
for i in 1 2 3; do
	tm run step.py 0
	is "after attempt $i" "$(alone attempt_end)" "$i"; yes "after attempt $i: whole" whole
done
tm repeat 1.1; is "after a repeat" "$(alone attempt_end)" 4
tm mark 1.1 accepted --as-command; is "after a mark" "$(alone mark)" 1
tm say "see [1.1]"; is "after a message" "$(alone message)" 1
printf 'wait-idle\nkey 2 g t\ntext from the screen\nkey Enter\nwait-idle\n' | "$TICKMARK" --script - --dump none >"$work/screen" 2>&1
is "after the screen was left" "$(alone mark)" 2; yes "after the screen: whole" whole
# while two run, at many moments: nothing that had ended before is missing
ref=$("$TICKMARK" run --detach step.py 3600); other=$("$TICKMARK" run --detach step.py 3600)
wait_for stdout_has "$ref" "a line" && wait_for stdout_has "$other" "a line"
lacking=0 broken=0
for ((i = 0; i < 12; i++)); do
	[ "$(alone attempt_end)" = 4 ] || lacking=$((lacking + 1))
	whole || broken=$((broken + 1))
done
is "meanwhile: no ended attempt is missing" "$lacking" 0
is "meanwhile: every copy verifies" "$broken" 0
tm stop --all; tm wait "$ref"; tm wait "$other"
wait_for test -z "$(find .tickmark/run -type f)"
tm log # whoever comes last brings the rest into the file
is "when both have ended" "$(alone attempt_end)" 6; yes "when both have ended: whole" whole
echo "# $(wc -l <"$work/copies") copies of the file alone, an ended attempt missing in 0"
finish

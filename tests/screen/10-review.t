#!/bin/bash
# A day of reviewing: a newcomer by the help alone; sixty attempts by dossier at four keys each.
. "$(dirname "$0")/lib.sh"

# she has never seen the program: ? tells the keys; a sample, its unreviewed failure, why, the correction, a report
fixture review "$work/ws"
cd "$work/ws" || exit 1
newcomer() { "$TICKMARK" --script "$work/newcomer.keys" --size 100x30 "$@" 2>&1; }
cat > "$work/newcomer.keys" <<'X'
wait-idle
key ?
text /review queue
key Enter
see :queue 25 7
text /everything about an attempt
key Enter
text /mark: Tab chooses
key Enter
text /write what was reviewed
key Enter
see :report review.html
key Esc q
text :queue 5 7
key Enter
wait-idle
see sample of 5, seed 7
see error: KeyError
key Enter
see Cut the schedule
see KeyError: 'nope'
text /KeyError
key Enter
key Enter
see line 6 of the code
key t Tab Tab
text column does not exist
key Enter
wait-idle
key q
wait-idle
unsee KeyError: 'nope'
key q
text :2.1
key Enter p
see corrected  2.2
see KeyError: 'TIV'
key >
see corrects   2.1
key d
wait-idle
see print(d["TIV"])
see print(d["limit"])
key q
key t
text limit, not TIV: agreed to the terms
key Enter
wait-idle
see ✓ accepted
text :mark record questioned subject to 4.1
key Enter
wait-idle
see record questioned by
text :report review.html
key Enter
wait the report is in review.html
X
out=$(newcomer); is "she gets through" $? 0
[ "$count" = 1 ] && unlike "nothing of the script failed" "$out" 'is not on the screen'
tm show 2.2 --json; jis "the correction is accepted, with its note" '[(m["judgement"], m["note"], m["reviewer"], m["how"]) for m in d["marks"]]' \
	"[('accepted', 'limit, not TIV: agreed to the terms', 'R. Eviewer', 'screen')]"
tm show 4 --json; jis "the failure is rejected" '[m["judgement"] for m in d["marks"]]' "['rejected']"
like "the report says so" "$(cat review.html)" 'accepted.*limit, not TIV'
like "with her opinion on the whole" "$(cat review.html)" '<dt>opinion</dt><dd>questioned by R. Eviewer, .*, not signed: subject to 4\.1'
is "as the same sample again" "$("$TICKMARK" queue --sample 5 --seed 7 2>&1 | grep -c '^[0-9].*Cut the')" 0
like "which knows what was done" "$("$TICKMARK" queue --sample 5 --seed 7 2>&1)" '^5 of 5 steps drawn by seed 7: 2 reviewed, 3 to review$'

# the same on evidence: a record that was sent, and what she said brought home
fixture review "$work/own"; cd "$work/own" || exit 1
mkdir "$work/hers"
tm pack "$work/hers/sent.db"; is "a record is sent" "$rc" 0
cd "$work/hers" || exit 1
cp sent.db before.db
# opened in place: her first mark asks for the review file, and then is filed where she stood
sed '/^key t Tab Tab$/{
	i key t
	i see begin a review file: sent.review.db
	i key Enter
	i wait rejected\|accepted (Tab) note
	s/key t /key /
}' "$work/newcomer.keys" | sed 's/^wait rejected.*/wait (Tab) note/' >"$work/there.keys"
is "there is a first mark" "$(grep -c 'begin a review file' "$work/there.keys")" 1
out=$("$TICKMARK" --script "$work/there.keys" --size 100x30 sent.db 2>&1); is "she gets through there, too" $? 0
[ "$count" -gt 0 ] && unlike "nothing of it failed" "$out" 'is not on the screen'
yes "what was sent is as it was" cmp sent.db before.db
like "her report says so" "$(cat review.html)" 'accepted.*limit, not TIV'
cd "$work/own" || exit 1
tm show 2.2 --json; jis "of which the owner knows nothing yet" 'd["marks"]' "[]"
tm merge "$work/hers/sent.review.db"; like "until it is merged" "$out" '^merged: 3 marks'
tm show 2.2 --json; jis "as she filed it" '[(m["judgement"], m["note"], m["reviewer"]) for m in d["marks"]]' \
	"[('accepted', 'limit, not TIV: agreed to the terms', 'R. Eviewer')]"
tm verify; is "and the owner's record is whole" "$rc" 0

# sixty attempts of all kinds: read by dossier to the end, marked, on to the next
mkdir "$work/sixty"; cd "$work/sixty" || exit 1
printf 'city,tiv\nBern,10\nBonn,20\n' >schedule.csv
begin_record >/dev/null 2>&1
kinds=(
	'for i in range(900): print("row", i, "of many")'
	'rows = open("schedule.csv").read().splitlines(); open("out.csv", "w").write("\n".join(r for r in rows if "Bonn" in r)); print(len(rows))'
	'import sys; sys.stderr.write("warning: odd\n" * 30); print("p\u0430y")'
	'raise ValueError("no")'
	"$(printf 'x%d = %d\n' {1..80} {1..80})"
)
for i in $(seq 60); do
	printf '# Step %d\n%s\nif %d: raise KeyError("TIV")\nprint("end of %d")\n' "$i" "${kinds[i % 5]}" "$((i % 7 == 0))" "$i" | "$TICKMARK" run - >/dev/null 2>&1
done
"$TICKMARK" queue --json | "$python" -c 'import json,sys; print(*(q["ref"] for q in json.load(sys.stdin)["queue"]), sep="\n")' >"$work/sixty.refs"
is "sixty to review" "$(sort -u "$work/sixty.refs" | wc -l)" 60
{
	printf 'wait-idle\nkey 5\nwait-idle\nsee 60 to review\nkey p\nwait-idle\n'
	# paging is free: to the end and on, where Space stays; t, Tab for every tenth, Enter, u
	n=0
	while read -r ref; do
		n=$((n + 1))
		printf 'see  %s \nkey Space Space Space Space Space Space Space Space Space Space Space Space Space Space Space Space\nsee folder  \n' "$ref"
		printf 'key t%s Enter\nwait-idle\nsee accepted\nkey u\nwait-idle\n' "$([ $((n % 10)) = 0 ] && echo ' Tab')" |
			{ [ $((n % 10)) = 0 ] && sed 's/see accepted/see questioned/' || cat; }
	done <"$work/sixty.refs"
} >"$work/sixty.keys"
most=$(awk '/^see  / {n = 0} /^key/ {for (i = 2; i <= NF; i++) n += $i != "Space"; if (seen && n > m) m = n} /^see  / {seen = 1} END {print m}' "$work/sixty.keys")
is "four keys at most" "$most" 4
out=$("$TICKMARK" --script "$work/sixty.keys" --size 80x24 2>&1); is "the script plays" "$? $(grep -m1 '^tickmark:' <<<"$out")" "0 "
like "and nothing is left" "$out" 'nothing is left to review'
tm queue --json; jis "all sixty are marked" 'd["reviewed"], len(d["queue"])' "(60, 0)"
"$TICKMARK" report --csv >"$work/r.csv"
is "six of them questioned" "$("$python" -c 'import csv,sys; print(sum(r["mark"] == "questioned" for r in csv.DictReader(open(sys.argv[1]))))' "$work/r.csv")" 6
tm verify; is "the record is whole" "$rc" 0

# another process holds the record: keys live while a mark waits, Ctrl-C ends the waiting, and once the record is free
# (a report is written) the mark is made
"$python" - "$work/held" locked.md <<'X' &
import os, sqlite3, sys, time
db = sqlite3.connect(".tickmark/record.db", isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]):
    time.sleep(0.02)
X
until test -e "$work/held"; do sleep 0.02; done
printf '%s\n' 'key 2 t Tab Enter' 'wait waiting for the record, which is locked by another process' 'key g ?' 'see help' 'key q Ctrl-C' \
	'wait waiting for it was cancelled' 'text mnever mind' 'key Enter' 'wait the message: waiting for the record' 'key g ?' 'see help' \
	'key q Ctrl-C' 'wait not recorded: another process has the record locked' 'text mso be it' 'key Enter' 'wait the message: waiting' \
	'key t Tab Tab Enter' 'wait waiting for the record' 'text :report locked.md' 'key Enter' \
	'wait ✗ ' 'key 4' 'wait so be it' 'unsee never mind' >"$work/locked.keys"
out=$("$TICKMARK" --script "$work/locked.keys" --size 120x24 2>&1); is "locked: the script plays" $? 0
: >locked.md; wait
is "locked: what was cancelled is not there, what waited is" "$("$python" -c 'import sqlite3; print(*sqlite3.connect(".tickmark/record.db").execute(
	"SELECT count(*), sum(judgement = ?) FROM mark", ["rejected"]).fetchone())')" "61 1"
finish

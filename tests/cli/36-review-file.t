#!/bin/bash
# A record from elsewhere: never written; what is said of it goes to a review file, and home from there, once.
. "$(dirname "$0")/lib.sh"
workspace ws
echo x >in.csv
printf 'print(open("in.csv").read()); open("made.csv", "w").write("y\\n" * 9)' >one.py
run_ok "one" one.py
echo 'print(2)' >two.py; run_ok "two" two.py
tm pack "$work/mail.db"
mkdir "$work/elsewhere"; mv "$work/mail.db" "$work/elsewhere/"; chmod 400 "$work/elsewhere/mail.db"
cd "$work/elsewhere" || exit 1
sum=$(sha256sum <mail.db)

# evidence
tm -C mail.db log; is "evidence: log" "$rc" 0
like "evidence: what it lists" "$out" '^2\.1 +ok'
tm -C mail.db show 1 --stdout; is "evidence: show" "$out" "x"
tm -C mail.db search -F 'open("in.csv")'; is "evidence: search" "$rc" 0
tm -C mail.db diff 1 2; is "evidence: diff" "$rc" 1
tm -C mail.db wait 1; is "evidence: wait" "$rc" 0; like "evidence: wait, its line" "$out" '^1\.1 ok'
tm -C mail.db wait 1 --json; jis "evidence: wait, document" 'd["ended"]' True
tm -C mail.db queue; is "evidence: queue" "$rc" 0
tm -C mail.db export 1 made.csv -o -; is "evidence: export" "$(wc -l <"$work/.out")" 9
tm -C mail.db report; is "evidence: report" "$rc" 0
for what in "mark 1 accepted --as-command" "note 1 x" "say x" "repeat 1"; do
	# shellcheck disable=SC2086
	tm -C mail.db $what; is "evidence: $what" "$rc" 2
	like "evidence: $what: what to do" "$err" 'is evidence, which is never written; tickmark review mail.db begins'
done
for what in "run one.py" "rerun 1" "attach" "prune --streams 1" "merge mail.db" "config"; do
	# shellcheck disable=SC2086
	tm -C mail.db $what; is "evidence: $what" "$rc" 2
done
is "evidence: nothing was written" "$(echo *) $(sha256sum <mail.db)" "mail.db $sum"

# the review
head=$(cd / && "$TICKMARK" verify --head "$work/elsewhere/mail.db")
tm review mail.db hers.db; is "a name by which no review is known" "$rc" 3
like "said" "$err" 'hers\.db must end in \.review\.db'; is "and nothing made" "$(echo *)" "mail.db"
tm review mail.db nowhere/its.review.db; is "a folder that is not there" "$rc" 2
is "said of the name that was given" "$err" \
	"tickmark review: cannot make nowhere/its.review.db: No such file or directory; name a review file in another folder"
# a name and a WAL beside it make no review
cp mail.db fake.review.db; chmod 600 fake.review.db; printf '%064d' 0 >fake.review.db-wal
tm -C fake.review.db mark 1 accepted --as-command; is "a record with the name of a review is evidence" "$rc" 2
is "and stays as it was" "$(sha256sum <fake.review.db) $(echo fake*)" "$sum fake.review.db fake.review.db-wal"; rm fake*
for i in 1 2 3 4; do "$TICKMARK" review mail.db >/dev/null 2>&1 & done; wait
is "of four at once one begins it" "$(echo *)" "mail.db mail.review.db"; rm mail.review.db
tm review mail.db; is "review: status" "$rc" 0
like "review: head of the original" "$out" "^2 attempts, head $head$"
like "review: the way home" "$out" 'tickmark merge mail\.review\.db$'
tm review mail.db; is "review: never over one" "$rc" 2
tm -C mail.db mark 1 accepted --as-command -n "agreed"; is "a mark" "$rc" 0
tm -C mail.db note 1 --line 1 "reads too little"; is "a note" "$rc" 0
tm -C mail.review.db repeat 1; is "a repeat, by the review's own name" "$rc" 0
tm -C mail.db say "see [1.1r1]"; is "a message" "$rc" 0
tm -C mail.db show 1; like "and there it stands" "$out" '^  accepted '
tm -C mail.db run one.py; is "no run in a review" "$rc" 2
tm -C mail.db report; is "a report" "$rc" 0
tm -C mail.db verify; is "it verifies" "$rc" 0
like "with what was said" "$out" '^1 check, '
is "the original is as it was" "$(sha256sum <mail.db)" "$sum"
is "private" "$(stat -c %a mail.review.db*)" "$(printf '600\n600\n600')"
find "$HOME/.cache/tickmark" -perm /077 ! -type l >"$work/open"; is "and so is its folder" "$(cat "$work/open")" ""
rm -rf "$HOME/.cache"; tm -C mail.db show 1; like "its folder can be made again" "$out" '^  accepted '

# by mail, the file alone
mkdir "$work/mailed"; cp mail.review.db "$work/mailed/"
cp -r "$work/ws" "$work/crowd"; cd "$work/crowd" || exit 1
for i in 1 2 3 4 5 6; do "$TICKMARK" merge "$work/mailed/mail.review.db" >/dev/null 2>&1 & done; wait
tm log --checks; is "six merges at once bring one repeat" "$(grep -c '^1\.1r' <<<"$out")" 1
cd "$work/ws" || exit 1
tm merge "$work/mailed/mail.review.db"; is "merge: status" "$rc" 0
is "merge: what came" "$out" "merged: 1 mark, 1 note, 1 message, 1 repeat; 0 here already"
tm show 1; like "merge: the mark" "$out" '^  accepted '
tm show 1.1r1 --json; jis "merge: the repeat, whole" '(d["verdict"], d["stdout"]["text"], [f["path"] for f in d["artifacts"]])' "('same', 'x\n\n', ['made.csv'])"
tm export 1.1r1 made.csv -o -; is "merge: its files" "$(wc -l <"$work/.out")" 9
tm verify; is "merge: verifies" "$rc" 0
tm verify --head; head=$out
tm merge "$work/mailed/mail.review.db"
is "twice: nothing new" "$out" "merged: 0 marks, 0 notes, 0 messages, 0 repeats; 4 here already"
tm verify --head; is "twice: nothing was written" "$out" "$head"
tm repeat 1.1; like "the next repeat has the next number" "$out" '^1\.1r2 '

# a review of another state of the file is left alone; a folder of links leads nowhere
rm -f "$work/elsewhere/mail.db"; tm pack "$work/elsewhere/mail.db"
tm -C "$work/elsewhere/mail.db" log; is "another state: status" "$rc" 2
like "another state: said" "$err" 'is no review of .* as it is now; it is left alone'
workspace other; tm merge "$work/mailed/mail.review.db"; is "merge into another record" "$rc" 3
mkdir -p "$work/trap/.tickmark"; ln -s "$work/ws/.tickmark/record.db" "$work/trap/.tickmark/record.db"
cd "$work/trap" || exit 1; tm log; is "a planted link is no record" "$rc" 2
finish

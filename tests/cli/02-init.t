#!/bin/bash
# both users in the long form
# init: what it shows, asks, makes and refuses.
. "$(dirname "$0")/lib.sh"
mkdir "$work/ws" && cd "$work/ws" || exit 1
echo a,b >a.csv; mkdir sub; echo x >sub/x.txt; echo h >.hidden; mkdir node_modules; echo j >node_modules/j.js
echo 'lock' >'~$book.xlsx'; ln -s /etc/passwd out; mkfifo pipe

tm init --python "$python"
is "init without a terminal does not ask: status" "$rc" 0
like "count and size" "$out" "ws: 2 files attached, "
like "left out: hidden" "$out" "left out: 1 hidden"
like "left out: node_modules" "$out" "left out: 1 .*node_modules"
like "left out: lock files" "$out" "left out: 1 .*lock"
like "says where the record is" "$out" "^record: $work/ws/.tickmark/record.db"
like "lists interpreters, the chosen one marked" "$out" "^ *\* +$python +3\."
like "says which packages they have" "$out" "$python .*(no )?pandas.*openpyxl.*matplotlib"
yes "the record is there" test -f .tickmark/record.db
is "it keeps itself out of git" "$(cat .tickmark/.gitignore)" "*"
is "modes" "$(stat -c %a .tickmark .tickmark/record.db | tr '\n' ' ')" "700 600 "
is "the interpreter is the workspace's" "$("$TICKMARK" config python)" "$python"

tm init
is "again: status" "$rc" 2
like "again: message" "$err" "^tickmark init: .*"
yes "the record is still there" test -f .tickmark/record.db

mkdir "$work/j" && tm init --json "$work/j"
is "--json: status" "$rc" 0
jis "--json: root" 'd["root"]' "$work/j"
jis "--json: attached" 'd["attached"]' "{'files': 0, 'bytes': 0}"
jis "--json: one interpreter is chosen" 'sum(i["chosen"] for i in d["interpreters"])' 1
jis "--json: packages" 'sorted(d["interpreters"][0]["packages"])' "['matplotlib', 'openpyxl', 'pandas']"

# refused
tm init /
is "/ is refused: status" "$rc" 3
like "/ is refused: message" "$err" "^tickmark init: "
tm init "$HOME"; is "a home directory is refused" "$rc" 3
tm init /tmp; is "/tmp is refused" "$rc" 3
tm init "$work/nowhere"; is "a folder that is not there: status" "$rc" 2
like "a folder that is not there: message" "$err" "nowhere: No such file"
tm init "$work/ws/a.csv"; is "a file: status" "$((rc == 2 || rc == 3))" 1
mkdir "$work/ws2" && tm init --python /no/such/python "$work/ws2"
is "an interpreter that is not there: status" "$((rc == 2 || rc == 3))" 1
like "an interpreter that is not there: message" "$err" "/no/such/python"

# on a terminal it asks
mkdir "$work/ask" && cd "$work/ask" || exit 1
seen=$(pty --when 'Make a record in .*\? \[Y/n\] ' 'n\n' -- "$TICKMARK" init); rc=$?
is "asked, no: status" "$rc" 2
like "asked, no: says so" "$seen" "nothing was made"
no "asked, no: nothing is there" test -e .tickmark
pty --when 'Make a record in .*\? \[Y/n\] ' '\n' -- "$TICKMARK" init >/dev/null; rc=$?
is "asked, Enter: status" "$rc" 0
yes "asked, Enter: it is there" test -f .tickmark/record.db
mkdir "$work/yes" && cd "$work/yes" || exit 1
seen=$(pty -- "$TICKMARK" init --yes); rc=$?
is "--yes: status" "$rc" 0
unlike "--yes does not ask" "$seen" "Make a record"

# found upward, and by -C
mkdir -p "$work/ws/sub/deep" && cd "$work/ws/sub/deep" && tm log
is "found from a folder below" "$rc" 0
cd / && tm -C "$work/ws" log
is "found by -C" "$rc" 0
tm -C "$work" -C ws log
is "-C twice" "$rc" 0
# of several that make a record at once one does, and the others take nothing of it away
for round in 1 2 3; do
	rm -rf "$work/race"; mkdir "$work/race"
	for i in 1 2 3 4 5 6; do "$TICKMARK" -C "$work/race" init --yes >/dev/null 2>&1 & done; wait
	yes "a record after a race ($round)" "$TICKMARK" -C "$work/race" verify
done
finish

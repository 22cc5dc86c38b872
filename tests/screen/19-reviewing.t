#!/bin/bash
# What stops a reviewer who goes through a record by hand: a filter that Esc does not take back, a note that is not on
# its line, an opinion that nobody sees, commands where there is no record.
. "$(dirname "$0")/lib.sh"
play() { # TEST SIZE FOLDER < SCRIPT: every line of it holds
	out=$("$TICKMARK" --script - --size "$2" "$3" 2>&1 >/dev/null); is "$1" "$? $out" "0 "
}

# Esc: first the highlight, then the filter
fixture diff "$work/ws"
play "Esc shows all again" 80x24 "$work/ws" <<'X'
wait-idle
text f
text outcome:error
key Enter
wait-idle
see Esc shows all.
see outcome:error
key Esc
wait-idle
see all steps
see 1   Count the stock
unsee outcome:error
text fnoise
key Enter
wait-idle
unsee 1   Count the stock
text /Noise
key Enter
key Esc
see noise*
unsee 1   Count the stock
key Esc
see 1   Count the stock
key Esc
see 2 steps
X

# c in a difference: on the line, the cell; what was removed on the left one; both layouts
notes() { tm -C "$work/ws" show "$1" --json; jis "$2" '[(n["section"], n["path"], n["line"], n["cell"], n["text"]) for n in d["notes"]]' "$3"; }
for size in 80x24 200x60; do
	play "notes in a difference at $size" $size "$work/ws" <<X
wait-idle
text :1.2
key Enter
key d
wait-idle
$([ $size = 80x24 ] || echo key Tab)
text /:8d
key Enter
key c
see note on 1.2 code line 5
text new width at $size
key Enter
wait-idle
see noted on 1.2 code line 5
key g
text /qty 20 ->
key Enter
key n
key c
see note on 1.2 file stock_out.csv cell D3
text why at $size
key Enter
wait-idle
see noted on 1.2 file stock_out.csv cell D3
text /first.qty: "40"
key Enter
key c
see note on 1.2 file stock.json at $.first.qty
text of it at $size
key Enter
wait-idle
see noted on 1.2 file stock.json at $.first.qty
X
	like "lines with notes are seen at $size" "$(printf 'wait-idle\ntext :1.2\nkey Enter d\nwait-idle\n%s\ntext /:8d\nkey Enter\ndump\nkey G\ndump\n' \
		"$([ $size = 80x24 ] || echo key Tab)" | "$TICKMARK" --script - --size $size "$work/ws" | tr '\n' ' ')" \
		'c +5 \+    print.*c +\+\$\.first\.qty: "40" .*c  *[0-9]+ +[0-9]+ ~id 2: qty 20 -> 21'
done
play "in a table, in JSON; a file of the folder has no notes" 80x24 "$work/ws" <<'X'
wait-idle
key 1
text /stock.csv
key Enter Enter
see copy cell
unsee c note
key c
see choose an attempt first
key q 3
text /stock_out.csv
key Enter Enter
see c note
key q g
text /stock.json
key Enter Enter
text /qty
key Enter c
see file stock.json at $.first.qty
X
# rows have the numbers that cells are named by; the first one is data where nothing names the columns
play "the first row of a table takes notes" 100x12 "$work/ws" <<'X'
wait-idle
key 3
text /stock_out.csv
key Enter Enter
see 1 id
see >   2
key H
see row 1 is data
see >   2
key k c
see note on 1.2 file stock_out.csv cell A1
key Esc
text :4
key Enter
key c
see cell A4
key Esc ^
see sorted, smallest first
key =
see A: 5 cells, 0 empty, 5 different, 4 numbers from 1 to 5
key H
see row 1 names the columns
see id ↑
X
play "a line that was removed" 80x24 "$work/ws" <<'X'
wait-idle
text :1.2
key Enter
key d
wait-idle
text /:6d
key Enter
key c
see note on 1.1 code line 5
text old width
key Enter
wait-idle
key t
see 1.2 ✓ accepted
X
notes 1.1 "the removed line is the left one's" "[('code', None, 5, None, 'old width')]"
notes 1.2 "lines and cells are the right one's" "[('code', None, 5, None, 'new width at 80x24'), ('file', 'stock_out.csv', None, 'D3', 'why at 80x24'), ('file', 'stock.json', None, '\$.first.qty', 'of it at 80x24'), ('code', None, 5, None, 'new width at 200x60'), ('file', 'stock_out.csv', None, 'D3', 'why at 200x60'), ('file', 'stock.json', None, '\$.first.qty', 'of it at 200x60')]"
"$TICKMARK" -C "$work/ws" pack "$work/mail.db" >/dev/null
play "on evidence the first note begins the review, and stays on its line; nothing is stopped there" 100x30 "$work/mail.db" <<'X'
wait-idle
see t mark
unsee x stop
text :1.2
key Enter
key d
wait-idle
text /:6d
key Enter
key c
see begin a review file
key Enter
wait-idle
wait note on 1.1 code line 5
text so it was
key Enter
wait-idle
key q
text :1.2
key Enter
key p
wait-idle
text /stock.csv  read
key Enter
wait-idle
unsee no longer there
unsee changed since
X
# the folder of a review is not the one that the attempts ran in: a file of the same name there says nothing
echo other >"$work/stock.csv"
unlike "a review knows of no files that changed" "$("$TICKMARK" -C "$work/mail.review.db" queue 2>&1; "$TICKMARK" -C "$work/mail.review.db" show 1.2)" 'changed since|missing now'
like "and has its queue" "$("$TICKMARK" -C "$work/mail.review.db" queue 2>&1)" '^1.2 .*no purpose given$'
tm -C "$work/mail.review.db" diff 1.2 --now; is "nor is there a folder of now" "$rc" 2
rm "$work/stock.csv"

# the way to all other keys is on the last line of every view, however many keys go before it
play "help is never left out" 80x24 "$work/ws" <<'X'
wait-idle
text :1.2
key Enter
see ? help
key d
wait-idle
see ? help
key q p
wait-idle
see ? help
key q 5
wait-idle
see ? help
key q 4
see ? help
key q
text Stotal
key Enter
wait-idle
see ? help
key q
resize 40x10
key p
see ? help
key q d
wait-idle
see ? help
X

# the opinion: in the first line, at the end of dossier and queue, where it is given again; stale after another attempt
play "an opinion" 80x24 "$work/ws" <<'X'
wait-idle
unsee record
text :mark record
key Enter
see record ✓ accepted (Tab) note
key Tab
text subject to 1.2
key Enter
wait-idle
see record ? questioned
text :mark record
key Enter
see record ✓ accepted (Tab; last: ? questioned) note
key Esc
key 5
wait-idle
see record ? questioned
key p
wait-idle
text /the record as a whole
key Enter
wait-idle
see ? questioned by
see subject to 1.2
X
echo 'print(2)' | "$TICKMARK" -C "$work/ws" run - >/dev/null 2>&1
play "is stale when more was run" 120x24 "$work/ws" <<'X'
wait-idle
see record ? questioned (stale)
text :mark record withdrawn
key Enter
wait-idle
unsee ? questioned
text :mark record accepted now
key Enter
wait-idle
see record ✓ accepted
unsee (stale)
text :2.1
key Enter
wait-idle
key p
wait-idle
text /the record as a whole
key Enter
wait-idle
key G
see ? questioned by
see superseded
see now
key q
wait-idle
text :mark accepted fine
key Enter
wait-idle
text :1.2
key Enter
text :mark accepted fine
key Enter
text :3.1
key Enter
text :mark accepted fine
key Enter
wait-idle
key 5
wait-idle
see Nothing is left to review.
see ✓ accepted by
X
echo 'print(3)' | "$TICKMARK" -C "$work/ws" run - >/dev/null 2>&1
like "the report says that it is stale" "$("$TICKMARK" -C "$work/ws" report --md)" 'accepted by .*, stale: there are newer attempts: now'

# behind bytes that were not kept nobody knows the number of a line: it is marked, and a note says what was counted
"$python" - "$work/ws/.tickmark/record.db" <<'X'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
last = db.execute("SELECT max(id), max(position) FROM stream_chunk WHERE id >> 32 = 1").fetchone()
for i, (gap, text) in enumerate([(777, b""), (0, b"behind\n")]):
    db.execute("INSERT INTO stream_chunk (id, stream, grp, offset_us, position, gap, bytes) VALUES (?, 1, 9, 9, ?, ?, ?)", (last[0] + 1 + i, last[1] + 1000 + 777 * i, gap, text))
db.commit()
X
play "lines behind a gap" 90x24 "$work/ws" <<'X'
wait-idle
text :1.1
key Enter
key p
wait-idle
text /^stdout
key Enter
key Enter
wait-idle
see line 1 of 7 kept
text #
see    5 total
see   ~6 [777 bytes of stdout not kept]
see   ~7 behind
text /behind
key Enter
key c
see note on 1.1 stdout line 7 of what was kept
X

# every command where there is no record, none that fits, or a record from elsewhere
fixture none "$work/none"
for at in none mail.db; do
	{
		echo wait-idle
		# those that leave, run or write files aside
		sed -n 's/^| .*`:\([a-z-]*\)` |.*/\1/p' "$here/../../README.md" | sort -u | grep -v -x -e quit -e suspend -e open -e back -e outside -e save -e report |
			while read -r name; do printf 'text :%s\nkey Enter\nkey Esc Esc\ntext :%s record\nkey Enter\nkey Esc Esc\n' "$name" "$name"; done
		printf 'key 2\nwait-idle\n'
	} >"$work/all.keys"
	yes "$at: they are many" test "$(wc -l <"$work/all.keys")" -gt 300
	out=$("$TICKMARK" --script "$work/all.keys" --size 80x24 "$work/$at" 2>&1 >/dev/null); is "$at: every command is answered" "$? $out" "0 "
done
finish

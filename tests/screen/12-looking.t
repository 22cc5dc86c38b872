#!/bin/bash
# Reading what is there: JSON that folds, only the lines that match, messages that were found, cells as in the
# file (O26), files of one name (O28), expressions of every kind (O37); settings and the legend of notes.
. "$(dirname "$0")/lib.sh"
play() { out=$("$TICKMARK" --script - --size "$1" 2>&1 >/dev/null); rc=$?; }

fixture files "$work/ws"
cd "$work/ws" || exit 1

# ---- O26: every cell of the table as Python's csv reads it
"$python" - "$shared/cases/o26_identifiers.csv" >"$work/cells.keys" <<'X'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
print("wait-idle\nkey 3 G Enter\nwait-idle")
for row in rows:
    for cell in row:
        for part in cell.split("\n"):
            if part.strip():
                print("see", part.strip())
X
"$TICKMARK" --script "$work/cells.keys" --size 200x40 2>"$work/.out" >/dev/null; is "O26: cells as in the file" "$? $(cat "$work/.out")" "0 "

# ---- JSON
play 90x14 <<'X'
wait-idle
key 3 g j j Enter
see 7 values
see b: "x"
key -
unsee b: "x"
see a: [3]
text /x
key Enter
see $.a[2].b
see b: "x"
key Left
see $.a[2]
key Left
see ▸ {1}
key Enter
see b: "x"
key + g j j Enter
see $.a[0]
key q
see 7 values
see Tab text, hex
key Tab
see shown as text
key Tab
see shown as hex
key Tab
see 7 values
X
is "JSON folds by keys, and search unfolds" "$rc $out" "0 "

# ---- only the lines that match
printf '# Print lines\nfor i in range(3000): print(i, "every" if i %% 1000 else "thousand")\n' > lines.py
"$TICKMARK" run lines.py >/dev/null 2>&1
"$TICKMARK" say 'the thousandth line of [2.1] is the one' >/dev/null 2>&1
play 90x14 <<'X'
wait-idle
text :2.1
key Enter Right Enter
text :search-record thousand
key Enter
wait-idle
see 2000 thousand
key G Enter
see Messages
see the thousandth line of [2.1] is the one
key Enter
see Print lines
X
is "what is found in a message is opened there" "$rc $out" "0 "
play 90x14 <<'X'
wait-idle
text S2000 th
key Enter
wait-idle
key Enter
see 2000 thousand
text :filter-lines thousand
key Enter
wait-idle
see 3 lines
see 1001  1000 thousand
unsee 999 every
key G Enter
see 2000 thousand
see 2001 every
text f(
key Enter
see missing closing parenthesis
X
is "f lists the lines that match, Enter goes to one" "$rc $out" "0 "

# ---- O28: one path from the folder and from two steps
echo folder > report.csv
printf '# First report\nopen("report.csv", "w").write("first")\n' > one.py
printf '# Second report\nopen("report.csv", "w").write("second")\n' > two.py
printf '# Read it\nprint(open("report.csv").read())\n' > three.py
for s in one two three; do tm run $s.py; done
is "O28: the latest step's is read" "$out" second
like "O28: and that is said" "$err" 'report.csv: from 4.1, not the folder'
is "O28: the earlier one stays" "$("$TICKMARK" export 3.1 report.csv -o -)" first

# ---- O37: every expression ends, wrong ones show where
for p in '(' '[' '\' '(?<=a+)b' ''; do
	tm search "$p"; is "O37: '$p' is refused" "$rc" 3
	[ -z "$p" ] || like "O37: with its place" "$err" 'at character [0-9]+ of the pattern'
done
tm search "$(head -c 10000 /dev/zero | tr '\0' a)"; is "O37: 10 kB of text" "$rc" 1

# ---- O16: what is copied is the recorded text, with its size; too much goes into a file; the mouse is seen to be off
printf '# Much\nprint("\\n".join(["\\tx" * 50] * 2000))\n' > much.py
"$TICKMARK" run much.py >/dev/null 2>&1
play 100x14 <<'X'
wait-idle
text S2000 th
key Enter
wait-idle
key Enter
key v y
see bytes sent to the terminal
key q q
text :6.1
key Enter p
wait-idle
text /stdout
key Enter Enter
wait-idle
key y
see too many for the clipboard; 'tickmark export' writes them into a file
key q q M
see mouse off
X
is "O16: copying out" "$rc $out" "0 "

# ---- the legend: at the note, in the report, from the settings
tm config legend.T "traced to the ledger"; is "an abbreviation is a setting" "$rc" 0
tm config legend.TOOLONGANABBREVIATION x; is "of some letters" "$rc" 3
play 140x14 <<'X'
wait-idle
text :2.1
key Enter
text c
see F footed
see T traced to the ledger
text line 3: T
key Tab
see line 3: traced to the ledger
key Enter
see noted on 2.1
X
is "the note line tells the abbreviations, Tab writes them out" "$rc $out" "0 "
tm show 2.1 --json; jis "as words in the record" '[n["text"] for n in d["notes"]]' "['line 3: traced to the ledger']"
tm report 2.1 --md; like "the report has the legend" "$out" 'legend: F footed .* T traced to the ledger'

# ---- settings: live, kept, wrong ones named, with their line in the file
play 90x14 <<'X'
wait-idle
text :set timeout 30m
key Enter
see timeout = 30m (workspace)
text :set timeout?
key Enter
see timeout = 30m (workspace)
text :set timeout soon
key Enter
see not set: setting timeout
text :set nosuch 1
key Enter
see there is no setting 'nosuch'
text :set theme nosuch
key Enter
see not set
text :set key.wrap X
key Enter
see key.wrap = X (user)
text :set ti
key Tab
see :set tier
X
is ":set" "$rc $out" "0 "
is "is kept for the workspace" "$("$TICKMARK" config timeout)" 30m
is "and for the user" "$(cat "$XDG_CONFIG_HOME/tickmark/config")" "key.wrap = X"
printf 'theme = nosuch\nmouse = maybe\nkey.nosuch = x\nkey.wrap = Y\n' > "$XDG_CONFIG_HOME/tickmark/config"
play 140x14 <<'X'
wait-idle
key 7
see tickmark/config:1: 
see tickmark/config:2: mouse: expected on or off
see tickmark/config:3: key.nosuch
X
is "wrong lines are told with their number, the rest counts" "$rc $out" "0 "
finish

#!/bin/bash
# / and f in every list: where one lands, what unfolds, what is left, and what it says when there is nothing.
. "$(dirname "$0")/lib.sh"
fixture review "$work/ws"
cd "$work/ws" || exit 1
printf '# Costly\nfor i in range(3): print("a" * 40 + "!")\n' > costly.py
"$TICKMARK" run costly.py >/dev/null 2>&1
"$TICKMARK" say 'The total of [1.1] holds.'; "$TICKMARK" say 'Second words.'
play() { "$TICKMARK" --script - --size 100x30 . <<<"$1" 2>&1; }

like "folded code is found, and unfolded" "$(play $'wait-idle\nkey 2 g\ntext /nope\nkey Enter\nwait-idle')" '> +6 +return x\["nope"\]'
like "n goes on, in another section" "$(play $'wait-idle\nkey 2 g\ntext /nope\nkey Enter n\nwait-idle')" '> +return x\["nope"\]'
like "N goes back, and around" "$(play $'wait-idle\nkey 2 g\ntext /total\nkey Enter N\nwait-idle')" 'search went on from the end'
like "a file that was read is found in its list" "$(play $'wait-idle\nkey 2 G\ntext /schedule.csv  read\nkey Enter\nwait-idle\ntext /^schedule.csv$\nkey Enter\nwait-idle')" '> +schedule\.csv +read'
like "the word of a section, where it stands" "$(play $'wait-idle\ntext :1\nkey Enter Enter\ntext /^policy\nkey Enter\nwait-idle')" '> +▸ policy'
like "but not of all that are folded away" "$(play $'wait-idle\nkey 2 g\ntext /^policy$\nkey Enter\nwait-idle')" "'\^policy\\$' is not in any of these steps"
like "nothing is said to be missing that could not be decided" "$(play $'wait-idle\nkey 2 g\ntext /^(a+)+$\nkey Enter\nwait-idle')" 'too costly for 3 rows: undecided'
like "an expression that is none" "$(play $'wait-idle\ntext /(\nkey Enter')" 'missing closing parenthesis'
like "it is kept, and asked for again" "$(play $'wait-idle\ntext S(\nkey Enter\ntext x\nkey Enter\nsee (x\ntext )\nkey Enter\nwait-idle\nsee Search of the record: (x)\nkey q\ntext /[\nkey Enter Esc\nunsee [')" 'missing terminating'

like "Esc clears it, then n says so" "$(play $'wait-idle\ntext /nope\nkey Enter\nwait-idle\nkey Esc n')" 'nothing to search for'
like "only steps that are shown" "$(play $'wait-idle\ntext :filter outcome:ok\nkey Enter\ntext /nope\nkey Enter\nwait-idle')" "'nope' is not in any"
like "workspace" "$(play $'wait-idle\nkey 1 g\ntext /limits\nkey Enter\nwait-idle')" '│>limits\.py'
like "artifacts" "$(play $'wait-idle\nkey 3 g\ntext /tiv_by\nkey Enter\nwait-idle')" '│> *tiv_by_city\.csv'
like "queue" "$(play $'wait-idle\nkey 5\nwait-idle\ntext /refused\nkey Enter\nwait-idle')" '^> 5\.1 '
like "what S found" "$(play $'wait-idle\ntext :search-record nope|TIV\nkey Enter\nwait-idle\ntext /Roll up\nkey Enter\nwait-idle')" '^> 1\.1 +Roll up'
like "messages" "$(play $'wait-idle\nkey 4 G\ntext /total\nkey Enter\nwait-idle')" '^> +The total of'
like "dossier" "$(play $'wait-idle\ntext :4\nkey Enter p\ntext /interpreter\nkey Enter\nwait-idle')" '^> +interpreter'
like "of a wrapped line the row that holds it" "$(play $'wait-idle\ntext :6\nkey Enter p\nresize 40x20\ntext /!\nkey Enter\nwait-idle')" '^> +\+ "!"\)'

# f: only what matches, counted; Esc shows all, where the cursor is
filtered=$(play $'wait-idle\ntext :4\nkey Enter p\ntext fnope|tiv\nkey Enter\nwait-idle')
like "the dossier: counted" "$filtered" '^ 4\.1 .* [0-9]+ of [0-9]+ match nope\|tiv'
like "with the headings of what matches" "$filtered" '^ *>?code '
unlike "and no others" "$filtered" 'resources|asked by'
unlike "nor lines that do not" "$filtered" 'import csv'
like "all rows of a wrapped line" "$(play $'wait-idle\ntext :4\nkey Enter p\nresize 40x30\ntext fDictReader\nkey Enter\nwait-idle')" ' rows = '
like "what is left out is not said to lack it" "$(play $'wait-idle\ntext :4\nkey Enter p\ntext fno such words\nkey Enter\nwait-idle')" 'Enter shows all|Nothing here matches'
like "Esc shows all" "$(play $'wait-idle\ntext :4\nkey Enter p\ntext fnope\nkey Enter Esc\nwait-idle\nsee import csv\ntext fnope\nkey Enter\nwait-idle')" 'match nope'
unlike "another attempt is shown in whole" "$(play $'wait-idle\ntext :2.1\nkey Enter p\ntext fTIV\nkey Enter\nwait-idle\nsee match TIV\nkey >\nwait-idle')" 'match'
like "Enter goes to the line that a traceback names, and shows it" "$(play $'wait-idle\ntext :4\nkey Enter p\ntext fFile|KeyError\nkey Enter\ntext /KeyError\nkey Enter Enter\nwait-idle\nsee import csv')" 'line [0-9]+ of the code'
like "the queue" "$(play $'wait-idle\nkey 5\nwait-idle\ntext frefused\nkey Enter\nwait-idle\nsee 5.1\nunsee 4.1')" '1 of [0-9]+ match refused'
like "the queue: a column by itself" "$(play $'wait-idle\nkey 5\nwait-idle\ntext f^Fetch the rates$\nkey Enter\nwait-idle\nsee 5.1')" '1 of [0-9]+ match'
like "u goes along what is left" "$(play $'wait-idle\nkey 5\nwait-idle\ntext frefused|hidden\nkey Enter\nwait-idle\nkey g Enter u\nwait-idle\nkey q')" 'match refused\|hidden'
like "what S found" "$(play $'wait-idle\ntext :search-record e\nkey Enter\nwait-idle\ntext fnope\nkey Enter\nwait-idle')" 'match nope'
like "with the attempt that it is of" "$(play $'wait-idle\ntext :search-record e\nkey Enter\nwait-idle\ntext fnope\nkey Enter\nwait-idle')" '^> +4\.1 +Cut the schedule'
like "workspace" "$(play $'wait-idle\nkey 1\ntext flimits\nkey Enter\nwait-idle')" '1 Workspace 1/[0-9]+.*'
like "artifacts" "$(play $'wait-idle\nkey 3\ntext fnone of them\nkey Enter\nwait-idle')" '3 Artifacts 0/1'
like "an expression that is none leaves all" "$(play $'wait-idle\nkey 3\ntext f(\nkey Enter\nwait-idle\nsee tiv_by_city')" 'missing closing parenthesis'
like "nothing is left out unsaid that could not be decided" "$(play $'wait-idle\ntext :6\nkey Enter p\ntext f^(a+)+$\nkey Enter\nwait-idle')" 'undecided'
cat > tree.py <<'X'
# A tree
import json
json.dump({"limits": [{"name": f"layer {i}", "tiv": i} for i in range(300)]}, open("tree.json", "w"))
X
"$TICKMARK" run tree.py >/dev/null 2>&1
like "JSON: folded values, too" "$(play $'wait-idle\nkey 3 g j Enter\nwait-idle\ntext flayer 29[0-9]\nkey Enter\nwait-idle\nsee layer 299')" '10 of [0-9]+ match'
like "Esc unfolds where the cursor is" "$(play $'wait-idle\nkey 3 g j Enter\nwait-idle\ntext flayer 29[0-9]\nkey Enter\nwait-idle\nkey G Esc\nwait-idle\nsee layer 299')" '^> .*layer 299'
# an attempt ends while its list is filtered: nothing that is gone is drawn
like "a filter goes on over what comes" "$(play $'wait-idle\nkey 3\ntext ftree\nkey Enter\nwait-idle\nkey r\nwait-idle\nkey 2 R Enter\nwait-idle\nkey 3\nwait-idle')" '3 Artifacts [12]/'
# the difference, too: matching lines with the head of their part
shown=$(play $'wait-idle\ntext :2.2\nkey Enter d\nwait-idle\ntext fTIV\nkey Enter\nwait-idle')
like "a difference: counted" "$shown" '^ \[[0-9]+ of [0-9]+ match TIV\] 2\.1 -> 2\.2'
like "with the head of its part" "$shown" '^[> ]*code +1 line'
unlike "no other lines" "$shown" 'Check layer limits'
like "Tab keeps it" "$(play $'wait-idle\ntext :2.2\nkey Enter d\nwait-idle\ntext fTIV\nkey Enter Tab\nwait-idle')" '^ \[[0-9]+ of [0-9]+ match TIV\]'
like "Esc shows all" "$(play $'wait-idle\ntext :2.2\nkey Enter d\nwait-idle\ntext fTIV\nkey Enter Esc\nwait-idle')" 'Check layer limits'
like "nothing that matches is said" "$(play $'wait-idle\ntext :2.2\nkey Enter d\nwait-idle\ntext fno such line\nkey Enter\nwait-idle')" 'Nothing here matches'
# in a difference as in every list
fixture diff "$work/diff"
out=$("$TICKMARK" --script - --size 100x30 --dump none "$work/diff" 2>&1 <<'X'
wait-idle
text :1.2
key Enter d
wait-idle
key g
text /total
key Enter
unsee 1 of
key g
text /south
key Enter n n n n n n n n n n n n n n n n n n n n
see went on from the beginning
text /nosuchword
key Enter
see 'nosuchword' is not in this difference
key Esc n
see nothing to search for
key G + j Enter
key q
key q
X
)
is "a difference is searched" "$?$out" 0
finish

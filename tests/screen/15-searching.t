#!/bin/bash
# / in every list: where it lands, what it unfolds, and what it says when there is nothing.
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
like "Esc clears it, then n says so" "$(play $'wait-idle\ntext /nope\nkey Enter\nwait-idle\nkey Esc n')" 'nothing to search for'
like "only steps that are shown" "$(play $'wait-idle\ntext :filter outcome:ok\nkey Enter\ntext /nope\nkey Enter\nwait-idle')" "'nope' is not in any"
like "workspace" "$(play $'wait-idle\nkey 1 g\ntext /limits\nkey Enter\nwait-idle')" '│>limits\.py'
like "artifacts" "$(play $'wait-idle\nkey 3 g\ntext /tiv_by\nkey Enter\nwait-idle')" '│> *tiv_by_city\.csv'
like "queue" "$(play $'wait-idle\nkey 5\nwait-idle\ntext /refused\nkey Enter\nwait-idle')" '^> 5\.1 '
like "what S found" "$(play $'wait-idle\ntext :search-record nope|TIV\nkey Enter\nwait-idle\ntext /Roll up\nkey Enter\nwait-idle')" '^> 1\.1 +Roll up'
like "messages" "$(play $'wait-idle\nkey 4 G\ntext /total\nkey Enter\nwait-idle')" '^> +The total of'
like "dossier" "$(play $'wait-idle\ntext :4\nkey Enter p\ntext /interpreter\nkey Enter\nwait-idle')" '^> +interpreter'
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

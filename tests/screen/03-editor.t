#!/bin/bash
# O15: every way in which an editor can end. Nothing runs unless the text changed and Enter confirmed
# it; the draft stays until it ran.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
draft=$work/ws/.tickmark/drafts/new.py
attempts() { (cd "$work/ws" && "$TICKMARK" log --json | grep -o "\"ref\"" | wc -l); }
before=$(attempts)
play() { (cd "$work/ws" && EDITOR=$1 "$TICKMARK" --script - --size 200x24 --dump text . <<<"$2" 2>&1); }

like "a program that is not there" "$(play nosuchprogram $'wait-idle\nkey a')" "could not be started.*the draft is $draft"
yes "the draft stays" test -f "$draft"
like "an editor that fails" "$(play false $'wait-idle\nkey a')" 'ended with status 1: nothing was run'
like "an editor that returns at once" "$(play true $'wait-idle\nkey a')" 'came back at once.*nothing was run'
emptied() { like "$1" "$(play "$2" $'wait-idle\nkey a')" 'the text is empty: nothing was run'; }
emptied "an editor that empties the text" "sh -c ': > \"\$1\"' --"
emptied "an editor that leaves blanks" "sh -c 'printf \" \\n\\t\\n\" > \"\$1\"' --"
like "of which nothing is taken up" "$(play true $'wait-idle\nkey a')" 'came back at once.*nothing was run'
like "an editor that removes the text" "$(play "sh -c 'rm \"\$1\"' --" $'wait-idle\nkey a')" 'cannot be read, nothing was run'
like "an editor that is killed" "$(play "sh -c 'kill -9 \$\$' --" $'wait-idle\nkey a')" 'ended by signal 9: nothing was run'
printf '#!/bin/sh\n' > "$work/noexec"
like "an editor that may not be run" "$(play "$work/noexec" $'wait-idle\nkey a')" "could not be started.*nothing was run"
like "arguments and quotes" "$(play "sh -c 'echo \"print(2)\" > \"\$1\"' --" $'wait-idle\nkey a')" 'run this as a new step\?'
like "not confirmed: not run" "$(play "sh -c 'echo \"print(3)\" > \"\$1\"' --" $'wait-idle\nkey a Esc')" 'not run; the draft stays'
is "the draft holds what was written" "$(cat "$draft")" 'print(3)'
is "nothing ran so far" "$(attempts)" "$before"
like "taken up again, and run" "$(play "sh -c 'echo \"print(4)\" >> \"\$1\"' --" $'wait-idle\nkey a Enter\nwait 4.1\nwait-idle')" '4 bytes'
yes "then the draft goes" test ! -f "$draft"
is "one attempt more" "$(attempts)" $((before + 1))
like "a blank EDITOR is none" "$(PATH=$work/none play ' ' $'wait-idle\nkey a')" 'no editor was found'
like "edit: an attempt of the same step" "$(play "sh -c 'sed -i s/limit/LIMIT/g \"\$1\"' --" $'wait-idle\ntext :2\nkey Enter e Enter\nwait 2.3\nwait-idle')" '2\.3'
finish

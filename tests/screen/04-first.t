#!/bin/bash
# A newcomer: a folder of her own, no record, 80x24, no EDITOR set; from `tickmark` to a first result.
. "$(dirname "$0")/lib.sh"
fixture none "$work/ws"
mkdir "$work/bin"
# the editor that her system has, and what she writes in it
printf '#!/bin/sh\nprintf "# My first step\\nprint(6*7)\\nopen(\\"answer.txt\\",\\"w\\").write(\\"42\\")\\n" > "$1"\n' > "$work/bin/sensible-editor"
chmod +x "$work/bin/sensible-editor"
out=$(cd "$work/ws" && PATH=$work/bin:$PATH "$TICKMARK" --script - --size 80x24 <<'X'
wait Enter creates one in this folder
wait Its 1 file
see left out: 1 hidden
see left out: 1 node_modules
key Enter
wait a  write code and run it as the first step
key a
see run this as a new step?  Enter or y: yes
key Enter
wait My first step
wait-idle
see 42
see answer.txt
X
); is "she gets to her first result" $? 0
like "which stands there" "$out" '42'
yes "her folder is as it was" test ! -e "$work/ws/answer.txt"
is "saved when she says so" "$(cd "$work/ws" && "$TICKMARK" --script - <<<$'wait-idle\nkey 3 j s Enter\nwait saved' >/dev/null; cat "$work/ws/answer.txt")" 42
out=$(cd "$work/ws" && "$TICKMARK" --script - <<<$'wait-idle\nkey 3 j s Enter\nsee replace it?\nkey n')
is "never over a file of hers" "$(cat "$work/ws/answer.txt")" 42
finish

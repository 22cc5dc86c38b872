#!/bin/bash
# Messages: the view, its citations, writing one, and an assistant at work under the eyes of a person.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
cd "$work/ws" || exit 1
workspaces=$work/ws
export TICKMARK
play() { "$TICKMARK" --script - --size "${2:-100x30}" . <<<"$1" 2>&1; }

like "no messages yet" "$(play $'wait-idle\nkey 4')" 'no messages yet; m writes one'
"$TICKMARK" say 'First words, without a citation.'
"$TICKMARK" say "$(printf 'The total of [1.1] holds.\nSee [2.1] and its correction [2.2]; \033]0;title\007 漢字. %s' "$(printf 'word %.0s' {1..40})")"
out=$(play $'wait-idle\nkey 4')
like "messages, and how many" "$out" 'Messages +2 messages'
like "text is shown" "$out" 'The total of \[1\.1\] holds\.'
like "hostile bytes are visible" "$out" '\^\[\]0;title\^G 漢字'
unlike "long lines are wrapped" "$(play $'wait-idle\nkey 4' 60x20)" '.{61}'
like "it stands at the end" "$(play $'wait-idle\nkey 4')" '^> +(word )+'
# Enter on a citation
out=$(play $'wait-idle\nkey 4 g j j j\nkey Enter\nwait-idle')
like "Enter goes to the attempt" "$out" '> *▾ 1 +Roll up TIV'
out=$(play $'wait-idle\nkey 4 g j j j j Right Enter\nwait-idle\nkey y\nsee copied')
like "→ chooses the next citation" "$out" '> *▾ 2\.2'
like "a line without one" "$(play $'wait-idle\nkey 4 g Enter')" 'cites no attempt'
# f leaves whole messages, and what is left is counted by message, at any width
out=$(play $'wait-idle\nkey 4 f\ntext correction\nkey Enter\nsee 1 of 2 match correction' 60x20)
is "f counts messages" $? 0
like "f leaves all of a message" "$(tr -d '\n' <<<"$out")" 'The total of \[1\.1\] holds\..*See \[2\.1\].*word word'
unlike "f leaves no other" "$out" 'First words'
out=$(play $'wait-idle\nkey 4 f\ntext First\nkey Enter\nresize 40x12\nwait-idle\nsee 1 of 2 match\nsee First words\nkey f Ctrl-U Enter g\nsee First words\nkey G\nsee word word')
is "f stays when the window changes, and goes" $? 0
like "f that leaves nothing says so" "$(play $'wait-idle\nkey 4 f\ntext zzz\nkey Enter')" 'Nothing here matches'
like "a key on nothing is harmless" "$(play $'wait-idle\nkey 4 f\ntext zzz\nkey Enter Enter Right y d')" 'Nothing here matches'
# an attempt shows what cites it
out=$(play $'wait-idle\ntext :1.1\nkey Enter Enter')
like "a section of the attempt" "$out" 'messages +1 cites it'
unlike "none where nothing cites it" "$(play $'wait-idle\ntext :3.1\nkey Enter Enter')" 'cites it'
# writing
out=$(play $'wait-idle\ntext :2.2\nkey Enter m\nsee message: [2.2]\ntext is what counts\nkey Enter\nsee recorded as message 3\nkey 4\nsee [2.2] is what counts')
is "m writes one that cites the attempt" $? 0
is "its author and how" "$("$TICKMARK" say --list --json | "$python" -c 'import json,sys; m=json.load(sys.stdin)["messages"][-1]; print(m["by"]["kind"], m["how"], m["cites"])')" "person screen ['2.2']"
out=$(play $'wait-idle\nkey 2 m\ntext see [9.9]\nkey Enter\nsee not recorded: the message cites [9.9]')
is "a citation of nothing is refused" $? 0
out=$(play $'wait-idle\nkey 2 m Esc 4\nsee 3 messages')
is "Esc writes nothing" $? 0
# between the steps
out=$(play $'wait-idle')
like "messages stand behind the step that was the newest" "$(tr -d '\n' <<<"$out")" '▸ 3 .*» .*First words, without.*» .*The total of \[1\.1\] holds\. See \[2\.1\].*» .*\[2\.2\] is what counts'
"$TICKMARK" run --new rollup.py >/dev/null
"$TICKMARK" say 'Behind four.'
like "and the next step behind them" "$(play $'wait-idle' | tr -d '\n')" 'is what counts.*▸ 4 .*» .*Behind four'
out=$(play $'wait-idle\ntext :3\nkey Enter - j j Enter\nsee Messages\nkey Enter\nwait-idle')
like "Enter opens it, Enter goes to what it cites" "$out" '> *▾ 1 +Roll up TIV'
like "y there copies what it cites" "$(play $'wait-idle\ntext :3\nkey Enter j j y\nsee copied')" '1\.1'
like "q comes back to its row" "$(play $'wait-idle\nkey G Enter q')" '> *» .*Behind four'
like "/ finds it" "$(play $'wait-idle\nkey g /\ntext Behind fo\nkey Enter')" '> *» .*Behind four'
unlike "a filtered list has none" "$(play $'wait-idle\ntext :filter outcome:ok\nkey Enter\nwait-idle')" '»'
for size in 20x5 1x1 40x10 200x60; do
	play $'wait-idle\nkey 4 j k G g Right Left Enter' $size >/dev/null
	is "at $size" $? 0
done
mkdir "$work/else"; cp .tickmark/record.db "$work/else/sent.db"
out=$("$TICKMARK" --script - --size 100x30 "$work/else/sent.db" <<<$'wait-idle\nkey 4\nsee what counts\nkey m\nsee evidence')
is "evidence: read, not written" $? 0

# a person watches, an assistant works
cat > "$work/assistant.py" <<'X'
import sys
sys.path.insert(0, sys.argv[1])
from mcp import *
s = Server(name="helper")
r = s.tool("run_python", title="Assistant at work", purpose="to be watched", code="import time\nfor i in range(1, 40):\n    print('tick', i, flush=True)\n    time.sleep(0.1)\nprint('all done')")
s.tool("say", text="It said all done: [%s]." % r.text.split()[0])
s.close()
X
( sleep 1; "$python" "$work/assistant.py" "$here/../cli" ) &
out=$(play $'wait-idle\nwait Assistant at work\nwait running\nwait tick 1\nwait tick 2\nwait tick 3\nwait helper  It said all done: [5.1].\nwait-idle\nsee ok')
is "an assistant's run appears, streams and ends, and what it says stands behind it, without a key" $? 0
wait
like "by whom" "$("$TICKMARK" log)" '^5\.1 +ok .* helper +Assistant at work'
out=$(play $'wait-idle\ntext :5\nkey Enter Enter' 100x90)
like "who asked and why stands at it" "$out" 'asked +by assistant helper 1\.2: to be watched'
like "its message stands at its run" "$out" 'messages +1 cites it'
finish

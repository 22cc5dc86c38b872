#!/bin/bash
# A: the user's assistant drafts, the editor shows, the person decides. A fixer's chain on the screen.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
cd "$work/ws" || exit 1
workspaces=$work/ws
unset XDG_CONFIG_HOME
play() { "$TICKMARK" --script - --size 100x30 . <<<"$1" 2>&1; }

like "without an assistant" "$(play $'wait-idle\nkey A\ntext sum\nkey Enter')" 'there is no assistant'
cat > "$HOME/assistant" <<'X'
#!/usr/bin/python3
import json, os, sys
d = json.load(sys.stdin)
json.dump(d, open(os.environ["HOME"] + "/document.json", "w"))
print("```python\n# Sum of " + d["request"] + "\nprint('drafted')\n```")
X
chmod +x "$HOME/assistant"
"$TICKMARK" config --user assistant "$HOME/assistant"
is "tickmark draft prints the code" "$("$TICKMARK" draft total tiv | head -1)" "# Sum of total tiv"
cp "$HOME/document.json" "$work/.out"
jis "what it gets" 'd["kind"], d["version"], d["request"], "schedule.csv" in d["files"], d["steps"][0]["attempt"]' "('draft', 1, 'total tiv', True, '3.1')"
is "nothing runs of it" "$("$TICKMARK" log --json | grep -c '"4\.1"')" 0
export EDITOR=true
out=$(play $'wait-idle\nkey A\nsee ask for:\ntext the \'tiv\' column\nkey Enter\nsee run this as a new step?\nkey n\nwait-idle')
is "the draft comes into the editor, and is asked about" $? 0
is "declined: nothing ran" "$("$TICKMARK" log | grep -c '^4\.1')" 0
out=$(play $'wait-idle\nkey A\ntext the \'tiv\' column\nkey Enter Enter\nwait 4.1 was started\nwait-idle')
is "accepted: it runs" $? 0
like "under its own title" "$("$TICKMARK" log)" "^4\.1 +ok .*Sum of the 'tiv' column"
is "what it was asked for is its purpose" "$("$TICKMARK" show 4.1 --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["purpose"])')" "drafted by an assistant ($HOME/assistant) for: the 'tiv' column"
"$TICKMARK" config --user assistant 'cat > "$HOME/document.json"; echo "It printed drafted."'
is "asked to tell, its answer cites the attempt" "$("$TICKMARK" draft --tell 4.1)" "It printed drafted. [4.1]"
cp "$HOME/document.json" "$work/.out"
jis "it gets code and result" 'd["kind"], d["attempt"], d["outcome"], d["stdout_tail"]' "('tell', '4.1', 'ok', 'drafted\\n')"
is "it is a message of the assistant" "$("$TICKMARK" say --of 4.1 --json | "$python" -c 'import json,sys; m=json.load(sys.stdin)["messages"][0]; print(m["by"]["kind"], m["by"]["name"])')" "assistant cat"
out=$(play $'wait-idle\ntext :4.1\nkey Enter L\nsee give code and output of 4.1 to\nkey n L Enter\nwait the assistant told of 4.1\nwait »')
is "L has it tell of an attempt, after a question" $? 0
is "once" "$("$TICKMARK" say --of 4.1 --json | "$python" -c 'import json,sys; print(len(json.load(sys.stdin)["messages"]))')" 2
"$TICKMARK" draft --tell 9.9 2>/dev/null; is "of nothing" $? 2
"$TICKMARK" config --user assistant 'exit 3'
like "L: what it failed of is said" "$(play $'wait-idle\ntext :4.1\nkey Enter L Enter\nwait exit 3')" 'gave up: exit 3'
like "an assistant that fails" "$(play $'wait-idle\nkey A\ntext x\nkey Enter')" 'no draft: .*gave up: exit 3'
is "nothing is left of it" "$(ls .tickmark/drafts | grep -c answer)" 0
like "Esc asks nobody" "$(play $'wait-idle\nkey A\ntext x\nkey Esc')" '4 steps'

# a chain of corrections
printf '# Broken\nraise SystemExit(3)\n' > broken.py
"$TICKMARK" config --user fixer 'echo "# Broken no more"; echo "print(\"mended\")"'
"$TICKMARK" run --fix broken.py >/dev/null 2>&1
like "both attempts stand on the screen" "$(play $'wait-idle\ntext :5\nkey Enter Enter' | tr -d '\n')" '2 attempts.*5\.1.*error.*5\.2.*ok'
out=$(play $'wait-idle\ntext :5.1\nkey Enter C\nwait 1 correction\nwait-idle')
like "C opens its corrections: by whom, and the code" "$(tr -d '\n' <<<"$out")" 'Step 5: 1 correction.*5\.1 -> 5\.2, by assistant echo: code .*-raise SystemExit\(3\).*\+print\("mended"\)'
like "and what became of the error" "$out" '5\.1 -> 5\.2, by assistant echo: outcome '
printf '# Wrong\nx = {}\nx["tiv"]\n' > wrong.py
"$TICKMARK" run wrong.py >/dev/null 2>&1; sed -i 's/tiv/TIV/' wrong.py
"$TICKMARK" run wrong.py >/dev/null 2>&1; sed -i 's/x = {}/x = {"TIV": 1}/' wrong.py
"$TICKMARK" run wrong.py >/dev/null 2>&1
out=$(play $'wait-idle\ntext :6.2\nkey Enter C\nwait 2 corrections\nwait-idle')
like "a person's corrections, too, one after the other" "$(tr -d '\n' <<<"$out")" '6\.1 -> 6\.2, by person [^:]+: code.*6\.1 -> 6\.2.*stderr.*KeyError.*6\.2 -> 6\.3'
out=$(play $'wait-idle\ntext :6\nkey Enter C\nwait 2 corrections\nwait-idle\nkey G y\nsee copied\nkey D\nsee stays on the right\nkey Enter\nwait-idle\nkey q q')
is "the view moves, copies and opens as every difference" $? 0
like "nothing corrects" "$(play $'wait-idle\ntext :1\nkey Enter C')" 'no attempt of this step corrects another'
finish

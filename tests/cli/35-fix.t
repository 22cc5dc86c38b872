#!/bin/bash
# run --fix: a failed run, a fixer of the user, the next attempt; and fixers that do not fix.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'tiv\n10\n' > a.csv
printf '# Check limits\nd = {"limit": 5}\nopen("a.csv").read()\nprint("start")\nprint(d["TIV"])\n' > limits.py

tm run --fix limits.py
is "without a fixer: status" "$rc" 2
like "without a fixer: how to set one" "$err" 'tickmark config --user fixer COMMAND'
tm log --json; jis "without a fixer nothing ran" 'len(d["attempts"])' 0

tm config fixer /bin/true; is "a workspace names no fixer: status" "$rc" 3
like "and it says where it belongs" "$err" 'config --user fixer'
echo 'fixer = touch owned; false' >> .tickmark/config
tm run --fix limits.py; like "nor by its file" "$err" 'there is no fixer'
no "it was not run" test -e owned
sed -i '/fixer/d' .tickmark/config

cat > "$HOME/fixer" <<'X'
#!/usr/bin/python3
import json, os, sys
d = json.load(sys.stdin)
json.dump(d, open(os.environ["HOME"] + "/document.json", "w"))
print("thinking", file=sys.stderr)
good = d["code"].replace("TIV", "limit")
print("```python\n" + good + "```" if "--fence" in sys.argv else good, end="")
X
chmod +x "$HOME/fixer"
tm config --user fixer "$HOME/fixer --fence"; is "config --user: status" "$rc" 0
tm config fixer --json; jis "config --user: it is the user's" '(d["settings"][0]["from"])' user
tm run --fix limits.py -- x
is "the second attempt is good: status" "$rc" 0
is "both streams came" "$out" "start
start
5"
like "the failure is said" "$err" '^1\.1 error '
like "and who corrects it" "$err" 'correcting 1\.1 with fixer \(1 of 2\)'
like "its own words come through" "$err" '^thinking'
like "the correction is the next attempt" "$err" '^1\.2 ok '
tm show 1.2 --json
jis "record: what it corrects" 'd["retry_of"]' 1.1
jis "record: by whom" '(d["asker"]["kind"], d["asker"]["name"])' "('assistant', 'fixer')"
jis "record: its code, without the fence" 'd["code"]["text"].splitlines()[-1]' 'print(d["limit"])'
jis "record: the same arguments" 'd["args"]' "['--', 'x']"
jis "record: the time of a person's run" 'd["policy"]["limits"]["timeout"]' 600000
tm show 1.1 --json; jis "the failed one stays" 'd["state"], d["asker"]["kind"]' "('error', 'person')"
is "the script's file is as it was" "$(grep -c TIV limits.py)" 1
like "where the corrected code is" "$("$TICKMARK" export 1.2 --code -o - 2>/dev/null)" 'print\(d\["limit"\]\)'
cp "$HOME/document.json" "$work/.out"
jis "document: kind" 'd["kind"], d["version"], d["attempt"], d["title"]' "('fix', 1, '1.1', 'Check limits')"
jis "document: outcome" 'd["outcome"], d["exit_code"], d["signal"], d["limit"]' "('error', 1, None, None)"
jis "document: streams" 'd["stdout_tail"], d["stderr_tail"].splitlines()[-1]' "('start\\n', \"KeyError: 'TIV'\")"
jis "document: inputs and files" '[i["path"] for i in d["inputs"]], d["files"], d["args"]' "(['a.csv'], ['a.csv', 'limits.py'], ['--', 'x'])"
jis "document: no history" 'd["history"]' "[]"
like "on the screen" "$("$TICKMARK" --script - --size 100x30 . <<<$'wait-idle\nkey 2 Enter' 2>&1)" '2 attempts'

# fixers that do not
fixer() { tm config --user fixer "$1"; }
printf 'raise SystemExit(3)\n' > bad.py
fixer 'cat >/dev/null; echo "raise SystemExit(4)"'
tm run --fix --new bad.py
is "never good: status" "$rc" 1
like "it tries so often and no more" "$err" '^2\.2 error .*exit 4'
like "the same code twice is noticed" "$err" '2\.2 was not corrected: the fixer gave back the same code'
fixer 'cat >"$HOME/document.json"; echo "raise SystemExit($$)"'
tm config fix-attempts 3
tm run --fix --new bad.py
is "fix-attempts" "$(grep -c '^3\.[0-9] error' <<<"$err")" 4
cp "$HOME/document.json" "$work/.out"
jis "document: the history, oldest first" '[h["attempt"] for h in d["history"]], d["history"][0]["code"]' "(['3.1', '3.2'], 'raise SystemExit(3)\\n')"
for case in 'false|gave up: exit 1' 'true|gave no code' 'no-such-program-x|could not be found' 'kill -9 $$|was ended by signal 9' 'exit 0|gave no code'; do
	fixer "${case%|*}"
	tm run --fix --new bad.py
	is "fixer ${case%|*}: status of the run" "$rc" 1
	like "fixer ${case%|*}: said" "$err" "was not corrected: fixer .*: the command ${case#*|}"
done
fixer 'yes'
tm run --fix --new bad.py
like "a fixer that never ends" "$err" 'gives over 16777216 bytes'
fixer 'head -c 100 >/dev/null; echo "print(7)"'
"$python" -c 'print(("# " + "x" * 78 + "\n") * 30000 + "raise SystemExit(1)")' > big.py
tm run --fix big.py; is "a fixer that does not read all" "$rc" 0
fixer 'echo "print(1)"'
printf 'print(5)\n' > fine.py
tm run --fix fine.py; unlike "what is ok is not corrected" "$err" correcting
tm run --fix --new --json bad.py
jis "--json: one document, of the last" 'd["state"], d["number"]' "('ok', 2)"
tm run --fix --detach bad.py; is "--detach and --fix" "$rc" 3
tm_from <(echo 'raise SystemExit(1)') run --fix -; is "code from a pipe is corrected too" "$rc" 0
printf 'key.quit = q\ntheme = mono\n' >> "$HOME/.config/tickmark/config"
tm run fine.py; is "settings of the screen keep nobody from running" "$rc" 0
tm verify; is "the record verifies" "$rc" 0
finish

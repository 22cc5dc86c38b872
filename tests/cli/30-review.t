#!/bin/bash
# mark and note: filing, who and how, staleness, what cannot be marked, rejected files are not offered.
. "$(dirname "$0")/lib.sh"
workspace ws
mkdir -p "$HOME/.config/tickmark"
printf 'name = ana\nreviewer = Rev Iewer\ntheme = light\nkey.mark = x\n' >"$HOME/.config/tickmark/config"
printf '# one\nopen("a.csv", "w").write("1\\n")\nprint("x")\n' >one.py
printf '# two\nprint(open("a.csv").read())\n' >two.py
run_ok "one" one.py
run_ok "two reads its file" two.py

tm mark 1 accepted; is "without a terminal: status" "$rc" 3
like "without a terminal: says how" "$err" 'needs --as-command'
tm mark 1 accepted --as-command -n "agreed to source"; is "mark: status" "$rc" 0
like "mark: says it" "$out" '^1\.1 accepted by Rev Iewer, own work$'
tm show 1 --json
jis "mark: in the document" '[(m["judgement"], m["note"], m["reviewer"], m["how"], m["own_work"], m["signed"]) for m in d["marks"]]' \
	"[('accepted', 'agreed to source', 'Rev Iewer', 'command without a terminal', True, False)]"
tm show 1 --review; like "show --review: says it was a command" "$out" 'by a command without a terminal'
tm log --json; jis "log: mark and reviewer" '[(a["ref"], a["mark"], a["reviewer"]) for a in d["attempts"]]' \
	"[('2.1', None, None), ('1.1', 'accepted', 'Rev Iewer')]"
tm log; like "log: mark" "$out" '^1\.1 .* accepted Rev Iewer'
# the workspace's own settings cannot name the reviewer
echo 'reviewer = Somebody Else' >.tickmark/config
tm mark 2 questioned --as-command --json; jis "a workspace does not name the reviewer" 'd["reviewer"]' "Rev Iewer"
rm .tickmark/config
tm config reviewer "R. Two"; like "config reviewer sets the user's" "$(cat "$HOME/.config/tickmark/config")" '^reviewer = .*R\. Two'
like "and leaves what the screen reads" "$(cat "$HOME/.config/tickmark/config")" '^key.mark = x$'

# at a terminal it needs no more
pty -- "$TICKMARK" mark 2 accepted >/dev/null 2>&1
tm show 2 --json; jis "at a terminal: how" 'd["marks"][-1]["how"]' command

# refused
for bad in "1 good" "1 none" "1 ''"; do eval "tm mark $bad --as-command"; is "mark $bad: status" "$rc" 3; done
tm mark 9 accepted --as-command; is "no such attempt: status" "$rc" 2
tm repeat 1; tm mark 1.1r1 accepted --as-command; is "a check: status" "$rc" 3; like "a check: says so" "$err" 'a check is not reviewed'
tm mark 1 accepted --as-command -n $'two\nlines'; is "a note of two lines: status" "$rc" 3
ref=$("$TICKMARK" run --detach - <<<'import time; time.sleep(3600)'); wait_for state_is "$ref" running
tm mark "$ref" accepted --as-command; is "what runs: status" "$rc" 2; like "what runs: says so" "$err" "^tickmark mark: $ref: it has not ended yet"
tm stop "$ref"

# stale: by a newer attempt, never by a check
tm show 1 --json; jis "a check stales nothing" 'd["mark_stale"]' False
sed -i 's/"1/"2/' one.py; run_ok "one again" one.py
tm show 1.1 --json; jis "a newer attempt does" 'd["mark_stale"]' True
tm log --steps --json; jis "the step says so" '[a["stale_mark"] for a in d["attempts"] if a["step"] == 1]' "['accepted']"
tm log --steps; like "the list says so" "$out" 'stale: accepted'

# what was rejected is not offered: the step's earlier file counts, then nothing
tm mark 1.2 rejected --as-command; tm run two.py; is "the file before the rejected one" "$out" 1
tm mark 1.1 rejected --as-command; tm run two.py; like "no file at all" "$err" 'FileNotFoundError'
tm mark 1.2 withdrawn --as-command; tm run two.py; is "withdrawn: offered again" "$out" 2
tm show 1.2 --json; jis "history stays" '[m["judgement"] for m in d["marks"]]' "['rejected', 'withdrawn']"

# notes
tm note 1.1 "the whole"; like "note: says it" "$out" '^1\.1 noted$'
tm note 1.1 --line 2 "why 1?"; like "note on a line: code" "$out" '^1\.1 code line 2 noted$'
tm note 1.1 --section stdout --line 1 "see"; tm note 1.1 --file a.csv --cell A1 "footed"
tm show 1.1 --json
jis "notes in the document" '[(n["section"], n["path"], n["line"], n["cell"], n["text"]) for n in d["notes"]]' \
	"[(None, None, None, None, 'the whole'), ('code', None, 2, None, 'why 1?'), ('stdout', None, 1, None, 'see'), ('file', 'a.csv', None, 'A1', 'footed')]"
for bad in "--cell B7" "--file a.csv --cell b7" "--file a.csv --cell !B7" "--file a.csv --cell \$" "--file a.csv --cell Sheet1!7" "--section files" "--section code --file a.csv" "--line 0" "--line x"; do
	tm note 1.1 $bad text; is "note $bad: status" "$rc" 3; done
# a note is never taken back: it stands on a line that is there
printf 'import sys\nprint("a\\nb", end="")\nopen("crlf.txt","wb").write(b"1\\r\\n2\\r3\\n")\n' | tm_from /dev/stdin run -
for place in "--line 3" "--section stdout --line 2" "--file crlf.txt --line 3"; do
	# shellcheck disable=SC2086
	tm note last $place text; is "note $place: status" "$rc" 0; done
for place in "--line 4" "--section stdout --line 3" "--section stderr --line 1" "--file crlf.txt --line 4"; do
	# shellcheck disable=SC2086
	tm note last $place text; is "note $place: status" "$rc" 2; like "note $place: says so" "$err" "has no line [0-9]: it has [0-9]"; done
tm note 1.1 --file nope text; is "note on no such file: status" "$rc" 2
tm note 1.1 ""; is "empty note: status" "$rc" 3

tm report -o x.pdf; is "report of no form: status" "$rc" 3; no "report of no form: nothing there" test -e x.pdf
tm report -o x.txt --md; is "report, form said: status" "$rc" 0
tm repeat 1.1; tm mark 1.1r1 accepted --as-command; like "mark of a check: names it" "$err" '1\.1r1: a check is not reviewed'
tm stop 1.1; like "stop of what has ended" "$err" '1\.1 has ended already: '

# the opinion
tm mark record accepted --as-command -n ok; like "the opinion" "$out" '^record accepted by R\. Two$'
tm verify; is "verify: status" "$rc" 0
finish

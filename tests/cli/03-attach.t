#!/bin/bash
# attach: list, add, remove, why; and that runs see just that.
. "$(dirname "$0")/lib.sh"
workspace ws
echo a >a.csv; mkdir -p sub; echo bb >sub/b.csv; echo no >.secret; echo x >left.log
echo '*.log' >.tickmarkignore
echo elsewhere >"$work/else.csv"

tm attach
is "list: status" "$rc" 0
is "list: files" "$(awk 'NR > 1 {print $1}' <<<"$out" | tr '\n' ' ')" "a.csv sub/b.csv "
like "list: totals on stderr" "$err" "2 files attached, .* left out"
tm attach list --json
jis "list --json: paths" '[f["path"] for f in d["files"]]' "['a.csv', 'sub/b.csv']"
jis "list --json: sizes" '[f["size"] for f in d["files"]]' "[2, 3]"
jis "list --json: totals" 'd["totals"]["files"], d["totals"]["bytes"]' "(2, 5)"
tm attach list --excluded
like "excluded: by a rule" "$out" "^left.log +ignored by .tickmarkignore +.*\.log"
like "excluded: hidden" "$out" "^\.secret +hidden"
tm attach list --excluded --json
jis "excluded --json" 'sorted(x["path"] for x in d["excluded"] if not x["path"].startswith(".tickmark"))' "['.secret', 'left.log']"

tm attach why left.log
is "why not: status" "$rc" 1
like "why not: reason" "$out" "^left.log: ignored by .tickmarkignore"
tm attach why a.csv
is "why: status" "$rc" 0
is "why: attached" "$out" "a.csv: attached"
tm attach why .secret --json
jis "why --json" 'd["attached"], d["reason"]' "(False, 'hidden')"

tm attach add "$work/else.csv" as "in/rates.csv"; is "add as: status" "$rc" 0
tm attach add "$work/else.csv"; is "add: status" "$rc" 0
tm attach add left.log; is "add what a rule leaves out: status" "$rc" 0
printf 'from a pipe\n' >"$work/piped"
tm_from "$work/piped" attach add - --name piped.txt --origin "https://example.org/x"; is "add -: status" "$rc" 0
tm attach list --json
jis "all are attached" '[f["path"] for f in d["files"]]' "['a.csv', 'else.csv', 'in/rates.csv', 'left.log', 'piped.txt', 'sub/b.csv']"
cat >"$work/ls.py" <<'PY'
import os
for top, dirs, files in os.walk("."):
    for f in files: print(os.path.relpath(os.path.join(top, f)), os.path.getsize(os.path.join(top, f)))
print(open("in/rates.csv").read(), open("piped.txt").read(), end="")
PY
tm_from "$work/ls.py" run -
is "a run sees them" "$(grep -v '\.py ' <<<"$out" | sort | tr '\n' ' ')" " from a pipe a.csv 2 else.csv 10 elsewhere in/rates.csv 10 left.log 2 piped.txt 12 sub/b.csv 3 "

tm attach remove a.csv; is "remove: status" "$rc" 0
yes "the file itself stays" test -f a.csv
tm attach why a.csv; like "why: removed" "$out" "^a.csv: taken out"
tm attach add a.csv; tm attach why a.csv; is "it can be added again" "$rc" 0

tm attach add - ; is "a pipe needs a name" "$rc" 3
tm attach add nowhere.csv; is "add what is not there: status" "$rc" 2
like "add what is not there: message" "$err" "nowhere.csv"
tm attach add "$work/else.csv" as ../up.csv; is "a name that leaves the workspace: refused" "$((rc == 2 || rc == 3))" 1
tm attach add "$work" ; is "a folder is refused" "$((rc == 2 || rc == 3))" 1
tm attach remove nowhere.csv; is "remove what is not there: status" "$rc" 2
tm attach add a b c; is "add with a wrong word" "$rc" 3

# names are bytes: one row each
printf x >$'new\nline.csv'; printf y >$'esc\e[31m.csv'; printf z >$'latin-\xe9.csv'
tm attach
is "awkward names: one row each" "$(wc -l <<<"$out")" 10
is "awkward names: nothing acts on a terminal" "$(grep -c $'\e' <<<"$out")" 0
tm attach --json
yes "awkward names: --json is JSON" "$python" -m json.tool "$work/.out" /dev/null
finish

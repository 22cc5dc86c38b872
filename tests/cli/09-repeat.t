#!/bin/bash
# repeat and rerun: recorded inputs and present ones; from a copy of the record alone.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'id,cents\n1,1050\n2,2000\n3,399\n' >sales.csv
cat >total.py <<'PY'
import csv
rows = list(csv.DictReader(open("sales.csv")))
print("rows", len(rows), "total", sum(int(r["cents"]) for r in rows))
open("total.txt", "w").write("%d\n" % sum(int(r["cents"]) for r in rows))
PY
run_ok "first" total.py
is "total" "$out" "rows 3 total 3449"
tm repeat 1.1
is "repeat: status" "$rc" 0
is "repeat: line" "$out" "1.1r1 repeats 1.1: same"
tm repeat last; like "repeat last is the attempt, not its check" "$out" "^1.1r2 repeats 1.1: same"

# changed with the same size and time: known by its content
cp -p sales.csv "$work/stamp"; sed -i 's/399/400/' sales.csv; touch -r "$work/stamp" sales.csv
tm show 1.1 --inputs; like "show says what changed since" "$out" '^sales.csv +read +29 +changed since'
tm show 1.1 --json; jis "--json too" '[i["since"] for i in d["inputs"] if i["path"] == "sales.csv"]' "['changed']"
tm repeat 1.1
is "repeat uses the recorded bytes" "$rc $out" "0 1.1r3 repeats 1.1: same"
is "and they gave" "$("$TICKMARK" show 1.1r3 --stdout)" "rows 3 total 3449"
tm rerun --dry-run 1.1
is "rerun --dry-run: status" "$rc" 0
like "rerun --dry-run: names what changed" "$err" '^sales.csv: changed since'
tm rerun 1.1
is "rerun uses the present ones" "$rc $out" "0 rows 3 total 3450"
like "rerun says first what changed" "$(head -1 "$work/.err")" '^sales.csv: changed since'
like "rerun is an attempt of the step" "$err" '^1\.2 ok '
tm refresh 1.2; like "refresh is rerun, nothing changed" "$err" '^1\.2: none of its 1 input changed'
mv sales.csv "$work/"; tm rerun 1.1; like "rerun: what is missing" "$err" '^sales.csv: missing now'
is "rerun: fails then" "$rc" 1
tm repeat 1.1; is "repeat: needs the folder no more" "$rc $out" "0 1.1r4 repeats 1.1: same"
mv "$work/sales.csv" .

# what differs
cat >dice.py <<'PY'
import random
print("always the same line"); print(random.random())
PY
run_ok "random" dice.py
tm repeat last
is "differs: status" "$rc" 1
like "differs: line" "$out" "repeats [0-9.]+: differs"
tm repeat --json last
jis "differs: --json" '[(c["verdict"], bool(c["first_difference"]), c["error"]) for c in d["checks"]]' "[('differs', True, None)]"
tm_from <(echo 'print({"a", "b", "c", "d", "e", "f"})') run -
tm repeat last; is "order of sets: fixed" "$rc" 0
tm repeat --vary hashseed=12345 last; is "order of sets: varied" "$rc" 1
tm_from <(echo 'raise SystemExit(3)') run -
tm repeat last; is "a failure that comes out again is the same" "$rc" 0
tm repeat 1.1 99 ; is "one of several is not there: status" "$rc" 2
like "one of several is not there: the others are done" "$out" "^1.1r[0-9]+ repeats 1.1: same"
tm repeat 1.1 1.2 --json; jis "several: --json" '[(c["check_of"], c["verdict"]) for c in d["checks"]]' "[('1.1', 'same'), ('1.2', 'same')]"
tm repeat 1.1 2.1; is "several: the worst" "$rc" 1
like "several are a batch: they are counted" "$out" '^differs +1'
tm repeat --dry-run --jobs 2 1.1 nonsense 2.1 --json
is "several: nothing is run by --dry-run" "$rc $(json 'd["foreseen"], "checks" in d')" "0 ([], False)"
tm repeat 1.1 nonsense --json
is "several: a wrong reference is wrong use, and counted" "$rc $(json 'd["counts"]["same"], d["counts"]["not repeated"]')" "3 (1, 1)"

# checks are no attempts
tm log; unlike "log without checks" "$out" 'r[0-9]'
tm log --checks 1; like "log --checks" "$out" '^1\.1r1 +ok +same'
tm show 1.1r1; like "show of a check" "$out" 'verdict +same'
tm show last --json; jis "last is an attempt" 'd["check"]' None

# what ran is what is recorded, whatever becomes of the file
cat >edit.py <<'PY'
import sys, time
print("begun", flush=True)
for i in range(100): time.sleep(0.02)
MARK = "version-one"
print(MARK)
PY
"$TICKMARK" run edit.py >"$work/got" 2>/dev/null & front=$!
begun last; sed -i 's/version-one/version-two/' edit.py; wait $front
is "edited during the run: what ran" "$(tail -1 "$work/got")" version-one
like "edited during the run: stored code" "$("$TICKMARK" show last --code)" version-one
tm show last --json; jis "edited during the run: its hash" 'd["code"]["sha256"] == __import__("hashlib").sha256(d["code"]["text"].encode()).hexdigest()' True
tm repeat last; is "edited during the run: repeat" "$rc" 0
# an input that changes during the run
cat >slow.py <<'PY'
import time
print("begun", flush=True)
for i in range(50): time.sleep(0.02)
print(open("sales.csv").read().splitlines()[3])
PY
sed -i 's/400/399/' sales.csv
"$TICKMARK" run slow.py >"$work/got" 2>/dev/null & front=$!
begun last; sed -i 's/399/777/' sales.csv; wait $front
is "an input changed during the run: not seen" "$(tail -1 "$work/got")" "3,399"

# from a copy of record.db alone, in another folder
for k in 1.1 1.1r1; do "$TICKMARK" show $k --stdout >"$work/out.$k"; done
"$TICKMARK" export 1.1 total.txt -o "$work/total.want" >/dev/null
mkdir -p "$work/copy/.tickmark" && chmod 700 "$work/copy/.tickmark"
cp .tickmark/record.db "$work/copy/.tickmark/record.db"
cd "$work/copy" || exit 1
tm log; is "a copy: log" "$rc" 0
is "a copy: has every attempt" "$(wc -l <<<"$out")" "$("$TICKMARK" -C "$work/ws" log | wc -l)"
tm repeat 1.1
is "a copy: repeat gives the same" "$rc $(sed 's/r[0-9]*//' <<<"$out")" "0 1.1 repeats 1.1: same"
"$TICKMARK" show "${out%% *}" --stdout >"$work/again"
same_bytes "a copy: the same bytes" "$work/again" "$work/out.1.1"
tm export 1.1 total.txt -o "$work/total.got"; same_bytes "a copy: files are in it" "$work/total.got" "$work/total.want"
tm verify; is "a copy: verifies" "$rc" 0

# One that still runs is not a wrong question: there is nothing to compare with yet.
cd "$work/ws" || exit 1
echo 'import time; time.sleep(600)' >runs.py
tm run --detach runs.py; still=$out
tm repeat "$still"; is "still running: repeat could not" "$rc" 2
like "still running: says so" "$err" "$still has no end yet"
tm stop "$still"

# what is read under another name is an input, and each name of a result is one
workspace names
echo one >in.csv; echo two >in2.csv
cat >names.py <<'PY'
import os
os.link("in.csv", "y.csv"); print(open("y.csv").read())
os.rename("in2.csv", "z.csv"); print(open("z.csv").read())
open("r1.txt", "w").write("result"); os.link("r1.txt", "latest.txt")
PY
run_ok "files under other names" names.py
tm show 1.1 --json
jis "linked or renamed, they are inputs" '[(i["path"], i["class"]) for i in d["inputs"]]' "[('in.csv', 'read'), ('in2.csv', 'read')]"
jis "a result under two names is two" '[(a["path"], a["kind"], a.get("note")) for a in d["artifacts"]]' \
	"[('in2.csv', 'deleted', None), ('latest.txt', 'created', None), ('r1.txt', 'created', 'hard link to latest.txt'), ('y.csv', 'created', 'hard link to in.csv'), ('z.csv', 'created', None)]"
echo changed >in.csv; rm -r in2.csv .tickmark/cache
tm repeat 1.1; is "their bytes are in the record" "$rc $out" "0 1.1r1 repeats 1.1: same"
printf 'print(open("r1.txt").read(), open("latest.txt").read())\n' >next.py
run_ok "a later step" next.py; is "finds the result under each name" "$out" "result result"
tm export 1.1 r1.txt -o -; is "and so does export" "$out" "result"
finish

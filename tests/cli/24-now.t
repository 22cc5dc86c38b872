#!/bin/bash
# Before a rerun: which inputs changed, are missing or new, what they differ in, and what there is against the
# attempts that made some of them; and O29 as a whole.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'id,cents\n1,10\n2,20\n' >sales.csv; printf 'gone\n' >gone.txt
printf '# Sum\nimport sys\nopen("sum.txt", "w").write("sum %%s\\n" %% (sys.argv[1:] or ["1"])[0])\n' >sum.py
cat >half.py <<'X'
# Half
text = open("sum.txt").read() + open("sales.csv").read() + open("gone.txt").read()
open("half.txt", "w").write(text[:9])
X
printf '# Show\nprint(open("half.txt").read(), open("sum.txt").read())\n' >show.py
for s in sum half show; do run_ok "$s" $s.py; done
printf '# Want\nopen("sales.csv"); open("extra.csv")\n' >want.py; tm run want.py; is "one that misses a file" "$rc" 1

tm diff 2.1 --now; is "nothing changed: status" "$rc" 0; is "nothing changed: said" "$out" "2.1 -> now: every input is as it was seen"
tm rerun --dry-run 2; unlike "nothing against any input" "$err" 'read sum.txt of 1.1'
sed -i 's/,20/,21/' sales.csv; rm gone.txt; echo x >extra.csv
tm diff 2.1 --now; is "now: status" "$rc" 1
is "now: the sentence" "$(head -1 <<<"$out")" "2.1 -> now: changed since: sales.csv; missing now: gone.txt"
like "now: by cell" "$out" '^~id 2: cents 20 -> 21$'
like "now: what is missing" "$out" '^=== input gone.txt \(text\): removed, 5 bytes'
tm diff 4.1 --now; is "now: new ones too" "$(head -1 <<<"$out")" "4.1 -> now: changed since: sales.csv; new now: extra.csv"
like "now: what is new" "$out" '^=== input extra.csv \(bytes\): added, 2 bytes'
tm diff 4.1 --now --json; jis "now: --json" '(d["left"], d["right"], [(i["name"], i["change"]) for i in d["items"]])' \
	"('4.1', 'now', [('extra.csv', 'added'), ('sales.csv', 'changed')])"
tm diff 2.1 --now --only sales.csv --stat; like "now: --stat of one" "$out" '^input sales.csv +changed +table'
tm diff 2.1 3.1 --now; is "now: of two" "$rc" 3
tm diff 2.1 --now --files; is "now: or files" "$rc" 3

# what is read of others: rejected, questioned, replaced
echo gone >gone.txt
"$TICKMARK" mark 1.1 questioned --as-command >/dev/null
tm rerun --dry-run 2; like "questioned" "$err" '^2\.1 read sum\.txt of 1\.1, questioned$'
run_ok "sum again, another one" --step 1 sum.py 2
"$TICKMARK" mark 1.1 rejected --as-command >/dev/null
tm rerun --dry-run 2; like "rejected and replaced" "$err" '^2\.1 read sum\.txt of 1\.1, rejected, replaced by 1\.2$'
like "the row of what follows says so too" "$err" '^3\.1 follows: it read half\.txt of step 2; sum\.txt of 1\.1, rejected, replaced by 1\.2$'
like "and that the file is another one now" "$err" '^sum\.txt: changed since$'
tm diff 2.1 --now --only sum.txt; is "the file of now is the one that a step made" "$(grep '^[-+]sum' <<<"$out" | tr '\n' ' ')" '-sum 1 +sum 2 '
tm repeat 2.1; is "repeat: the recorded ones" "$rc $out" "0 2.1r1 repeats 2.1: same"
tm rerun --changed; is "rerun --changed: in order" "$rc $(grep -oE '^[0-9]+\.[0-9]+ ok' <<<"$err" | tr '\n' ' ')" "0 2.2 ok 3.2 ok 4.2 ok "
tm diff 2; like "O29: the head tells that the inputs changed, not the code" "$(head -1 <<<"$out")" '^2\.1 -> 2\.2: same code, inputs changed: sales\.csv, sum\.txt; differs: 1 file$'
tm diff 2.2 --now; is "nothing changed since the rerun" "$rc" 0

# The folder's file is the one that was read, and yet a step's own is what a new attempt gets.
workspace steps
echo before >in.csv; echo kept >other.csv
printf '# Reads\nprint(open("in.csv").read() + open("other.csv").read())\n' >reads.py
printf '# Writes\nopen("in.csv", "w").write("by a step\\n")\n' >writes.py
printf '# Updates\nopen("in.csv", "a").write("more\\n")\n' >updates.py
for s in reads writes; do run_ok "$s" $s.py; done
tm diff 1.1 --now; is "a step's file stands there: now" "$rc $(head -1 <<<"$out")" "1 1.1 -> now: changed since: in.csv"
is "with its bytes" "$(grep '^[-+][a-z]' <<<"$out" | tr '\n' ' ')" '-before +by a step '
tm rerun --changed --dry-run; like "rerun --changed takes it" "$err$out" '1\.1'
tm show 1.1 --json; jis "show" '[(i["path"], i["since"]) for i in d["inputs"]]' "[('in.csv', 'changed'), ('other.csv', 'same')]"
run_ok "updates" updates.py
tm show 3.1 --json; jis "a step's update of it is its own" '[i["since"] for i in d["inputs"]]' "['own']"
echo after >in.csv
tm show 3.1 --json; jis "until the folder's changes" '[i["since"] for i in d["inputs"]]' "['changed']"
printf '# Wants\nopen("late.csv")\n' >wants.py; tm run wants.py
printf '# Late\nopen("late.csv", "w").write("late\\n")\n' >late.py; run_ok "late" late.py
tm diff 4.1 --now; is "new: of a step" "$(head -1 <<<"$out")" "4.1 -> now: new now: late.csv"
printf '# Mentions\nprint(open("artifacts/2.1/in.csv").read())\n' >mentions.py; run_ok "mentions" mentions.py
tm diff 6.1 --now; is "what is mentioned stays" "$rc $out" "0 6.1 -> now: every input is as it was seen"
"$TICKMARK" attach remove other.csv >/dev/null 2>&1
tm show 1.1 --json; jis "detached, it is missing" 'd["inputs"][1]["since"]' missing
finish

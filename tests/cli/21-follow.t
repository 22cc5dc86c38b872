#!/bin/bash
# rerun: what changed, what is new or missing, and the later steps that follow, in order.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'v\n10\n' >in.csv
printf 'open("a.txt", "w").write(open("in.csv").read())\n' >one.py
printf 'print("own")\n' >own.py
printf 'open("b.txt", "w").write(open("a.txt").read() * 2)\n' >two.py
printf 'print(len(open("b.txt").read()))\n' >three.py
printf 'print(open("late.csv").read())\n' >late.py
for s in one own two three; do run_ok "$s" $s.py; done
tm run late.py; is "a missing input: not ok" "$rc" 1

tm rerun 1 --dry-run; is "nothing changed: status" "$rc" 0
is "nothing changed: but what follows is told" "$(tr '\n' '|' <<<"$err")" "1.1: none of its 1 input changed|3.1 follows: it read a.txt of step 1|4.1 follows: it read b.txt of step 3|"
tm rerun 2 -n; is "nothing follows" "$err" "2.1 read no file that could have changed"
printf 'x\n' >late.csv; tm rerun 5 -n; like "new now" "$err" '^late.csv: new now$'
rm late.csv; printf 'v\n10000\n' >in.csv
tm rerun 1 -n; like "changed" "$err" '^in.csv: changed since$'
tm log; is "a dry run runs nothing" "$(grep -c '^[0-9]' <<<"$out")" 5
tm rerun 1 --dependents; is "with dependents: status" "$rc" 0
is "with dependents: what came out" "$out" "16"
tm log --oldest-first; is "with dependents: in order" "$(sed -n 's/^\([0-9.]*\) .*/\1/p' <<<"$out" | tail -3 | tr '\n' ' ')" "1.2 3.2 4.2 "
tm diff 4; is "the reason is told by diff" "$(head -1 <<<"$out")" "4.1 -> 4.2: same code, inputs changed: b.txt; differs: stdout"
tm rerun --changed -n; is "all is up to date: status" "$rc" 0; is "all is up to date" "$err" "no input of any step changed"
printf 'v\n1\n' >in.csv; tm rerun --changed -n; like "changed: the first" "$err" '^1.2 runs again$'; like "changed: the last" "$err" '^4.2 follows: it read b.txt of step 3$'
rm in.csv; tm rerun --changed; is "one that fails ends it: status" "$rc" 1
like "one that fails ends it: said" "$err" '2 that follow are not run'
tm log; is "one that fails ends it" "$(grep -c '^[34][.]3' <<<"$out")" 0
tm rerun; is "which? status" "$rc" 3
tm rerun --changed 1; is "both: status" "$rc" 3
tm rerun 77; is "no such step: status" "$rc" 2
finish

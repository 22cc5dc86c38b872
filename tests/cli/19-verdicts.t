#!/bin/bash
# repeat of many: four steps, four right verdicts; noise by rule, never a figure; stop and resume.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'id,cents\n1,10\n2,20\n' >sales.csv
printf 'import random\nprint("drawn", random.random())\n' >draw.py
printf 'import datetime, time\nprint("made at", datetime.datetime.now(), object())\nprint(f"took {time.perf_counter() %% 0.9:.3f} s")\n' >clock.py
printf 'print(sum(int(l.split(",")[1]) for l in open("sales.csv").readlines()[1:]))\n' >input.py
printf 'print("stable", 2 + 2)\nopen("out.txt", "w").write("x")\n' >stable.py
for s in draw clock input stable; do run_ok "$s" $s.py; done
sed -i 's/,20/,99/' sales.csv; printf 'print(0)\n' >stable.py

tm repeat --all --json
is "four steps: status" "$rc" 1
jis "four steps: verdicts" '[c["verdict"] for c in d["checks"]]' "['differs', 'same but for noise', 'same', 'same']"
jis "four steps: noise by rule" 'd["checks"][1]["noise"]' "1 time stamp, 1 object address, 1 duration"
jis "four steps: where it differs" '(d["checks"][0]["first_difference"][:12], d["checks"][0]["noise"], d["checks"][1]["first_difference"])' "('stdout byte ', None, None)"
jis "four steps: counted" 'd["counts"]' "{'same': 2, 'same but for noise': 1, 'differs': 1, 'cannot compare': 0, 'not repeated': 0}"
jis "four steps: one check alone does not say why" '[c["why"] for c in d["checks"]]' "[None, None, None, None]"
jis "four steps: nothing foreseen" '(d["foreseen"], d["stopped"])' "([], False)"
tm repeat --all -j 3
is "as text: lines" "$(grep -c ' repeats ' <<<"$out")" 4
like "as text: where it differs, as it was" "$(grep -A1 '^1.1r2 ' <<<"$out" | tail -1)" '^  -drawn 0\.[0-9]+$'
like "as text: and as it came out" "$(grep -A2 '^1.1r2 ' <<<"$out" | tail -1)" '^  \+drawn 0\.[0-9]+$'
like "as text: the check before tells why" "$out" '^  random: a second repeat gave something else again$'
tm diff 1.1r2; like "why, in the difference" "$out" '^1.1 -> 1.1r2: verdict differs \(stdout byte [0-9]+\), random: 1.1r1 gave something else again; same code, same inputs; differs: stdout$'
tm repeat --all -j 3; like "as text: table" "$out" '^same but for noise +1$'
like "as text: foreseen" "$err" '^4 attempts: every interpreter and input is here as recorded$'
tm show 2.1r1 --json; jis "show: noise" '(d["verdict"], d["noise"], d["first_difference"])' "('same but for noise', '1 time stamp, 1 object address, 1 duration', None)"
tm repeat --unreviewed --dry-run; like "unreviewed: all" "$err" '^4 attempts: '
"$TICKMARK" mark 1 accepted --as-command >/dev/null 2>&1; "$TICKMARK" mark 4 questioned --as-command >/dev/null 2>&1
"$TICKMARK" mark 4 withdrawn --as-command >/dev/null 2>&1; run_ok "input again" input.py
tm repeat --unreviewed --json
jis "unreviewed: the last attempt of each step without a mark that stands" '[c["check_of"] for c in d["checks"]]' "['2.1', '3.2', '4.1']"
tm repeat --failed; is "none failed" "$rc $(grep -c ' repeats ' <<<"$out")" "0 0"
printf 'raise SystemExit(3)\n' >bad.py; tm run bad.py
tm repeat --failed; is "one failed, and comes out again" "$rc $(grep ' repeats ' <<<"$out")" "0 5.1r1 repeats 5.1: same"
tm repeat --since 2000-01-01 --dry-run; is "since: all" "$rc $err" "0 6 attempts: every interpreter and input is here as recorded"
tm repeat --since 2999-01-01 --dry-run; like "since: none" "$err" '^0 attempts'
tm repeat --since yesterdayish; is "since: wrong" "$rc" 3
tm repeat; is "which?" "$rc" 3
tm repeat --all 1.1; is "both" "$rc" 3
# at-once is what --jobs is not given: one after the other
"$TICKMARK" config at-once 1; "$TICKMARK" repeat --all >/dev/null 2>&1; "$TICKMARK" config --unset at-once
is "at-once binds them" "$("$python" -c 'import sqlite3
d = sqlite3.connect("file:.tickmark/record.db?mode=ro", uri=True)
v = d.execute("select a.queued_us, e.ended_us from attempt a join attempt_end e on e.attempt = a.id where a.check_of is not null order by a.id desc limit 6").fetchall()[::-1]
print(len(v), all(b[0] >= a[1] for a, b in zip(v, v[1:])))')" "6 True"
tm repeat --all --jobs 0; is "no jobs" "$rc" 3
tm repeat --all --resume; is "nothing to resume" "$rc" 2

# random, or changed?
tm repeat 1 --again; is "random: status" "$rc" 1; is "random: said" "$(tail -1 <<<"$out")" "  random: a second repeat gave something else again"
printf 'import os\nprint("seed", os.environ["PYTHONHASHSEED"])\n' >seed.py; run_ok "seed" seed.py; tm repeat last --vary hashseed=5 --again --json
jis "changed: why" '(d["checks"][0]["verdict"], d["checks"][0]["why"])' "('differs', 'changed')"
tm repeat 3 --again --json; jis "same: no why" 'd["checks"][0]["why"]' None

# one's own rule, and only what it matches
printf 'import os\nprint("run id", "f" + os.urandom(4).hex(), "total", 5)\n' >own.py; run_ok "own" own.py
tm repeat 7; is "without a rule it differs" "$rc" 1
tm config noise 'run id [0-9a-f]+'; is "config noise" "$rc" 0
tm repeat 7; is "with it: noise, and the rule is in the verdict" "$rc ${out#* }" "0 repeats 7.1: same but for noise: 1 by the workspace's own rule: run id [0-9a-f]+"
tm config noise '('; is "a rule that is no expression is refused" "$rc" 3
for rule in '.*' '\d+' '(a+)+$'; do tm config noise "$rule"; is "a rule that hides figures or loses itself is refused: $rule" "$rc" 3; done
like "and is told why" "$err" 'takes too long'
cp .tickmark/config kept; sed -i 's/^noise.*/noise = .*/' .tickmark/config; grep -q '^noise = \.\*' .tickmark/config || echo 'noise = .*' >>.tickmark/config
tm repeat 7; is "edited in by hand it is refused too" "$rc" 2; like "and the file is named" "$err" "would hide figures"; mv kept .tickmark/config
printf 'import os\nprint("run id", os.urandom(4).hex(), "total", int.from_bytes(os.urandom(4), "big"))\n' >own.py; run_ok "own figure" own.py
tm repeat 7; is "a figure beside it still differs" "$rc" 1

# zone, terminal width and hash seed are given again, whatever they are now
printf 'import os, time\nprint(time.tzname, os.environ["PYTHONHASHSEED"], os.environ["COLUMNS"], hash("a"))\n' >zone.py
TZ=Europe/Berlin "$TICKMARK" run zone.py >/dev/null 2>&1
if [ -e /usr/share/zoneinfo/Europe/Berlin ]; then
	out=$(TZ=America/New_York COLUMNS=133 LC_ALL=C PYTHONHASHSEED=5 "$TICKMARK" repeat last 2>&1)
	is "zone, width and seed of the run" "${out#* }" "repeats 8.1: same"
	tm diff 8.1r1 --stat; like "and the check knows its zone" "$out" 'same code, same inputs; the same came out$'
else skip "zone, width and seed of the run" "no tzdata"; skip "and the check knows its zone" "no tzdata"; fi

# artifacts: text and office files
if has_modules openpyxl; then
	printf 'import openpyxl\nw = openpyxl.Workbook(); w.active["A1"] = 5; w.save("x.xlsx")\nimport time; time.sleep(1.1)
open("x.pdf", "wb").write(b"%%PDF-1.4 \\0 " + time.strftime("(D:%%Y%%m%%d%%H%%M%%SZ)").encode())\n' >sheet.py
	run_ok "sheet" sheet.py; tm repeat 9; like "an xlsx and a PDF that differ in their time stamps" "$out" 'same but for noise: [0-9]+ time stamps'
	printf 'import openpyxl, os\nw = openpyxl.Workbook(); w.active["A1"] = int.from_bytes(os.urandom(4), "big"); w.save("x.xlsx")\n' >sheet.py
	run_ok "sheet figure" sheet.py; tm repeat 9; like "an xlsx with another figure" "$out" 'differs: artifact x.xlsx'
else skip "xlsx" "no openpyxl"; fi

# of many, what differs once more
workspace again
cp ../ws/draw.py .; printf 'print("stable")\n' >stable.py; run_ok "draw" draw.py; run_ok "stable" stable.py
tm repeat --all --again --json
jis "--all --again: why" '[(c["ref"], c["verdict"], c["why"]) for c in d["checks"]]' "[('1.1r1', 'differs', 'random'), ('2.1r1', 'same', None)]"
like "--all --again: only what differs ran twice" "$("$TICKMARK" log --checks | grep -cE '^[12][.]1r')" '^3$'

# what is missing is said before
tm config python /usr/bin/python3
printf 'import time\nprint("begun", flush=True)\ntime.sleep(30)\n' >slow.py
cat >temporary.py <<'PY'
import os, random, tempfile
for text in ("one", "two"): open(tempfile.mkdtemp() + "/out.txt", "w").write(text)
with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as f: f.write("a,b")
if os.path.exists("figure"): open(tempfile.mkdtemp() + "/figure.txt", "w").write(str(random.random()))
if os.path.exists("figures"): open(tempfile.mkdtemp(prefix="n%d-" % random.randrange(10**9)) + "/x", "w")
PY
run_ok "files of temporary names" temporary.py; tm repeat last
like "names that tempfile drew are noise" "$out" 'same but for noise: 3 temporary paths$'
touch figure; run_ok "a figure in one" temporary.py; tm repeat last; like "a figure below such a name is none" "$out" 'differs: artifact /tmp/tmp[a-z0-9_]{8}/figure.txt$'
rm figure; touch figures; run_ok "a number before it" temporary.py; tm repeat last; like "nor is a number in such a name" "$out" 'differs: artifact /tmp/n[0-9]+-[a-z0-9_]{8}/x: '
rm figures
printf 'print(1)\n' >quick.py
workspace two
for i in 1 2; do printf 'print(%d)\n' $i >q$i.py; run_ok "quick $i" q$i.py; done
printf 'import os, time\nprint("begun", flush=True)\nif os.path.exists("go"): time.sleep(60)\n' >wait.py
touch go; "$TICKMARK" run --timeout 2s wait.py >/dev/null 2>&1
run_ok "last" q1.py

# stopped by Ctrl-C, gone on with
"$TICKMARK" repeat --all --jobs 1 >"$work/got" 2>"$work/said" & front=$!
wait_for sh -c "$TICKMARK log --checks | grep -q '^3.1r1 .*running'"
kill -INT $front; wait $front; stopped=$?
is "stopped: status" "$stopped" 4
like "stopped: says how to go on" "$(cat "$work/said")" 'resume goes on'
tm repeat 2.1 --resume; like "resumed in part: what was done" "$out" '^2\.1r1 repeats 2\.1: same$' # and the whole is not forgotten
tm repeat --all --resume --json
jis "resumed: all are there, those done once" '[c["ref"] for c in d["checks"] if c["check_of"].startswith(("1", "2"))][:2]' "['1.1r1', '2.1r1']"
jis "resumed: counted" 'sum(d["counts"].values())' 4
tm repeat --all --resume; is "resumed: nothing more" "$rc" 2

# stopped by SIGTERM as by Ctrl-C, and another batch that ends meanwhile does not make it forgotten
workspace term
printf 'print("quick")\n' >quick.py; run_ok "a quick one" quick.py
printf 'import os, time\nprint("begun", flush=True)\nif os.path.exists("slow"): time.sleep(600)\n' >slow.py; echo 1 >slow
"$TICKMARK" run slow.py >/dev/null 2>&1 & wait_for state_is 2.1 running; begun 2.1; "$TICKMARK" stop 2.1 >/dev/null 2>&1; wait $!
"$TICKMARK" repeat --all -j 2 >"$work/said" 2>&1 & batch=$!
begun 2.1r1; wait_for state_is 1.1r1 ok
cp .tickmark/cache/repeat-batch state; rm .tickmark/cache/repeat-batch
kill -TERM $batch; wait $batch; is "SIGTERM: status" "$?" 4
like "SIGTERM: says how to go on" "$(cat "$work/said")" 'resume goes on'; like "SIGTERM: and by whom" "$("$TICKMARK" show 2.1r1)" 'SIGTERM'
yes "it can be resumed though another one had forgotten it" cmp .tickmark/cache/repeat-batch state
finish

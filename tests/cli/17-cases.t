#!/bin/bash
# The reproductions of faults that users met elsewhere, as they are.
. "$(dirname "$0")/lib.sh"
cases=$shared/cases
if [ ! -d "$cases" ]; then echo "1..0 # SKIP no $cases"; exit 0; fi
workspace ws
cp "$cases"/* . && chmod 644 ./*

pty -- "$TICKMARK" run o03_escapes.py >"$work/tty"
is "O3: END markers" "$(grep -o 'END-[a-z0-9-]*' "$work/tty" | wc -l)" 20
like "O3: readable" "$(cat "$work/tty")" '1,000'
no "O3: nothing acts" grep -qP '\x1b\]|\x1b[P_c]|\x1b\[[^m]*[A-LN-Za-ln-z]|\xc2[\x80-\x9f]|[\x80-\xff]\x9b|\x07' "$work/tty"
tm run o05_nul.py; tm export last --stdout -o -; is "O5: stdout" "$(wc -c <"$work/.out")" 33
tm export last --stderr -o -; is "O5: stderr" "$(wc -c <"$work/.out")" 15
tm run o06_badutf8.py; tm export last --stdout -o -; is "O6: stdout" "$(wc -c <"$work/.out")" 1021
same_bytes "O6: bytes" "$work/.out" <("$python" o06_badutf8.py)
tm show last; like "O6: shown to its end" "$out" 'WRAP-END'
"$TICKMARK" run o07_longline.py >/dev/null 2>&1; "$TICKMARK" export last --stdout -o - >"$work/.out"; same_bytes "O7: bytes" "$work/.out" <("$python" o07_longline.py)
tm run o08_flood.py 300000; is "O8: last line" "$(tail -1 "$work/.out") $(grep -c 'line 00150000' "$work/.out")" "LAST-LINE 1"

# O12 and O17: over time, with a terminal that is closed meanwhile
{ echo 'print("begun", flush=True)'; cat o17_hang.py; } >o12.py
pty --hangup begun -- "$TICKMARK" run --timeout 3s o12.py >/dev/null
wait_for state_is last limit
tm show last --stdout
is "O12: 20 lines" "$(grep -c 'checked account' <<<"$out")" 20
tm run --timeout 3s o17_hang.py
like "O17: outcome" "$err" 'limit  timeout 3'
is "O17: 20 lines and a half" "$(grep -o 'checked account [0-9]*' <<<"$out" | wc -l) $(tail -1 <<<"$out")" "20 half a line"
like "O17: the warning" "$err" '^warning: late entry'
is "O17: the file" "$("$TICKMARK" export last partial.csv -o -)" $'a,b\n1,2'

for _ in 1 2 3; do
	"$TICKMARK" run o18_order.py >"$work/both" 2>&1
	# inside a group the order of two near writes cannot be known, between groups it can
	is "O18: groups never swap" "$("$python" - "$work/both" <<'PY'
import sys
text = open(sys.argv[1]).read()
group = [sorted("".join("out %d\nerr %d\n" % (i, i) for i in r)) for r in (range(1, 6), range(6, 11))]
n = len(group[0])
print(sorted(text[:n]) == group[0], sorted(text[n:n + len(group[1])]) == group[1])
PY
)" "True True"
done
for how in zero:0 three:1 raise:1 text:1 kill:1 segv:1 abort:1 num137:1 quiet:0; do
	tm run o20_exits.py "${how%:*}"; is "O20: ${how%:*}" "$rc" "${how#*:}"
done
tm run --memory 128M o20_exits.py memory; like "O20: memory" "$err" 'limit  memory 128M'
tm run --timeout 3s o21_orphans.py
is "O21: none is left" "$(pgrep -f tick-orphan-probe | wc -l)" 0
like "O21: outcome" "$err" 'limit  timeout 3'
tm run o23_figure.py
if grep -q SKIP "$work/.err"; then skip "O23" "no matplotlib"; else
	is "O23: to the end" "$out" "reached the end"
	tm show last --json; jis "O23: two images" 'len(d["artifacts"])' 2
fi
tm run o24_noise.py
is "O24: ok" "$rc $out" "0 result 42"
tm show last --json; jis "O24: files" '[a["path"] for a in d["artifacts"] if not a["path"].startswith("~/tickmark-probe")]' "['helper_mod.py']"
no "O24: HOME is as it was" test -e "$HOME/tickmark-probe"
mkdir "$work/names" && workspace names && cp "$cases/o27_names.py" . && tm run o27_names.py
tm show last --artifacts; is "O27: rows" "$(wc -l <"$work/.out")" 19
tm export last --to "$work/names-out"; is "O27: exports" "$(find "$work/names-out" -type f -exec cat {} + | sort -t, -k2n | tr '\n' ' ')" "$(for i in $(seq 0 18); do printf 'file,%d ' "$i"; done)"
cd "$work/ws" || exit 1
tm run --new o28_same_name.py; a=$("$TICKMARK" log -n 1 --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["attempts"][0]["ref"])')
first=$("$TICKMARK" export "$a" report.csv -o -); tm run o28_same_name.py
tm show last --json; jis "O28: three files" 'len(d["artifacts"])' 3
is "O28: the first keeps its own" "$("$TICKMARK" export "$a" report.csv -o -)" "$first"
like "O28: never the draft" "$first" '^final'

tm run o29_total.py; is "O29: total" "$out" "rows 3 total 3449"
a=$("$TICKMARK" log -n 1 --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["attempts"][0]["ref"])')
cp -p o29_sales.csv "$work/stamp"; sed -i 's/399/400/' o29_sales.csv; touch -r "$work/stamp" o29_sales.csv
tm show "$a" --inputs; like "O29: changed since" "$out" '^o29_sales.csv .*changed since'
tm repeat "$a"; is "O29: repeat" "$rc $("$TICKMARK" show "${out%% *}" --stdout)" "0 rows 3 total 3449"
tm rerun "$a"; is "O29: rerun" "$out" "rows 3 total 3450"
like "O29: the file is named" "$err" '^o29_sales.csv: changed since'
for u in 000 022; do
	(umask $u; "$TICKMARK" run o29_total.py >/dev/null 2>&1); is "O35: umask $u" "$(find .tickmark ! -type l -perm /077)" ""
done
PROBE_API_KEY=s3cr3t-probe SSH_AUTH_SOCK=x tm run o47_env.py
no "O47: in no stored byte" grep -r -q s3cr3t-probe .tickmark
unlike "O47: nor in what it printed" "$out" 's3cr3t-probe|SSH_AUTH_SOCK'
sed 's/sleep(8)/sleep(2)/' o48_edit_during_run.py >edit.py
"$TICKMARK" run edit.py >"$work/got" 2>/dev/null & front=$!
wait_for state_is last running; sed -i 's/version-one/version-two/' edit.py; wait $front
is "O48: what ran" "$(cat "$work/got")" version-one
like "O48: stored code" "$("$TICKMARK" show last --code)" version-one
tm repeat last; is "O48: repeat" "$rc" 0
finish

#!/bin/bash
# log and show: what they list, sections, references, and that the documented JSON is the real one.
. "$(dirname "$0")/lib.sh"
workspace ws
tm log
is "log of an empty record: status" "$rc" 0
is "log of an empty record: stdout" "$out" ""
like "log of an empty record: says so" "$err" "no attempt yet"
tm log --json; jis "log --json of an empty record" 'd' "{'attempts': [], 'more': False}"
tm show last; is "show of nothing: status" "$rc" 2
like "show of nothing: message" "$err" '^tickmark show: '

echo in >in.csv
cat >a.py <<'PY'
# First script
# purpose: to have something
import sys
print("out one"); print("out two"); print("err one", file=sys.stderr)
open("in.csv").read(); open("f.txt", "w").write("x")
PY
run_ok "a run" a.py arg1
tm_from <(echo 'raise ValueError("no")') run --title "Second" -
tm_from <(echo 'print(2)') run --step 2 -
tm repeat 1.1

tm log
is "log: newest first" "$(awk 'NR > 1 {print $1}' <<<"$out" | tr '\n' ' ')" "2.2 2.1 1.1 "
like "log: titles" "$out" '^1\.1 +ok .* First script'
like "log: outcome and reason" "$out" '^2\.1 +error .*ValueError'
tm log --oldest-first; is "log --oldest-first" "$(awk 'NR > 1 {print $1}' <<<"$out" | tr '\n' ' ')" "1.1 2.1 2.2 "
tm log -n 2; is "log -n" "$(awk 'NR > 1 {print $1}' <<<"$out" | tr '\n' ' ')" "2.2 2.1 "
tm log -n2 --json; jis "log -n --json" '[a["ref"] for a in d["attempts"]], d["more"]' "(['2.2', '2.1'], True)"
tm log --json -n 3; jis "log -n: exactly as many as there are" 'd["more"]' False
tm log --steps; is "log --steps" "$(awk 'NR > 1 {print $1}' <<<"$out" | tr '\n' ' ')" "2.2 1.1 "
tm log 2; is "log of a step" "$(awk 'NR > 1 {print $1}' <<<"$out" | tr '\n' ' ')" "2.2 2.1 "
tm log --checks; like "log --checks" "$out" '^1\.1r1 +ok +same'
tm log -n 0; is "log -n 0: status" "$rc" 3
tm log nonsense; is "log of nonsense: status" "$rc" 3

# references
for pair in "1 1.1" "1.1 1.1" "2 2.2" "last 2.2" "last~1 2.1" "last~2 1.1" "1.1r1 1.1r1"; do
	tm show "${pair% *}" --json; jis "reference ${pair% *}" 'd["ref"]' "${pair#* }"
done
for r in 7 1.9 last~99 1.1r9 last~3; do
	tm show "$r"; is "reference $r, which is not there: status" "$rc" 2
	is "reference $r: one line" "$(wc -l <"$work/.err")" 1
done
for r in "" x 0 1. 1.1r .5 -- 1.1.1 last~ 99999999999999999999; do
	tm show -- "$r"; is "reference '$r', which is none: status" "$((rc == 3 || (rc == 2 && ${#r} > 9)))" 1
done

tm show 1.1
for want in '^1\.1 ok' '^  First script$' '^  asked by +person' '^  script +a\.py' "^  arguments +'arg1'" '^purpose$' \
	'^  to have something$' '^code$' '^  print\("out one"\)' '^inputs$' '^  in.csv +read +3 .* [0-9a-f]{64}$' \
	'^stdout$' '^  out two$' '^stderr$' '^  err one$' '^files$' '^  f.txt +created +1' \
	'^environment$' '^  python +CPython 3\.' '^policy$' '^  sandbox +tier' '^resources$' '^  peak memory'; do
	like "show: $want" "$out" "$want"
done
unlike "show: no section without content" "$out" '^refused by the sandbox'
tm show 1.1 --code; same_bytes "show --code: the bytes" "$work/.out" a.py
tm show 1.1 --stdout; is "show --stdout" "$out" $'out one\nout two'
tm show 1.1 --stderr; is "show --stderr" "$out" "err one"
tm show 1.1 --inputs; like "show --inputs" "$out" '^in.csv +read'
tm show 1.1 --artifacts; like "show --artifacts" "$out" '^f.txt +created'
tm show 1.1 --offered; like "show --offered" "$out" '^in.csv +3 '
tm show 1.1 --policy; like "show --policy" "$out" '^  memory +'
tm show 1.1 --resources; like "show --resources" "$out" 'time '
tm show 1.1 --env; like "show --env lists packages" "$out" '^  python '
tm show 1.1 --code --stdout; like "two sections have titles" "$out" '^stdout$'

# every documented member is there, and every member is documented
documented() { # COMMAND: of its help
	"$TICKMARK" help "$1" | awk '/^members of/ {on = 1; next} /^$/ {on = 0} on && /^  [a-z]/ {print $1}' | sort
}
members() { # of the document in $work/.out
	"$python" - "$work/.out" <<'PY'
import json, sys
seen = set()
def walk(v, path):
    if path in ("policy.limits", "counts"): seen.add(path); return
    if path.endswith(".packages") and isinstance(v, dict): seen.add(path); return
    if isinstance(v, dict):
        for k, x in v.items(): walk(x, path + "." + k if path else k)
    elif isinstance(v, list):
        for x in v: walk(x, path + "[]")
        if not v: seen.add(path + "[]?")
    else: seen.add(path)
walk(json.load(open(sys.argv[1])), "")
print("\n".join(sorted(seen)))
PY
}
shape() { # NAME COMMAND: compares; members that stand for several shapes are joined by the caller
	local doc real
	doc=$(documented "$2"); real=$(grep -v '_base64$' "$work/members" | sort -u)
	is "$1: every member is documented" "$(comm -13 <(echo "$doc") <(grep -v '?$' <<<"$real"))" ""
	is "$1: every documented member is there" "$(comm -23 <(echo "$doc") <(sed 's/?$//' <<<"$real" | sort -u))" ""
}
cat >full.py <<'PY'
import socket, sys
open("in.csv").read(); open("f.txt", "w").write("x")
try: open("nope.csv")
except OSError: pass
try: socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError: pass
print("o", flush=True)
x = [bytearray(16 << 20) for _ in range(64)]
PY
tm run --env A=1 --memory 64M full.py arg
tm mark last questioned --as-command; tm note last --line 1 "why?"
tm show last --json; members >"$work/one"
tm_from <(echo 'open("f.txt", "w"); open("nope.csv")') run -
tm show last; like "show: missing" "$out" '^  nope.csv +missing'
tm show last --json; members >>"$work/one"
# stderr has the members of stdout; a limit is null where none ended it
sed 's/^stderr\./stdout./; /^limit$/d' "$work/one" >"$work/members"
shape "show" show
tm log --json; members >"$work/members"; shape "log" log
tm repeat --json 1.1; members >"$work/members"
tm repeat --json --all; members >>"$work/members"
# here every interpreter and input is as recorded; 19-verdicts has what is foreseen
grep '^foreseen' <<<"$(documented repeat)" >>"$work/members"; sed -i '/^foreseen\[\]?$/d' "$work/members"
shape "repeat" repeat
tm verify --json; members >"$work/members"; is "verify: faults" "$(grep -c 'faults' "$work/members")" 1
sed -i 's/^faults\[\]?$/faults[]/' "$work/members"; shape "verify" verify
tm config --json; members >"$work/members"; shape "config" config
{ for o in "" --limits --self-test; do tm doctor $o --json; members; done; } >"$work/members"; shape "doctor" doctor
{ tm attach --json; members; printf x >.hid; tm attach --excluded --json; members; tm attach why in.csv --json; members; } >"$work/members"
shape "attach" attach
tm export 1.1 --to "$work/out" --json; members >"$work/members"; shape "export" export
tm wait last --json; members >"$work/members"; shape "wait" wait
mkdir "$work/ws3" && touch "$work/ws3/.h" && tm init --json "$work/ws3"; members >"$work/members"; shape "init" init
ref=$("$TICKMARK" run --detach - <<<'import time; time.sleep(3600)')
wait_for state_is "$ref" running
# what runs, as far as it is
tm log --json; jis "log: processor and memory of what runs" '[a["ref"] for a in d["attempts"] if a["cpu_us"] is not None and a["memory"] > 0]' "['$ref']"
tm log; like "log: and as text" "$out" "^$ref +running +[0-9].*processor [0-9.]+.*, memory [0-9.]+"
tm show "$ref"; like "show: as far as it is" "$out" '  so far +[0-9].*, processor .*[0-9]s'
tm stop --json "$ref"; members >"$work/members"; shape "stop" stop

# budgets: what a document leaves out is counted
tm_from <(echo 'import sys; sys.stdout.write("é" * 5000 + "END")') run -
tm show last --json --budget 1000
jis "budget: totals and cut" 'd["stdout"]["bytes"], d["stdout"]["cut"], d["stdout"]["omitted"] + len(d["stdout"]["text"].encode()) + len(d["stdout"]["tail"].encode())' "(10003, True, 10003)"
jis "budget: no character is cut" '"�" in d["stdout"]["text"] + d["stdout"]["tail"]' False
jis "budget: the end is there" 'd["stdout"]["tail"].endswith("END")' True
jis "budget: kept" '900 < len(d["stdout"]["text"].encode()) + len(d["stdout"]["tail"].encode()) <= 1000' True
tm show last --json --budget 10003; jis "budget: exactly the size, nothing is cut" 'd["stdout"]["cut"], d["stdout"]["tail"], len(d["stdout"]["text"].encode())' "(False, None, 10003)"
tm show last --json --budget 10002; jis "budget: one less" 'd["stdout"]["cut"]' True
tm show last --json --budget 0; jis "budget: none" 'd["stdout"]["text"], d["stdout"]["omitted"]' "('', 10003)"
tm show last --json --budget x; is "budget: nonsense" "$rc" 3
for n in 1 2 3 7 999 131072; do
	tm_from <(echo "import sys; sys.stdout.write('x' * $n + 'TAIL')") run -
	tm show last --json --budget $((n + 4)); jis "budget: $((n + 4)) of $((n + 4))" 'd["stdout"]["text"].endswith("TAIL"), d["stdout"]["cut"]' "(True, False)"
done
finish

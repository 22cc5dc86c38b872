#!/bin/bash
# both users
# Kinds of sandbox as a user meets them: forced in turn, on the record, required, attacked.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >a.py <<'PY'
import os
open("out.txt", "w").write(open("data.csv").read().upper())
open(os.path.expanduser("~/home.txt"), "w").write("h")
print(open("data.csv").read().split()[0])
PY
printf 'a,b\n1,2\n' >data.csv
tiers="A A-noproc B"
[ "$(id -u)" = 0 ] && tiers="A-root B" # the others are the same for everybody
for t in $tiers; do
	export TICKMARK_TEST_TIER=$t
	tm doctor; st=$out
	if grep -q '^!!  sandbox  *none' <<<"$st"; then skip "tier $t" "not to be had here"; continue; fi
	like "$t: doctor names the tier" "$st" "sandbox .*\\(tier $t\\)"
	like "$t: and that it was forced" "$st" "forced by TICKMARK_TEST_TIER"
	tm run a.py; is "$t: a run" "$rc" 0
	is "$t: its output" "$(head -1 <<<"$out")" "a,b"
	tm show last --json
	jis "$t: the record names it" 'd["policy"]["tier"]' "$t"
	jis "$t: what it read" 'sorted(f["path"] for f in d["inputs"] if f["class"] == "read")' "['data.csv']"
	jis "$t: what it left" 'sorted(f["path"] for f in d["artifacts"])' "['out.txt', '~/home.txt']"
	tm doctor --self-test --json; is "$t: self-test" "$rc" 0
	jis "$t: self-test: nothing got through" '(d["good"], d["tier"], all(a["held"] for a in d["attacks"]), len(d["attacks"]) >= 30)' "(True, '$t', True, True)"
done
export TICKMARK_TEST_TIER=B
tm run a.py; like "B: a run says that it is weaker" "$err" "tier B"
tm repeat 1.1; like "B: a check says that the sandbox differs" "$out$err" "sandbox B for A"
echo 'raise ValueError(open("data.csv").read())' >b.py
tm run b.py; tm repeat last; is "B: a traceback, which shows where it ran, repeats the same" "$rc" 0
tm config tier A
tm run a.py; is "a required tier is not stepped down from" "$rc" 2
like "and it is said" "$err" "ask for isolation of tier A, this machine has B"
tm config --unset tier
TICKMARK_TEST_SCRATCH=disk tm run a.py
is "what cannot be had is refused" "$rc" 2
like "with the reason" "$err" "no sandbox can be had here"
unset TICKMARK_TEST_TIER
for s in tmpfs disk copy; do
	TICKMARK_TEST_SCRATCH=$s tm run a.py; is "scratch $s: a run" "$rc" 0
	tm show last --json; jis "scratch $s: on the record" 'd["policy"]["scratch"]' "$s"
done
tm run a.py; tm show last --json
jis "without forcing: not what was remembered for forced ones" 'd["policy"]["tier"] in ("A", "A-noproc") and d["policy"]["scratch"] != "copy"' True

# the table for people, and byte code
cd "$work" && tm doctor --self-test; is "self-test without a workspace" "$rc" 0
like "self-test: a table" "$out" '^ok +network +opens an internet connection .*on the record: network, socket AF_INET$'
like "self-test: its last line" "$out" '^tier .*: nothing got through$'
finish

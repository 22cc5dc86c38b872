#!/bin/bash
# Any cut is stated; exactly at a limit nothing is cut.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >size.py <<'PY'
import sys
kind, n = sys.argv[1], int(sys.argv[2])
if kind == "lines": print(*("%d" % i for i in range(n)), sep="\n")
else: sys.stdout.write(("%063d\n" % 0 * (n // 64) + "x" * (n % 64))[:n - 4] + "TAIL")
PY
tm config stream-head 8K; tm config stream-tail 4K
for n in 8192 12288; do
	tm run size.py bytes $n
	is "$n bytes: status and size" "$rc $(wc -c <"$work/.out")" "0 $n"
	unlike "$n bytes: nothing is cut" "$err" "not in the record"
	tm show last --json; jis "$n bytes: document" 'd["stdout"]["bytes"], d["stdout"]["lost"], d["stdout"]["cut"], d["stdout"]["text"].endswith("TAIL")' "($n, 0, False, True)"
done
tm run size.py bytes 12289
is "12289 bytes: status" "$rc" 0
like "12289 bytes: the cut is said" "$err" 'stdout: 1 of 12K are not in the record, which keeps the first 8\.0K and the last 4\.0K'
tm show last --json
jis "12289 bytes: document" 'd["stdout"]["bytes"], d["stdout"]["lost"], d["stdout"]["cut"], len(d["stdout"]["text"]), len(d["stdout"]["tail"])' "(12289, 1, True, 8192, 4096)"
tm show last; like "12289 bytes: stated at its place" "$out" '^  \[1 bytes are not in the record\]'
tm show last --stdout
is "12289 bytes: show --stdout gives what is kept" "$(wc -c <"$work/.out")" 12288
like "12289 bytes: and says so" "$err" '1 bytes at byte 8192 are not in the record'
tm export last --stdout -o -; like "12289 bytes: export says so" "$err" '1 of 12289 bytes are not in the record'
tm search nosuchword --in stdout; is "12289 bytes: search: status" "$rc" 1
like "12289 bytes: search says what it could not search" "$err" '^1 byte of streams could not be searched'
tm search nosuchword --in stdout --json; jis "12289 bytes: search --json" 'd["sum"]["missing"], d["sum"]["bytes"] >= 12288' "(1, True)"
tm search nosuchword --in code --json; jis "no stream searched, no byte missing" 'd["sum"]["missing"]' 0
like "12289 bytes: search on the screen" "$(printf 'wait-idle\ntext Snosuchword\nkey Enter\nwait-idle\n' | "$TICKMARK" --script - --size 100x12)" \
	'No hit in what is recorded; 1 bytes of streams are not'
tm run size.py lines 11
is "11 lines are 11" "$(wc -l <<<"$out") $(tail -1 <<<"$out")" "11 10"
tm config stream-total 64K
tm_from <(echo 'while True: print("x" * 99)') run -
is "a flood is ended: status" "$rc" 1
like "a flood is ended: by which limit" "$err" 'limit  stream-total 64K '
like "a flood is ended: what raises it" "$err" 'tickmark config stream-total '
tm verify; is "the record verifies" "$rc" 0
finish

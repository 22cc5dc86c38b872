#!/bin/bash
# What came out again, on the screen: four steps, four verdicts; where one differs and why; two images.
. "$(dirname "$0")/lib.sh"
mkdir -p "$work/ws"; cd "$work/ws" || exit 1
workspaces=$work/ws
begin_record >/dev/null 2>&1
printf 'id,cents\n1,10\n' >sales.csv
printf '# Draw\nimport random\nprint("begin")\nprint(object())\nprint("drawn", random.random())\n' >draw.py
printf '# Say when\nimport datetime\nprint("made at", datetime.datetime.now())\n' >clock.py
printf '# Add up\nprint(open("sales.csv").read())\n' >input.py
printf '# Stay\nprint(4)\n' >stable.py
for s in draw clock input stable; do "$TICKMARK" run $s.py >/dev/null 2>&1; done
echo '2,99' >>sales.csv
# played KEYS: on 100x30, text
played() { "$TICKMARK" --script - --size 100x30 "$work/ws"; }

out=$(played 2>&1 <<'X'
wait-idle
text :1.1
key Enter r
wait 1.1r1 repeats 1.1: differs
wait-idle
text :2.1
key Enter r
wait 2.1r1 repeats 2.1: same but for noise
wait-idle
text :3.1
key Enter r
wait 3.1r1 repeats 3.1: same
wait-idle
text :4.1
key Enter r
wait 4.1r1 repeats 4.1: same
wait-idle
dump text
X
); is "four repeats by keys: status" $? 0
for v in 1.1r1:differs '2.1r1:same but for noise' 3.1r1:same 4.1r1:same; do
	is "the record has ${v%%:*}" "$("$TICKMARK" show "${v%%:*}" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["verdict"])')" "${v#*:}"
done
out=$(played 2>&1 <<'X'
wait-idle
text :1
key Enter l
wait-idle
dump text
X
); like "its rows show them" "$out" '1\.1r1.*differs'

# the difference of a check opens at the figure, behind the noise; a second repeat tells why
out=$(played 2>&1 <<'X'
wait-idle
text :diff 1.1 1.1r1
key Enter
wait a second repeat tells random from changed
wait-idle
dump text
key r
wait 1.1r2 repeats 1.1: differs
wait random: 1.1r2 gave something else again
wait-idle
X
); is "why: status" $? 0
like "it opens at the figure" "$out" '^>.*-drawn 0\.'
like "and says what did not change" "$out" '^ # the same: code, arguments, inputs, environment, policy$'

# images beside each other: in colours, and by signs where there are none
cat >draw.py <<'X'
# Two images
import os, struct, sys, zlib
w, h, c = 40, 24, lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
edge = 10 if sys.argv[1] == "a" else 30
raw = b"".join(b"\0" + b"".join(b"\0\0\xc8" if x < edge else b"\xff\xff\xff" for x in range(w)) for y in range(h))
open("chart.png", "wb").write(b"\x89PNG\r\n\x1a\n" + c(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) + c(b"IDAT", zlib.compress(raw)) + c(b"IEND", b""))
X
"$TICKMARK" run --new draw.py a >/dev/null 2>&1; "$TICKMARK" run draw.py b >/dev/null 2>&1
keys='wait-idle
text :diff 5.1 5.2
key Enter
wait-idle
key G
dump both
resize 60x12
wait-idle
dump text'
out=$(played <<<"$keys" 2>&1); is "images: status" $? 0
like "images: size and pixels" "$out" 'file chart.png  480 of 960 pixels differ'
is "images: both in half blocks, and again sized to a smaller view" "$(grep -c '▀.*│.*▀' <<<"$out")" "$((12 + 6))"
like "images: in their colours" "$out" '#0000c8'
out=$(NO_COLOR=1 played <<<"$keys" 2>&1)
like "images: by signs" "$out" '@{10} +│ @{30}'
finish

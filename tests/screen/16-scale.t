#!/bin/bash
# O36: many attempts, some with large output. Where the list begins, what is counted, what a search finds does not
# depend on how many there are. SOAK=1: 100,000 attempts and ten of 50 MB.
. "$(dirname "$0")/lib.sh"
attempts=3000 large=2 bytes=1000000
[ -z "${SOAK:-}" ] || { attempts=100000; large=10; bytes=50000000; }
generate=$(dirname "$TICKMARK")/tests/bench/generate
[ -x "$generate" ] || { skip "a record of many attempts" "no $generate"; finish; }
workspace ws
"$generate" "$work/many.db" $attempts && mv "$work/many.db" .tickmark/record.db && rm -f .tickmark/record.db-* ||
	{ echo "Bail out! generate"; exit 1; }
for ((i = 0; i < large; i++)); do
	printf 'import sys\nfor i in range(%d): sys.stdout.write("%%09d\\n" %% i)\n' $((bytes / 10)) | "$TICKMARK" run - >/dev/null 2>&1
done
all=$((attempts + large))
tm note 3.1 "quibblesome of 3"
is "a word in step 3 alone" "$rc" 0
tm search quibblesome --json
jis "found once, there" '[(h["ref"], h["in"]) for h in d["hits"]]' "[('3.1', 'note')]"
tm log --limit 5 --json
jis "the newest first" '[a["ref"] for a in d["attempts"]][0]' "$all.1"

cat > "$work/scale.keys" <<'X'
wait-idle
dump text
key g
wait-idle
dump text
key G
text Squibblesome
key Enter
wait-idle
dump text
key Enter
wait-idle
dump text
X
cat > "$work/search.keys" <<'X'
wait-idle
key g /
text nowheretobefound
key Enter
see searching for
key Esc
wait-idle
unsee is not in any
key n
see nothing to search for
key /
text postcode, part 2999
key Enter
wait part 2999
key N g G g
wait-idle
see part 1 
X
"$TICKMARK" --script "$work/search.keys" --size 130x30 --dump none . 2> "$work/err"
is "a search through all steps goes on between keys, Esc ends it" "$?$(head -c 500 "$work/err")" 0
"$TICKMARK" --script "$work/scale.keys" --size 100x30 . > "$work/dumps" 2> "$work/err"
is "nothing went wrong" "$?$(head -c 500 "$work/err")" 0
like "the counter says how many" "$(head -1 "$work/dumps" | tr -d ',')" "$all steps"
like "g goes to step 1" "$(sed -n '31,60p' "$work/dumps")" '[>│ ] ?▸ 1  '
like "the search finds step 3" "$(sed -n '61,90p' "$work/dumps")" '3\.1 .*'
like "and goes there" "$(sed -n '91,120p' "$work/dumps")" '3\.1'
finish

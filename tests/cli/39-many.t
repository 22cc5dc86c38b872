#!/bin/bash
# A list of any length goes out by slices: every attempt once, in order, whatever the limit; nothing is held for the
# whole of it.
. "$(dirname "$0")/lib.sh"
generate=$(dirname "$TICKMARK")/tests/bench/generate
workspace many; rm -f .tickmark/record.db*
"$generate" .tickmark/record.db 1050 2 10 || { echo "Bail out! $generate: status $?"; exit 1; }
refs='[a["ref"] for a in d["attempts"]]'
newest='["%d.%d" % (s, n) for s in range(1050, 0, -1) for n in (2, 1)]'
tm log --json
jis "log: each attempt once, newest first" "$refs == $newest" True
jis "log: nothing was left out" 'd["more"]' False
tm log --json --oldest-first; jis "log: oldest first" "$refs == $newest[::-1]" True
tm log --json --steps; jis "log: steps" "$refs == $newest[::2]" True
tm log --json --filter outcome:error; jis "log: a filter" '(len(d["attempts"]), {a["state"] for a in d["attempts"]})' "(420, {'error'})"
for n in 999 1000 1001 2000 2099 2100 2101; do
	tm log --json -n $n
	jis "log -n $n" "($refs == $newest[:$n], d['more'])" "(True, $([ $n -lt 2100 ] && echo True || echo False))"
	tm log -n $n; is "log -n $n: rows for people" "$(wc -l <<<"$out")" $((n < 2100 ? n + 1 : 2101))
done
is "one head alone" "$(grep -c '^ref ' <<<"$out")" 1
is "columns stand in line to the end" "$(sed -n 's/^\([0-9][0-9.]* *\)[a-z].*/\1/p' <<<"$out" | awk '{print length}' | sort -u)" 8
# a reader that goes away in between
"$TICKMARK" log --json 2>"$work/.err" | head -c 100 >/dev/null; is "a reader that has enough: no word of it" "$(cat "$work/.err")" ""
finish

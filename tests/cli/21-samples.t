#!/bin/bash
# The four samples really run, with the figures that stand in their purposes; a failure beside its
# correction, something refused, an input that can be changed; the tree stays as it was.
. "$(dirname "$0")/lib.sh"
samples=$(realpath "$here/../../sample-workspaces")
unset TICKMARK_SAMPLES # they stand beside the build
before=$(cd "$samples" && find . -type f -exec sha256sum {} + | sort)
tm demo --list; is "four samples" "$(echo "$out" | tr '\n' ' ')" "claims-workbook ledger-dump premium-proposal schedule-of-values "

# sample NAME OUTCOMES INPUT STEP: runs it in a copy
sample() {
	tm demo "$1" --to "$work/$1" --no-screen
	is "$1: status" "$rc" 0
	ways=$(sed -n '/^Go there, and try:/,$s/^  //p' "$work/.err")
	workspaces="$workspaces $work/$1"
	cd "$work/$1" || exit 1
	is "$1: outcomes" "$(sqlite3 .tickmark/record.db "SELECT group_concat(ref || ' ' || outcome, ', ') FROM (SELECT * FROM attempts ORDER BY CAST(ref AS REAL))")" "$2"
	tm verify; is "$1: verifies" "$rc" 0
	purposes "$1"
	# what its purpose promises is in the output of the step
	like "$1: asks for its purpose" "$(sqlite3 .tickmark/record.db 'SELECT count(*) FROM step WHERE length(purpose) < 40')" '^0$'
	echo >>"$3"
	tm show "$4"
	like "$1: $3 changed since" "$out" "$3 .*changed since"
	is "$1: the way on, as it is told" "$(cd / && PATH=/usr/bin:/bin bash -euc "$ways" >"$work/.ways" 2>&1; echo "$? $(wc -w <<<"$ways")")" "0 12"
	tm repeat "$4"; is "$1: and comes out again on the recorded bytes" "$rc" 0
}
# Every figure in a purpose stands in the data or comes out.
purposes() { # NAME
	is "$1: the figures of its purposes" "$("$python" - <<'X'
import glob, re, sqlite3
from decimal import Decimal
db = sqlite3.connect(".tickmark/record.db")
numbers = lambda text: {Decimal(n) for n in re.findall(r"\d+(?:\.\d+)?", re.sub(r"(\d)[,'](?=\d{3}\b)", r"\1", text))}
have = set()
for (text,) in db.execute("SELECT text FROM streams"):
    have |= numbers(text)
for name in glob.glob("*.csv") + glob.glob("*.txt") + glob.glob("*.prn"):
    have |= numbers(open(name, encoding="cp437").read())
n, wrong = 0, []
for title, purpose in db.execute("SELECT title, purpose FROM step"):
    for figure in re.findall(r"\d[\d,]*(?:\.\d+)?", purpose):
        figure = figure.rstrip(",")
        n += len(figure) > 2
        if len(figure) > 2 and Decimal(figure.replace(",", "")) not in have | {2026}:
            wrong.append(f"{title}: {figure}")
print(f"{min(n, 2)} or more, wrong: {wrong}")
X
)" "2 or more, wrong: []"
}
# figures NAME REF PATTERN...: lines of its stdout
figures() {
	local name=$1 ref=$2; shift 2
	tm show "$ref" --stdout
	for p in "$@"; do like "$name: $ref: $p" "$out" "$p"; done
}
sample schedule-of-values "1.1 ok, 2.1 error, 2.2 ok, 3.1 ok, 4.1 refused, 5.1 ok" threshold.txt 5.1
figures schedule 1.1 "^42 rows, sum 19,140,000$" "^40 locations, sum 18,400,000; stated 18,400,000; difference 0$"
figures schedule 2.2 "insured 18,400,000, of it ours 14,290,500"
figures schedule 3.1 "^9 spellings, 3 carriers$" "^all +18,400,000$"
figures schedule 5.1 "^5 of 40 locations above 650,000$"
is "schedule: the sum, counted apart" "$(awk -F, 'NR > 1 && !seen[$1]++ { s += $8 } END { print s }' locations.csv)" 18400000
sample premium-proposal "1.1 ok, 2.1 error, 2.2 ok, 3.1 ok, 4.1 refused" tax.txt 3.1
figures proposal 2.2 "^Stock +464.00 +446.00 +differs by 18.00$" "^1 of 5 sections differ$"
figures proposal 3.1 "^payable +6,084.92 +form 6,084.92$" "^agrees$"
sample claims-workbook "1.1 ok, 2.1 error, 2.2 ok, 3.1 ok, 4.1 refused" period.txt 2.2
figures claims 2.2 "^19 claims, paid 74,900, reserved 19,000$"
figures claims 3.1 "^all 74,900$"
tm export 3.1 figure-1.png -o "$work/chart.png"
is "claims: the chart is an image" "$(head -c 8 "$work/chart.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
sample ledger-dump "1.1 error, 1.2 ok, 2.1 ok, 3.1 ok, 4.1 refused" scope.txt 3.1
figures ledger 2.1 "^debit 67,261.08  credit 67,261.08$" "^48 vouchers, 0 not zero$"
figures ledger 3.1 "^11 debits of 2,000.00 or more$"
is "the samples are as they were" "$(cd "$samples" && find . -type f -exec sha256sum {} + | sort)" "$before"
tm demo nothing; is "no such sample" "$rc" 3
tm demo ledger-dump --to "$work/ledger-dump" --no-screen; is "never over a folder" "$rc" 2
mkdir -p "$work/elsewhere/bin" && cp "$TICKMARK" "$work/elsewhere/bin/"
"$work/elsewhere/bin/tickmark" demo --list >"$work/.out" 2>"$work/.err"; is "a program that stands alone: status" "$?" 2
like "and says where it looked" "$(cat "$work/.err")" "no samples in $work/elsewhere/share/tickmark/samples \\(TICKMARK_SAMPLES names another folder\\)"
is "it takes those that it is told" "$(TICKMARK_SAMPLES=$samples "$work/elsewhere/bin/tickmark" demo --list | wc -l)" 4
finish

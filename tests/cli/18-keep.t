#!/bin/bash
# size, prune, backup, pack: what takes space, what goes, copies that verify; erased bytes are gone.
. "$(dirname "$0")/lib.sh"
workspace ws
head -c 200000 /dev/urandom >big.bin
cat >s.py <<'EOF'
import sys
open(f"out{sys.argv[1]}.bin", "wb").write(open("big.bin", "rb").read()[::-1] + sys.argv[1].encode())
print("SECRET" + "WORD")
EOF
tm run s.py 1; tm run s.py 2; tm repeat 1.1; echo 'print(2)' >t.py; tm run t.py; tm run t.py
tm size; is "size: status" "$rc" 0
like "size: artifacts" "$out" '^  artifacts +391K +2 contents'
like "size: the largest" "$out" 'out1.bin|out2.bin'
tm size --json
jis "size --json" '(d["inputs"], d["artifacts"], d["pruned"], d["largest"][0]["class"], d["file"] >= d["inputs"] + d["artifacts"])' "(200000, 400002, 0, 'artifact', True)"

# nothing goes by itself
tm verify --head; head=$out
tm prune --files --larger-than 100K
is "a preview: status" "$rc" 0
like "a preview: says so" "$out" 'nothing was changed'
like "a preview: what would go" "$out" '^would go: 0 attempts, 0 checks, streams of 0, 3 files'
tm verify --head; is "a preview: nothing changed" "$out" "$head"
for bad in "--attempts" "--files" "1" "--older-than 5x --files" "--larger-than 1M --streams" "--keep-last 0 --files"; do
	# shellcheck disable=SC2086
	tm prune $bad; is "prune $bad: wrong use" "$rc" 3
done
tm prune --files 9; is "prune of what is not there" "$rc" 2
tm prune --files 1.1r1; is "prune of a check" "$rc" 3

# a whole attempt
tm prune --attempts --json 1.1
jis "of one attempt" '(d["attempts"], d["checks"], d["applied"], [g["ref"] for g in d["gone"]])' "(1, 1, False, ['1.1', '1.1r1'])"
# a preview takes nobody's turn to write, and tells of bytes what --apply finds
"$python" - "$work/held" "$work/let-go" <<'X' &
import os, sqlite3, sys, time
db = sqlite3.connect(".tickmark/record.db", isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]):
    time.sleep(0.02)
X
until test -e "$work/held"; do sleep 0.02; done
seen=
for what in "--attempts 1.1" "--attempts 1" "--streams 2" "--files --larger-than 100K"; do
	# shellcheck disable=SC2086
	tm prune $what; is "a preview while another writes: $what: status" "$rc" 0; seen="$seen$(grep '^would go' "$work/.out" | sed 's/^would go: //')|"
done
: >"$work/let-go"; wait
for what in "--streams 2" "--files --larger-than 100K" "--attempts 1" "--attempts 1.1"; do
	cp -r .tickmark "$work/kept"
	# shellcheck disable=SC2086
	tm prune $what --apply; like "what it said of $what went" "$seen" "(^|\\|)$(grep -o '^gone: .*' "$work/.out" | sed 's/^gone: //')\\|"
	rm -rf .tickmark; mv "$work/kept" .tickmark
done
tm prune --attempts 1.1 --apply
like "apply: it is gone" "$out" '^gone: 1 attempt, 1 check'
tm show 1.1; is "what went: status" "$rc" 2
like "what went: when" "$err" '1\.1 was pruned on 2[0-9-]+ '
tm verify; is "what stays verifies" "$rc" 0
tm run s.py 3 # the newest of all stays
like "no number is given twice" "$err" '^1\.3 ok'
tm run t.py
tm prune --attempts 1 --apply
like "the whole step" "$out" '^gone: 2 attempts'
tm verify; is "and verifies" "$rc" 0
no "erased bytes are in no file" grep -rqs SECRETWORD .tickmark
tm log; unlike "gone from the log" "$out" '^1\.'

# the newest of a step stays while the step does
tm prune --attempts 2.3; like "the newest stays" "$out" '^kept: 1 newest'
tm prune --streams 2.1 --apply; tm show 2.1; is "streams alone: it can be shown" "$rc" 0
tm verify; is "streams alone: verifies" "$rc" 0
# what went is no empty stream, wherever it is looked at
tm show 2.1; like "streams alone: show has the gap" "$out" '\[2 bytes are not in the record\]'
tm show 2.1 --stdout; like "streams alone: show --stdout says so" "$err" '^2 bytes at byte 0 are not in the record'
tm show 2.1 --json; jis "streams alone: --json" '(d["stdout"]["bytes"], d["stdout"]["lost"])' "(2, 2)"
tm export 2.1 --stdout -o -; like "streams alone: export says so" "$err" '2 of 2 bytes are not in the record'
tm search nosuchword --json; jis "streams alone: search counts it" 'd["sum"]["missing"]' 2
tm export 2.1 --whole --to went; like "streams alone: among the files" "$(cat went/_stdout.txt)" '2 bytes not kept'
echo 'print(3)' >t.py; tm run t.py; tm diff 2.1 last --only stdout
like "streams alone: diff" "$out" '^-\[2 bytes not kept\]'
tm verify; is "streams alone: verifies still" "$rc" 0
printf '%s\n' 'wait-idle' 'key : 2 . 1 Enter p' 'wait-idle' 'dump' >went.keys
like "streams alone: the dossier" "$("$TICKMARK" --script went.keys --size 80x40 --dump text 2>&1)" '\[2 bytes of stdout not kept\]'

# copies
tm backup "$work/backup.db"; like "backup: known by count and head" "$out" '[0-9]+ attempts, .* head [0-9a-f]{64}'
tm verify "$work/backup.db"; is "backup verifies" "$rc" 0
tm backup "$work/backup.db"; is "backup: never over a file" "$rc" 2
tm pack "$work/packed.db"; tm verify "$work/packed.db"; is "pack verifies" "$rc" 0
echo 'print(7)' >u.py; tm run u.py
tm pack "$work/chosen.db" 3; tm verify "$work/chosen.db"; is "a chosen step verifies" "$rc" 0
is "and is alone" "$(cd / && "$TICKMARK" verify "$work/chosen.db" | head -1 | cut -d, -f1)" "1 attempt"
is "nothing beside the copies" "$(cd "$work" && echo *.db*)" "backup.db chosen.db packed.db"
# what was not chosen is never written, not even on the way: no file may grow to the size of one content of the rest
(ulimit -f 190; "$TICKMARK" pack "$work/small.db" 3 >"$work/.out" 2>"$work/.err"); is "a chosen step of a large record needs no room for the rest" "$?" 0
tm verify "$work/small.db"; is "and verifies" "$rc" 0; rm -f "$work/small.db"
is "copies are private" "$(stat -c %a "$work"/*.db | sort -u)" 600
tm size "$work/chosen.db" --json; jis "size of a file elsewhere" 'd["cache"]' None
mkdir -p "$work/moved/.tickmark" && chmod 700 "$work/moved/.tickmark" && cp "$work/backup.db" "$work/moved/.tickmark/record.db" && cd "$work/moved" || exit 1
echo 'print(1)' >new.py; run_ok "a backup works as a record" new.py
tm verify; is "and verifies" "$rc" 0

tm merge "$work/moved/.tickmark/record.db"; is "merge of a copy that went on" "$rc" 0
workspace other; tm merge "$work/packed.db"; is "merge of another record" "$rc" 3
finish

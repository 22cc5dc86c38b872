#!/bin/bash
# sanitizer sample
# verify: the whole record, the head, a record that was changed, one that is none.
. "$(dirname "$0")/lib.sh"
workspace ws
tm verify; is "an empty record: status" "$rc" 0
like "an empty record: opens with count and head" "$(head -1 <<<"$out")" '^0 attempts.*, head [0-9a-f]{64}$'
echo x >in.csv
tm_from <(printf 'open("in.csv").read(); open("out.txt","w").write("o"); print("hello")') run -
tm_from <(echo 'print(2)') run -
tm repeat 1.1
tm verify
is "intact: status" "$rc" 0
like "intact: opens with count, newest, head" "$(head -1 <<<"$out")" '^2 attempts, newest of 2[0-9-]+ [0-9:]+, head [0-9a-f]{64}$'
is "intact: last word" "$(tail -1 <<<"$out")" "intact"
tm verify --head; head=$out
like "--head: the hash alone" "$head" '^[0-9a-f]{64}$'
tm verify --expect "$head"; is "--expect, it is: status" "$rc" 0
tm verify --json; jis "--json" '(d["intact"], d["attempts"], d["checks"], d["head"], d["faults"], d["head_expected"])' "(True, 2, 1, '$head', [], None)"
cp .tickmark/record.db "$work/before.db"
tm_from <(echo 'print(3)') run -
tm verify --expect "$head"
is "--expect, and it went on: status" "$rc" 0
like "--expect, and it went on: by how much" "$out" '^the expected head is entry [0-9]+: 2 were added since$'
tm verify --json --expect "$head"; jis "--expect --json" '(d["intact"], d["head_expected"], d["added"])' "(True, True, 2)"
tm verify --head; head=$out
tm verify --expect "$head" "$work/before.db"
is "--expect, its end was cut off: status" "$rc" 1
like "--expect, its end was cut off: said" "$out" '^fault: the expected head is not in it'
tm verify --json --expect "$head" "$work/before.db"; jis "cut off --json" '(d["intact"], d["head_expected"], d["added"])' "(False, False, None)"
tm verify --expect 12; is "--expect, no hash: status" "$rc" 3
tm verify --expect "$work/in"; is "--expect, no such file: status" "$rc" 3
echo "tickmark head 1" >"$work/head.txt"; tm verify --expect "$work/head.txt"; is "--expect, no signed head: status" "$rc" 3

# a file elsewhere is not written to
cp .tickmark/record.db "$work/copy.db"; chmod 400 "$work/copy.db"; sum=$(sha256sum <"$work/copy.db")
(cd / && "$TICKMARK" verify "$work/copy.db" >"$work/.out" 2>"$work/.err"; echo $? >"$work/rc")
is "FILE: status" "$(cat "$work/rc")" 0
like "FILE: count" "$(head -1 "$work/.out")" '^3 attempts'
is "FILE: not written to" "$(sha256sum <"$work/copy.db")" "$sum"
is "FILE: nothing beside it" "$(ls "$work" | grep -c '^copy')" 1

# changed behind our back
if command -v sqlite3 >/dev/null; then
	broken() { # NAME SQL
		cp "$work/copy.db" "$work/bad.db"; chmod 600 "$work/bad.db"
		sqlite3 "$work/bad.db" "$(sqlite3 "$work/bad.db" "SELECT 'DROP TRIGGER ' || quote(name) || ';' FROM sqlite_schema WHERE type='trigger'") $2" >"$work/sql" 2>&1 || fail "$1: sql" "$(cat "$work/sql")"
		tm verify "$work/bad.db"
		is "$1: status" "$rc" 1
		like "$1: a fault is named" "$out" '^fault: '
		is "$1: last word" "$(tail -1 <<<"$out" | cut -d: -f1)" broken
		tm verify --json "$work/bad.db"; jis "$1: --json" 'd["intact"], len(d["faults"]) > 0' "(False, True)"
		tm verify --head "$work/bad.db"; is "$1: --head has the status too" "$rc" 1
	}
	broken "a title changed" "UPDATE step SET title='forged' WHERE rowid=1;"
	broken "an attempt removed" "PRAGMA foreign_keys=off; DELETE FROM attempt WHERE rowid=2;"
	broken "a stream changed" "UPDATE stream_chunk SET bytes=CAST('hellp' AS BLOB) WHERE rowid=1;"
else skip "a changed record" "no sqlite3"; fi
echo "not a record" >"$work/no.db"; tm verify "$work/no.db"; is "no record: status" "$rc" 2
like "no record: named" "$err" "no.db"
tm verify "$work/nowhere.db"; is "no such file: status" "$rc" 2
tm verify "$work"; is "a folder: status" "$rc" 2
head -c 5000 "$work/copy.db" >"$work/short.db"; tm verify "$work/short.db"; is "cut short: not intact" "$((rc == 1 || rc == 2))" 1
: >"$work/empty.db"; tm verify "$work/empty.db"; is "empty: status" "$((rc == 1 || rc == 2))" 1
finish

#!/bin/bash
# tickmark --plain: numbered questions, plain lines, the same commands.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'name = ana\n' >"$work/.none"; mkdir -p "$HOME/.config/tickmark"; printf 'name = ana\n' >"$HOME/.config/tickmark/config"
printf '# A step\nprint(42)\n' >a.py
tm_from <(printf '7\na.py\n1\n3\nlast\n5\n1\n2\nwhy 42?\n6\n42\nnote 1 "two words"\nbogus\n99\n\nshow 1 --stdout\n0\nlog\n') --plain
is "plain: status" "$rc" 0
for want in '^choice: which file: 42$' '^1\.1 +ok .* A step' '^  asked by +person ana' '1\.1 code line 2 noted$' '^  stdout:1: 42$' 'There is no choice 99\.$' \
	'^choice: 42$' '1\.1 noted$'; do like "plain: $want" "$out" "$want"; done
like "plain: what is no command is said" "$err" "no command 'bogus'"
is "plain: nothing behind the end" "$(grep -cE 'ref +outcome' <<<"$out")" 1
tm show 1 --json; jis "plain: notes as given" '[(n["line"], n["text"]) for n in d["notes"]]' "[(2, 'why 42?'), (None, 'two words')]"
unlike "plain: no escape sequence" "$out" $'\x1b'
tm_from <(printf '4\n1\naccepted\nfine\n') --plain
like "a mark without a terminal needs --as-command here too" "$err" 'needs --as-command'
tm --plain log; is "--plain with a command: status" "$rc" 3
# answers are never options, an empty one gives up, and what is not whole is not run
tm_from <(printf '5\n1\n\n-n 3 rows are missing\n4\n\n8\n\nnote 1 "open\n?\nexit\nlog\n') --plain
like "plain: a text that begins with a dash" "$out" '1\.1 noted$'
tm show 1 --json; jis "plain: as it was written" '[n["text"] for n in d["notes"]][-1]' '-n 3 rows are missing'
tm_from <(printf '4\n\n8\n\nnote 1 "open\nexit\nlog\n') --plain
is "plain: an empty answer gives up" "$(grep -c 'Nothing was done\.$' <<<"$out")" 2
like "plain: an open quote" "$out" 'A quote is not closed; nothing was done\.$'
unlike "plain: exit" "$out" 'ref +outcome'
tm_from <(printf '4\n1\n') --plain; is "plain: the input ends within a choice" "$rc" 0
printf 'say%s\n' "$(printf ' w%s' $(seq 80))" | "$TICKMARK" --plain >/dev/null 2>&1
is "plain: many words are all handed on" "$("$python" -c 'import sqlite3; print(sqlite3.connect("file:.tickmark/record.db?mode=ro", uri=True).execute("SELECT text FROM message ORDER BY id DESC").fetchone()[0].split()[-1])')" w80
# at a terminal it is a person
out=$(pty --when 'choice:' '4\n' --when 'record:' '1\n' --when 'withdrawn:' 'accepted\n' --when 'nothing:' 'fine\n' --when 'accepted by' '0\n' -- \
	env TERM=dumb "$TICKMARK" 2>&1)
like "TERM=dumb: the same" "$out" '1\.1 accepted by'
tm show 1 --json; jis "and a mark" '[(m["note"], m["how"]) for m in d["marks"]]' "[('fine', 'command')]"
printf '# %s\nprint(1)\n' "A title that is longer than a line of a screen has cells, as people write them where nobody stops them in time" >long.py; tm run long.py
like "what is read aloud is not cut" "$(pty --size 80x24 --when 'choice:' '2\n' --when 'to review' 'last\n' --when 'script ' '0\n' -- env TERM=dumb "$TICKMARK" 2>&1 | tr -d '\r\n')" \
	'stops them in time  no purpose given.*2\.1 +ok.*script +long\.py'
finish

#!/bin/bash
# tickmark --plain: numbered questions, plain lines, the same commands.
. "$(dirname "$0")/lib.sh"
workspace ws
printf 'name = ana\n' >"$work/.none"; mkdir -p "$HOME/.config/tickmark"; printf 'name = ana\n' >"$HOME/.config/tickmark/config"
printf '# A step\nprint(42)\n' >a.py
tm_from <(printf '7\na.py\n1\n3\nlast\n5\n1\n\n2\nwhy 42?\n6\n42\nnote 1 "two words"\nbogus\n99\n\nshow 1 --stdout\n0\nlog\n') --plain
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
tm_from <(printf '5\n1\n\n\n-n 3 rows are missing\n4\n\n8\n\nnote 1 "open\n?\nexit\nlog\n') --plain
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
like "what is read aloud is not cut" "$(pty --size 80x24 --when 'choice:' '2\n' --when 'to review' 'last\n' --when 'more: ' 'q\n' --when 'choice:' '0\n' -- env TERM=dumb "$TICKMARK" 2>&1 | tr -d '\r\n')" \
	'stops them in time  no purpose given.*2\.1 +ok.*script +long\.py'
# the whole day through numbers alone: what failed, why, its correction, a note on a line that was counted, a mark, a report
printf 'import sys\nprint("\\n".join(f"row {i}" for i in range(200)))\nraise KeyError("TIV")\n' >bad.py; tm run bad.py
printf '# Cut it\nprint("limit")\nopen("out.csv", "w").write("a,b\\n1,2\\n")\n' >bad.py; tm run bad.py
printf 'raise ValueError("unseen")\n' >worse.py; tm run worse.py
day=(--when 'choice:' '2\n' --when '4\.1 +error .*ValueError: unseen' '3\n' --when 'like 7.2' '3.1\n' --when 'more: Enter' 'a\n' --when "KeyError: 'TIV'" '11\n'
	--when 'which attempt' '3.2\n' --when 'more: Enter' 'q\n' --when 'choice:' '13\n' --when 'which attempt' '3.2\n' --when 'code, stdout' 'code\n'
	--when ' 2  print\("limit"\)' '5\n' --when 'which attempt' '3.2\n' --when 'on what' 'stdout\n' --when 'which line' '1\n' --when 'text' 'a limit?\n'
	--when '3\.2 stdout line 1 noted' '5\n' --when 'which attempt' '3.2\n' --when 'on what' 'out.csv\n' --when 'which line' 'B2\n' --when 'text' 'F\n'
	--when '3\.2 file out\.csv cell B2 noted' '14\n' --when 'which attempt' '3.2\n' --when 'which file' 'out.csv\n' --when '1,2' '4\n'
	--when 'or record' '3.2\n' --when 'withdrawn:' 'accepted\n' --when 'or nothing' 'agreed\n' --when '3\.2 accepted by' '12\n' --when 'how many' '4\n' --when 'seed' '7\n'
	--when '4 of 4 steps drawn by seed 7' '6\n' --when 'pattern' 'TIV\n' --when 'stderr:[0-9]+: ' '15\n' --when 'which setting' 'timeout\n' --when 'new value' '5m\n' --when 'choice:' '15\n'
	--when 'which setting' 'timeout\n' --when 'new value' '\n' --when '5m' '10\n' --when 'which command' 'prune\n' --when 'more: Enter' 'q\n' --when 'choice:' '9\n'
	--when 'to which file' 'day.html\n' --when 'without a mark' '16\n' --when 'intact')
out=$(pty "${day[@]}" '0\n' -- env TERM=dumb "$TICKMARK"); is "a reviewer's day: ends" $? 0
unlike "a reviewer's day: lines alone, nothing that moves" "$out" $'[\x1b\r\b]'
like "a reviewer's day: is in the report" "$(cat day.html)" 'accepted by .*stdout line 1: a limit\?.*file out\.csv cell B2: F|agreed'
is "a page goes to its end with a" "$(grep -c '^  row 199$' <<<"$out")" 1
# Ctrl-C gives a question or what is read up, at the choice it ends nothing; the end of input ends it at each
out=$(pty --when 'choice:' '7\n' --when 'which file' '\x03' --when 'Nothing was done' '\x03' --when '0 quits' '3\n' --when 'like 7.2' '3.1\n' --when 'more:' '\x03' \
	--when 'choice:' '1\n' --when '4\.1 +error' '0\n' -- "$TICKMARK" --plain); is "Ctrl-C ends no dialogue" $? 0
for keys in '\x04' '4\n\x04' '3\n3.1\n\x04\x04'; do
	out=$(pty --when 'choice:' "$keys" -- "$TICKMARK" --plain); is "the end of input at $keys" "$?" 0; done
# a record from elsewhere
tm pack "$work/mail.db"; cd "$work" || exit 1
out=$(pty --when 'record from elsewhere' '' --when 'choice:' '4\n' --when 'or record' '4\n' --when 'withdrawn:' 'rejected\n' --when 'or nothing' '\n' \
	--when 'tickmark review mail\.db begins' 'review mail.db\n' --when 'goes to mail\.review\.db' '4\n' --when 'or record' '4\n' --when 'withdrawn:' 'rejected\n' \
	--when 'or nothing' 'no\n' --when '4\.1 rejected by' '9\n' --when 'to which file' 'theirs.md\n' --when 'without a mark' '0\n' -- env TERM=dumb "$TICKMARK" mail.db); is "evidence: reviewed" $? 0
like "evidence: its report" "$(cat theirs.md)" '^- mark: rejected by '
cd ws || exit 1; tm merge "$work/mail.review.db"; like "evidence: brought home" "$out" '1 mark'
tm_from <(printf '2\n') --plain "$work/mail.db"; like "evidence: from a pipe" "$out" 'choice: ref +outcome'
for bad in "log" "/nosuch" ". x"; do
	# shellcheck disable=SC2086
	tm --plain $bad; no "--plain $bad" test "$rc" = 0; done
finish

#!/bin/bash
# say: messages and what they cite.
. "$(dirname "$0")/lib.sh"
workspace ws
tm_from <(echo 'print(1)') run -
tm_from <(echo 'print(2)') run --step 1 -
tm repeat 1.1
tm say --list; is "no messages: status" "$rc" 0; is "no messages: nothing" "$out$err" ""
tm say "The sum of [1.1] agrees with [1.2], and with its check [1.1r1]; see [1.1] again."
is "say: status" "$rc" 0
is "say: nothing on stdout" "$out" ""
tm say two words --json; jis "several words, --json" 'd["id"]' 2
tm_from <(printf 'from a pipe\nof two lines\n\n') say -; is "from stdin" "$rc" 0
tm say --list
like "list: who and when" "$out" '^[0-9-]+ [0-9:]+  [^ ]+'
like "list: text" "$out" '^  of two lines$'
tm say --list --json
jis "list: oldest first" '[m["id"] for m in d["messages"]]' "[1, 2, 3]"
jis "list: cites" 'd["messages"][0]["cites"]' "['1.1', '1.2', '1.1r1', '1.1']"
jis "list: text as it was" 'd["messages"][2]["text"]' "from a pipe
of two lines"
jis "list: by whom and how" '(d["messages"][0]["by"]["kind"], d["messages"][0]["how"])' "('person', 'command')"
tm say --of 1.1 --json; jis "--of" '[m["id"] for m in d["messages"]]' "[1]"
tm say --of 1.1r1 --json; jis "--of a check" '[m["id"] for m in d["messages"]]' "[1]"
tm show 1.1; like "show: what cites it" "$out" 'messages +1 cites it \(tickmark say --of 1\.1\)'
tm show 1.2 --json; jis "show --json: what cites it" 'd["messages"], d["answered"]' "(1, True)"
tm say --of 7; is "--of nothing: status" "$rc" 2
tm say 'arrays[3], [0.5], [1.05], [see 1.1], [01.1], [1], [1.1.1], [1.1r], [1.1r0] are none'; is "what is no citation" "$rc" 0
tm say --list --json; jis "is none" 'd["messages"][-1]["cites"]' "[]"
for cite in 9.1 1.9 1.1r9; do
	tm say "see [$cite]"; is "a citation of nothing, [$cite]: status" "$rc" 2
	like "[$cite]: named" "$err" "cites \[$cite\]: there is no"
done
tm say ''; is "empty: status" "$rc" 3
tm say "$(printf ' \n\t ')"; is "blank: status" "$rc" 3
tm say; is "no text: status" "$rc" 3
tm_from <(printf 'bad \xff\xfe') say -; is "no UTF-8: status" "$rc" 3
tm_from <(printf 'a\0b') say -; is "a NUL: status" "$rc" 3
tm_from <(head -c 70000 /dev/zero | tr '\0' x) say -; is "too long: not taken" "$((rc == 2 || rc == 3))" 1
tm say "$(printf '\033]0;title\007 \342\200\256evil')"
tm say --list --json; jis "hostile bytes are kept" '"\x1b" in d["messages"][-1]["text"]' True
out=$(pty "$TICKMARK" say --list 2>&1); unlike "and never reach a terminal" "$out" $'\033\\]'
tm verify; is "the record verifies" "$rc" 0
mkdir "$work/none" && cd "$work/none" && tm say hello; is "without a record: status" "$rc" 2
finish

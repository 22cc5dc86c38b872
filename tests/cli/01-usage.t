#!/bin/bash
# Help, usage errors, version, man page, completions: what works without a workspace.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
mkdir empty && cd empty || exit 1

tm --version
is "--version" "$out" "tickmark 0.1.0"
tm help
is "help: status" "$rc" 0
like "help lists run" "$out" '^  run '
like "help explains references" "$out" '7\.2r1'
unlike "hidden commands are not listed" "$out" '^  (man|completions) '
is "help: nothing on stderr" "$err" ""
help=$out
tm --help; is "--help is help" "$out" "$help"

commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' <<<"${help%%before the command*}")
is "every command is listed" "$(echo $commands)" \
	"init attach run repeat rerun stop wait log show diff search mark note queue report export verify size prune backup pack review merge say mcp config doctor demo help"
for c in $commands; do
	tm "$c" --help
	is "$c --help: status" "$rc" 0
	like "$c --help: usage line" "$out" "^usage: tickmark \[-C DIR\] $c"
	a=$out
	tm help "$c"
	is "help $c is $c --help" "$out" "$a"
	unlike "$c --help is within 80 columns" "$out" '.{81}'
done
like "help show documents the JSON" "$("$TICKMARK" help show)" '^  artifacts\[\]\.sha256 '
tm help refresh
like "an alias has help" "$out" '^usage: tickmark \[-C DIR\] rerun'

# wrong use: status 3, one line, nothing on stdout
wrong() { # NAME PATTERN ARG...
	local name=$1 pattern=$2; shift 2
	tm "$@"
	is "$name: status" "$rc" 3
	like "$name: message" "$err" "$pattern"
	is "$name: stdout" "$out" ""
	is "$name: one line" "$(wc -l <"$work/.err")" 1
}
wrong "unknown command" "no command 'lgo'; did you mean 'log'" lgo
tm nope.db; is "a record that is not there" "$err" "tickmark: no such file or folder: nope.db"
wrong "far from any command" "no command 'xyzzyplugh' " xyzzyplugh
wrong "unknown option" "tickmark run: no option --titel; did you mean --title" run --titel x y.py
wrong "unknown letter" "tickmark log: no option -z" log -z
wrong "an option without its value" "tickmark run: --title needs TEXT" run --title
wrong "a switch with a value" "tickmark log: --steps takes no value" log --steps=1
wrong "an option twice" "tickmark run: --title is given twice" run --title a --title b x.py
wrong "an operand too many" "tickmark show: one too many: '2'" show 1 2
wrong "an operand missing" "tickmark show: something is missing" show
wrong "export without an object" "tickmark export: what\?" export 1
wrong "export of two things" "tickmark export: one thing at a time" export 1 --code --stdout
wrong "stop without an object" "tickmark stop: give a reference, or --all" stop
wrong "stop with both" "tickmark stop: give a reference, or --all" stop --all 1
wrong "help of nothing" "tickmark help: no command 'nope'" help nope
wrong "option before the command" "tickmark: no option --json before the command" --json log
wrong "-C alone" "tickmark: -C needs DIR" -C
wrong "a bad hash" "tickmark verify: --expect needs a hash" verify --expect abc
wrong "a bad time" "tickmark wait: --timeout: " wait --timeout soon 1
wrong "more time than can be counted" "tickmark run: --timeout: '200000000d' is too long" run --timeout 200000000d x.py
wrong "a limit over the most" "tickmark run: --memory: '2E' is too much; 1.0P is the most" run --memory 2E x.py
wrong "--step and --new" "tickmark run: --step and --new exclude each other" run --step 1 --new x.py
wrong "--env without value" "tickmark run: --env NAME: a value is missing" run --env NAME x.py
wrong "--env that is none" "tickmark run: --env 1=2: not a variable" run --env 1=2 x.py
wrong "--secret-env that is not there" "no such variable" run --secret-env NOT_THERE x.py
wrong "attach: unknown verb" "no attach ad; did you mean attach add" attach ad x
wrong "config: unknown setting" "no setting memorry; did you mean memory" config memorry
wrong "completions of no shell" "no completions for csh" completions csh
tm run --secret-env 'BAD NAME=s3cr3t' x.py
unlike "a secret's value is not in an error" "$err" s3cr3t

# without a workspace: status 2, and what to do
for c in "log" "show 1" "run -" "attach" "stop 1" "wait 1" "export 1 --code" "verify" "config" "repeat 1" "rerun 1"; do
	# shellcheck disable=SC2086
	tm $c
	is "$c without a record: status" "$rc" 2
	like "$c without a record: what to do" "$err" "^tickmark ${c%% *}: .*tickmark init"
done
tm run nosuch.py
is "run of no file: status" "$rc" 2
is "run of no file: object and reason" "$err" "tickmark run: no such file: nosuch.py"
tm run $'no\nsuch\e[31m.py'
is "names in messages are escaped" "$(wc -l <"$work/.err") $(grep -c $'\e' "$work/.err")" "1 0"
tm -C nowhere log
is "-C to nowhere: status" "$rc" 2
like "-C to nowhere: message" "$err" "cannot go to folder nowhere: No such file"

# without a terminal there is no screen
for c in "" "." "-C ."; do
	# shellcheck disable=SC2086
	tm $c
	is "tickmark $c: status" "$rc" 2
	is "tickmark $c: one line" "$(wc -l <"$work/.err")" 1
	like "tickmark $c: what to use" "$err" "tickmark log"
done
tm ./nowhere
like "a path that is not there" "$err" "no such file or folder: ./nowhere"

# closed descriptors, a full disk, a reader that goes away
"$TICKMARK" help >/dev/full 2>"$work/.err"; rc=$?
is "a full disk: status" "$rc" 2
like "a full disk: message" "$(cat "$work/.err")" "cannot write to stdout: No space left"
"$TICKMARK" help <&- >&- 2>&-; rc=$?
is "closed descriptors: no crash" "$((rc < 128))" 1
( trap '' PIPE; "$TICKMARK" man 2>"$work/.err"; echo "$?" >"$work/rc" ) | :
is "a reader that is gone, SIGPIPE ignored: quiet" "$(cat "$work/.err")$(cat "$work/rc")" "0"

# man page and completions come out of the same table
"$TICKMARK" man >"$work/man"
if command -v mandoc >/dev/null; then
	is "mandoc has nothing to complain about" "$(mandoc -Tlint -W warning <"$work/man" 2>&1)" ""
	text=$(mandoc -Tutf8 "$work/man" | sed 's/.\x08//g')
	for c in $commands; do like "the man page has $c" "$text" "tickmark $c"; done
	like "the man page documents JSON" "$text" 'artifacts\[\]\.path'
else skip "man page" "no mandoc"; fi
"$TICKMARK" completions bash >"$work/c.bash"
yes "the bash completion is bash" bash -n "$work/c.bash"
complete_words() { # WORD...: what bash would offer
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tickmark; printf "%s " "${COMPREPLY[@]}"' - "$work/c.bash" "$@"
}
is "bash completes commands" "$(complete_words tickmark ver)" "verify "
like "bash completes options" "$(complete_words tickmark run --pass)" "--pass-status"
like "bash completes behind -C DIR" "$(complete_words tickmark -C x log --oldest)" "--oldest-first"
for s in zsh fish; do
	"$TICKMARK" completions $s >"$work/c.$s"
	text=$(<"$work/c.$s")
	for c in $commands; do like "$s completion knows $c" "$text" "$c"; done
	if command -v $s >/dev/null; then yes "the $s completion is $s" $s -n "$work/c.$s"; fi
done
finish

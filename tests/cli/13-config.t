#!/bin/bash
# config and doctor.
. "$(dirname "$0")/lib.sh"
workspace ws
tm config
is "config: status" "$rc" 0
like "config: every limit" "$out" '^memory +'
like "config: where it comes from" "$out" '^python +.* workspace '
tm config memory; like "one setting" "$out" '^[0-9.]+[KMGT]?$'
tm config memory 777M; is "set: status" "$rc" 0
is "set: nothing on stdout" "$out" ""
tm config memory; is "set: it is" "$out" 777M
tm config memory --json; jis "--json" '(d["settings"][0]["name"], d["settings"][0]["value"], d["settings"][0]["from"])' "('memory', '777M', 'workspace')"
tm_from <(echo 'print(1)') run -; tm show last --json; jis "a run gets it" 'd["policy"]["limits"]["memory"]' "$((777 << 20))"
tm doctor --limits; like "doctor --limits shows it" "$out" '^memory +777M'
like "and what is no limit of a run" "$out" '^assistant-runs +none +2 '
tm doctor --limits --json; jis "doctor --limits --json" '[l["person"] for l in d["limits"] if l["name"] == "memory"]' "[$((777 << 20))]"
tm config --unset memory; is "unset: status" "$rc" 0
tm config memory --json; jis "unset: default" 'd["settings"][0]["from"]' default
tm config memory lots; is "no value of that kind: status" "$((rc == 2 || rc == 3))" 1
like "no value of that kind: named" "$err" "memory"
tm config nosuch 1; is "no such setting: status" "$rc" 3
tm config --unset memory 1; is "--unset with more" "$rc" 3
# what the screen checks is checked when it is set; an interpreter may be named before it is there
set_wrong() { # VALUE PATTERN NAME
	tm config "$3" "$1"; is "$3 = $1: status" "$rc" 3; like "$3 = $1: object, reason, what is allowed" "$err" "$2"
}
set_wrong nope "no theme 'nope'; there are colour-blind, default, gruvbox, .*solarized" theme
set_wrong maybe "mouse: expected on or off, not 'maybe'" mouse
set_wrong NoKey "key.repeat: 'NoKey' is no key \(examples" key.repeat
set_wrong x 'key.nosuch: there is no command' key.nosuch
is "none of it was kept" "$(ls -A "$HOME/.config/tickmark" 2>/dev/null)" ""
tm config theme nord; is "a theme: status" "$rc" 0; tm config theme; is "a theme is set" "$out" nord
tm config 'legend.Q' 'asked the broker'; tm config; like "what else is set: of the screen" "$out" '^theme +nord +user +of the screen'
like "and of notes" "$out" '^legend.Q +asked the broker +workspace '
tm config --json; jis "as a document" '[(s["name"], s["value"], s["example"]) for s in d["settings"]][-2:]' "[('theme', 'nord', None), ('legend.Q', 'asked the broker', None)]"
tm config theme --json; jis "one of them" '[s["name"] for s in d["settings"]]' "['theme']"
tm config --unset theme; tm config --unset legend.Q
tm config python /nope; is "an interpreter that is not there: status" "$rc" 0
like "is said" "$err" 'python = /nope is set; runs fail until it is there: cannot use the interpreter /nope: No such file'
tm config python /usr; like "a folder" "$err" '/usr is a folder and no interpreter'
tm config python "$python"; is "one that is there: nothing to say" "$err" ""
mkdir -p "$HOME/.config/tickmark" && echo 'timeout = 99s' >"$HOME/.config/tickmark/config"
tm config timeout --json; jis "the user's own" '(d["settings"][0]["value"], d["settings"][0]["from"])' "('99s', 'user')"
tm config timeout 98s; tm config timeout --json; jis "the workspace goes before it" 'd["settings"][0]["from"]' workspace
is "the file is for the user alone" "$(stat -c %a .tickmark/config)" 600
echo 'nonsense' >"$HOME/.config/tickmark/config"; tm config timeout
like "a broken file is named with its line" "$err" "config:1"
is "a broken file: status" "$rc" 2

# Whoever needs a setting says file, line, reason and what to do, and does nothing; reading goes on.
broken() { # NAME FILE PATTERN COMMAND...; FILE may end in :LINE
	local name=$1 file=${2%:*} line=${2##*:} pattern=$3 before; shift 3
	before=$("$TICKMARK" verify --head 2>/dev/null)
	tm "$@"
	is "$name: $1: status" "$rc" 2
	like "$name: $1: file, line, reason, what to do" "$err" "$file:($line): $pattern; correct or remove that line"
	is "$name: $1: nothing happened" "$("$TICKMARK" verify --head 2>/dev/null)" "$before"
}
needy() { # NAME FILE PATTERN: every command that goes by a setting
	echo 'print(2)' >s.py
	broken "$@" config timeout
	broken "$@" run s.py
	broken "$@" run --json s.py
	broken "$@" repeat last
	broken "$@" rerun last
	broken "$@" mark last accepted --as-command
	# who writes it is the user's own affair
	[ "$1" != "the user's" ] || broken "$@" note last "a remark"
	broken "$@" say "a message"
	[ "$1" != "the user's" ] || broken "$@" report -o -
	broken "$@" doctor --limits
	for reads in "log" "show last" "verify" "size" "export last --code -o -"; do
		# shellcheck disable=SC2086
		tm $reads; is "$1: $reads goes on" "$rc" 0
	done
}
tm repeat last >/dev/null
needy "the user's" "$HOME/.config/tickmark/config:1" "expected 'key = value' or a '#' comment"
rm -r "$HOME/.config"
printf '# mine\n\nmemory = lots\n' >>.tickmark/config
at=$(grep -n '^memory = lots' .tickmark/config | cut -d: -f1)
needy "the workspace's" "$PWD/.tickmark/config:$at" "setting memory: .*lots.*"
tm config --unset memory; is "a command removes it" "$rc" 0
tm config; is "and all is well" "$rc" 0
rm .tickmark/config
refused() { # NAME BYTES WANTED
	printf "$2" >.tickmark/config; tm config timeout
	is "$1: status" "$rc" 2; like "$1: file, line and reason" "$err" "config:$3"
}
refused "too long a time" 'timeout = 200000000d\n' "1: setting timeout: '200000000d' is too long"
refused "more than the most: a time" 'cpu = 90000h\n' "1: setting cpu: '90000h' is too much; 87600h 00m is the most"
refused "a size" 'memory = 2E\n' "1: setting memory: '2E' is too much; 1\.0P is the most"
refused "a number" 'processes = 3000000000\n' "1: setting processes: 3000000000 is not between 0 and 2147483647"
refused "a value of another type" 'name = x\ntimeout = soon\n' "2: setting timeout: 'soon' is not a duration"
refused "out of its range" '\n\nat-once = 900\n' '3: setting at-once: 900 is not between 1 and 64'
refused "an unknown one" 'nosuch = 1\n' "1: there is no setting 'nosuch'"
refused "twice" 'timeout = 5m\nname = x\ntimeout = 6m\n' '3: timeout stands twice in this file'
refused "no pair" 'timeout\n' "1: expected 'key = value'"
refused "an open quote" 'name = "x\n' "1: the value of 'name' has no closing quote"
refused "a NUL byte" 'name = x\nname\0 = y\n' '2: holds a NUL byte'
refused "no UTF-8" 'name = \377\376\n' '1: setting name: it is no UTF-8'
refused "a screen's own in a workspace" 'theme = light\n' '1: theme is a setting of the user'
refused "no expression" 'noise = (\n' '1: setting noise: missing closing parenthesis'
refused "a very long line" "name = $(head -c 1000000 /dev/zero | tr '\0' a)\n" '1: setting name: expected 1 to 200 bytes'
for text in 'timeout = 5m' '\357\273\277timeout = 5m\n' 'timeout = 5m\r\nname = x\r\n' '# c\n\n  timeout=5m # why\n' 'timeout = "5m"\n'; do
	printf "$text" >.tickmark/config; tm config timeout; is "read all the same: $text" "$rc $out" "0 5m"
done
rm .tickmark/config; mkdir .tickmark/config; tm config timeout; like "a folder" "$err" 'cannot read .*config: Is a directory'
rmdir .tickmark/config; ln -s config .tickmark/config; tm config timeout; like "a link to itself" "$err" 'cannot open .*config: Too many levels'
rm .tickmark/config

tm doctor
is "doctor: status is 0 or 1" "$((rc == 0 || rc == 1))" 1
like "doctor: findings" "$out" '^(ok|!!) +'
st=$rc; tm doctor --json
is "doctor --json: same status" "$rc" "$st"
jis "doctor --json: good fits the status" 'd["good"]' "$([ "$st" = 0 ] && echo True || echo False)"
jis "doctor --json: what is not good says what to do" 'all(f["good"] or f["remedy"] for f in d["findings"])' True
cd "$work" && tm doctor; is "doctor without a workspace" "$((rc == 0 || rc == 1))" 1
tm doctor --limits; is "doctor --limits without a workspace" "$rc" 0
# dotfiles are links
mkdir -p "$work/dots" "$HOME/.config/tickmark"; printf 'name = jm\n' >"$work/dots/t"; rm -f "$HOME/.config/tickmark/config"; ln -s "$work/dots/t" "$HOME/.config/tickmark/config"
tm config --user timeout 7m; is "a config that is a link: status" "$rc" 0
is "a config that is a link stays one" "$(readlink "$HOME/.config/tickmark/config")" "$work/dots/t"
is "a config that is a link: what it leads to is written" "$(cat "$work/dots/t")" "$(printf 'name = jm\ntimeout = 7m')"
finish

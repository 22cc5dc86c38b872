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
mkdir -p "$HOME/.config/tickmark" && echo 'timeout = 99s' >"$HOME/.config/tickmark/config"
tm config timeout --json; jis "the user's own" '(d["settings"][0]["value"], d["settings"][0]["from"])' "('99s', 'user')"
tm config timeout 98s; tm config timeout --json; jis "the workspace goes before it" 'd["settings"][0]["from"]' workspace
is "the file is for the user alone" "$(stat -c %a .tickmark/config)" 600
echo 'nonsense' >"$HOME/.config/tickmark/config"; tm config timeout
like "a broken file is named with its line" "$err" "config:1"
is "a broken file: status" "$((rc == 2 || rc == 3))" 1
rm -r "$HOME/.config"
broken() { # NAME BYTES WANTED
	printf "$2" >.tickmark/config; tm config timeout
	is "$1: status" "$((rc == 2 || rc == 3))" 1; like "$1: file, line and reason" "$err" "config:$3"
}
broken "a value of another type" 'name = x\ntimeout = soon\n' "2: setting timeout: 'soon' is not a duration"
broken "out of its range" '\n\nat-once = 900\n' '3: setting at-once: 900 is not between 1 and 64'
broken "an unknown one" 'nosuch = 1\n' "1: there is no setting 'nosuch'"
broken "twice" 'timeout = 5m\nname = x\ntimeout = 6m\n' '3: timeout stands twice in this file'
broken "no pair" 'timeout\n' "1: expected 'key = value'"
broken "an open quote" 'name = "x\n' "1: the value of 'name' has no closing quote"
broken "a NUL byte" 'name = x\nname\0 = y\n' '2: holds a NUL byte'
broken "no UTF-8" 'name = \377\376\n' '1: setting name: it is no UTF-8'
broken "a screen's own in a workspace" 'theme = light\n' '1: theme is a setting of the user'
broken "no expression" 'noise = (\n' '1: setting noise: missing closing parenthesis'
broken "a very long line" "name = $(head -c 1000000 /dev/zero | tr '\0' a)\n" '1: setting name: expected 1 to 200 bytes'
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
finish

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

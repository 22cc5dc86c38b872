#!/bin/bash
# What is to be pasted so that an assistant finds the server: it starts the server, from anywhere.
. "$(dirname "$0")/lib.sh"
dir="$work/a folder with 'quotes' and \"more\""
mkdir "$dir" && cd "$dir" || exit 1
export TICKMARK
parse() { # FORMAT FILE: the command line as JSON
	"$python" - "$1" "$2" <<'X'
import json, sys
kind, text = sys.argv[1], open(sys.argv[2]).read()
if kind == "codex":
    try:
        import tomllib
    except ImportError:
        import re
        s = {k: json.loads(v) for k, v in re.findall(r"^(\w+) = (.*)$", text, re.M)}
        assert text.startswith("[mcp_servers.tickmark]\n")
    else:
        s = tomllib.loads(text)["mcp_servers"]["tickmark"]
else:
    s = json.loads(text)["servers" if kind == "vscode" else "mcpServers"]["tickmark"]
print(json.dumps([s["command"], *s["args"]]))
X
}
for client in claude codex gemini vscode cursor; do
	tm mcp --print-config $client
	is "$client: status" "$rc" 0
	is "$client: the command" "$(parse $client "$work/.out")" "$("$python" -c 'import json,sys; print(json.dumps(sys.argv[1:]))' "$TICKMARK" mcp "$dir")"
	like "$client: where it belongs" "$err" 'paste this into '
done
tm mcp --print-config claude
line=$(sed -n 's/.*, or type: claude mcp add tickmark -- //p' <<<"$err")
is "the command that adds it is one for a shell" "$(sh -c "printf '%s\n' $line")" "$(printf '%s\n' "$TICKMARK" mcp "$dir")"
parse claude "$work/.out" > "$work/command.json"
is "what is pasted serves" "$(cd / && "$python" - "$work/command.json" <<'X'
import json, subprocess, sys
p = subprocess.run(json.load(open(sys.argv[1])), input=b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n', capture_output=True)
print(json.loads(p.stdout)["result"]["serverInfo"]["name"], p.returncode)
X
)" "tickmark 0"
is "and makes nothing" "$(ls -A)" ""
tm mcp --print-config vi; is "another client: status" "$rc" 3
like "another client: which there are" "$err" 'claude, codex, gemini, vscode and cursor'
tm mcp --print-instructions
like "instructions name the tools" "$out" 'run_python'
like "and citations" "$out" '\[7\.2\]'
tm mcp /nonexistent; is "no such folder: status" "$rc" 2
like "no such folder: named" "$err" '/nonexistent'
tm mcp --print-config claude /tmp/x/../y; like "the folder is absolute and clean" "$out" '"/tmp/y"'
finish

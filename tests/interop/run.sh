#!/bin/bash
# make check-interop: clients that we did not write use the server. Needs node and npm, and reaches the npm
# registry once (INTEROP_DIR keeps what it got). INTEROP_WHOLE=1 adds whole assistants: Gemini CLI, Codex CLI, Claude
# Code. INTEROP_SAMPLE=1 leaves out clients that differ little from the others. Prints "N passed, N failed".
set -u
server=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
dir=${INTEROP_DIR:-$here/../../build/interop}
command -v node >/dev/null && command -v npm >/dev/null || { echo "check-interop needs node and npm (apt install nodejs npm)"; exit 2; }
mkdir -p "$dir" && cd "$dir" || exit 2
packages="@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0"
if [ ! -f installed ] || [ "$(cat installed)" != "$packages" ]; then
	[ -f package.json ] || npm init -y >/dev/null
	# shellcheck disable=SC2086
	npm i $packages >npm.log 2>&1 || { echo "the clients cannot be had from npm: $dir/npm.log"; exit 2; }
	echo "$packages" >installed
fi
cp "$here/client.mjs" . || exit 2
passed=0 failed=0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
check() { # NAME WANTED-STATUS COMMAND...
	local name=$1 wanted=$2 rc; shift 2
	timeout 300 "$@" >"$work/log" 2>&1; rc=$?
	if [ $rc = "$wanted" ] && ! grep -q '^BAD' "$work/log"; then passed=$((passed + 1)); echo "ok - $name"; else
		failed=$((failed + 1)); echo "not ok - $name (status $rc)"; sed 's/^/#   /' "$work/log" | head -40; fi
}
eras="v1 legacy auto pin" dialects="legacy auto modern"
[ -z "${INTEROP_SAMPLE:-}" ] || eras="legacy pin" dialects=auto # one of each kind of client
for era in $eras; do
	mkdir "$work/$era"
	check "SDK client, $era" 0 node client.mjs $era "$server" mcp "$work/$era"
	check "the record of $era verifies" 0 "$server" -C "$work/$era" verify
done
# a person watches one of them, without touching a key
mkdir "$work/watched" && "$server" -C "$work/watched" init --yes >/dev/null 2>&1
(cd "$work/watched" && timeout 120 "$server" --script - --size 100x30 . >"$work/watched.log" 2>&1 \
	<<<$'wait-idle\nwait From v1\nwait running\nwait From v1  1\nwait From v1  2\nwait ok\nwait interop-v1  mended in [7.2]'; echo $? >"$work/watched.rc") & watcher=$!
check "SDK client, watched" 0 node client.mjs v1 "$server" mcp "$work/watched"
wait $watcher
check "the screen showed it" 0 grep -qx 0 "$work/watched.rc"
mkdir "$work/inspector"
inspect() { npx mcp-inspector --cli "$server" mcp "$work/inspector" "$@"; }
export -f inspect; export server work
inspector() { check "$1" "$2" bash -c 'inspect "$@"' - "${@:3}"; }
inspector "inspector: schemas are portable" 0 --method tools/list --strict
for era in $dialects; do
	inspector "inspector, $era: run_python" 0 --method tools/call --tool-name run_python --tool-args-json '{"code":"print(1)"}' --protocol-era $era --format json
	inspector "inspector, $era: no such tool" 5 --method tools/call --tool-name nope --protocol-era $era
done
inspector "inspector: a resource" 0 --method resources/read --uri tickmark://attempt/1.1

# Whole assistants (100 to 700 MB each) against a scripted model on loopback, without an account: they start the
# server from the configuration that we print, and what the model really gets is what it would get.
whole() { # NAME PACKAGE: a home, a folder and a model for it
	[ -x "node_modules/.bin/$1" ] || npm i "$2" >npm.log 2>&1 || { echo "no $2 from npm: $dir/npm.log"; exit 2; }
	home=$work/$1/home ws=$work/$1/ws port=$((20000 + RANDOM % 20000)) log=$work/$1/model.log
	mkdir -p "$home" "$ws"
	python3 "$here/model.py" $port "$log" & model=$!
	disown
}
# NAME CLIENT CALL COMMAND...: runs it in its folder, then looks at what came of it; CALL is a pattern for what the
# client calls its call, "" where it does not
assistant() {
	check "$1, with the configuration that is printed" 0 bash -c 'cd "$1" && shift && exec "$@" </dev/null' - "$ws" "${@:4}"
	kill $model
	check "$1: its model got the result" 0 grep -Eq '1\.1 ok.*From the model.*42' "$log"
	check "$1: it is recorded as the client's" 0 bash -c '"$1" -C "$2" log | grep -q "^1\.1 .*$3"' - "$server" "$ws" "$2"
	[ -z "$3" ] || check "$1: its own name of the call is recorded" 0 grep -Eq "$3" <(sqlite3 "$ws/.tickmark/record.db" "SELECT key FROM attempt_call")
}
if [ -n "${INTEROP_WHOLE:-}" ]; then
	bin=$PWD/node_modules/.bin
	whole gemini @google/gemini-cli@0.61.0
	mkdir "$home/.gemini"
	"$server" mcp --print-config gemini "$ws" 2>/dev/null | python3 -c 'import json,sys; d=json.load(sys.stdin); d["security"]={"auth":{"selectedType":"gemini-api-key"}}; json.dump(d,sys.stdout)' >"$home/.gemini/settings.json"
	assistant "Gemini CLI" gemini-cli "" env -i HOME="$home" PATH="$PATH" GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$port \
		GEMINI_CLI_TRUST_WORKSPACE=true "$bin/gemini" --yolo -m gemini-2.5-flash -p "run it"

	whole codex @openai/codex@0.171.0
	mkdir "$home/.codex"
	codex() { env -i HOME="$home" PATH="$PATH" "$bin/codex" "$@"; }
	add=$("$server" mcp --print-config codex "$ws" 2>&1 >/dev/null | sed -n 's/.*, or type: codex //p')
	check "Codex CLI: the command that adds it" 0 bash -c "$(declare -p home bin); $(declare -f codex); codex $add"
	check "Codex CLI: knows it then" 0 bash -c "$(declare -p home bin ws); $(declare -f codex); codex mcp list | grep -q \"tickmark.*\$ws\""
	{ printf 'model = "mock"\nmodel_provider = "mock"\n'; "$server" mcp --print-config codex "$ws" 2>/dev/null
	  printf 'default_tools_approval_mode = "approve"\n[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:%s/v1"\nwire_api = "responses"\nrequires_openai_auth = false\n' $port
	} >"$home/.codex/config.toml"
	assistant "Codex CLI" codex "^thread_id=.* turn_id=.* code=" env -i HOME="$home" PATH="$PATH" "$bin/codex" exec --skip-git-repo-check \
		--dangerously-bypass-approvals-and-sandbox "run it"

	whole claude @anthropic-ai/claude-code@2.1.332
	claude() { cd "$ws" && env -i HOME="$home" PATH="$PATH" "$bin/claude" "$@"; }
	add=$("$server" mcp --print-config claude "$ws" 2>&1 >/dev/null | sed -n 's/.*, or type: claude //p')
	check "Claude Code: the command that adds it" 0 bash -c "$(declare -p home bin ws); $(declare -f claude); claude $add"
	check "Claude Code: its check of the server" 0 bash -c "$(declare -p home bin ws); $(declare -f claude); claude mcp list | grep -q 'tickmark.*Connected'"
	"$server" mcp --print-config claude "$ws" 2>/dev/null >"$ws/.mcp.json"
	assistant "Claude Code" claude "^claudecode/toolUseId=toolu_probe1$" env -i HOME="$home" PATH="$PATH" ANTHROPIC_API_KEY=x ANTHROPIC_BASE_URL=http://127.0.0.1:$port \
		ENABLE_TOOL_SEARCH=false DISABLE_TELEMETRY=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
		"$bin/claude" -p "run it" --mcp-config "$ws/.mcp.json" --strict-mcp-config --allowedTools mcp__tickmark__run_python
fi
if [ -n "${TAP:-}" ]; then echo "1..$((passed + failed))"; else echo "$passed passed, $failed failed"; fi
[ "$failed" = 0 ]

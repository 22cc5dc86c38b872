#!/bin/bash
# make check-interop: clients that we did not write use the server. Needs node and npm, and reaches the npm
# registry once (INTEROP_DIR keeps what it got). Prints "N passed, N failed".
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
for era in v1 legacy auto pin; do
	mkdir "$work/$era"
	check "SDK client, $era" 0 node client.mjs $era "$server" mcp "$work/$era"
	check "the record of $era verifies" 0 "$server" -C "$work/$era" verify
done
mkdir "$work/inspector"
inspect() { npx mcp-inspector --cli "$server" mcp "$work/inspector" "$@"; }
export -f inspect; export server work
inspector() { check "$1" "$2" bash -c 'inspect "$@"' - "${@:3}"; }
inspector "inspector: schemas are portable" 0 --method tools/list --strict
for era in legacy auto modern; do
	inspector "inspector, $era: run_python" 0 --method tools/call --tool-name run_python --tool-args-json '{"code":"print(1)"}' --protocol-era $era --format json
	inspector "inspector, $era: no such tool" 5 --method tools/call --tool-name nope --protocol-era $era
done
inspector "inspector: a resource" 0 --method resources/read --uri tickmark://attempt/1.1

# a whole assistant (100 MB) against a scripted model: what the model really gets
if [ -n "${INTEROP_WHOLE:-}" ]; then
	[ -x node_modules/.bin/gemini ] || npm i @google/gemini-cli@0.61.0 >npm.log 2>&1 || { echo "no gemini-cli from npm"; exit 2; }
	mkdir -p "$work/gemini/home/.gemini" "$work/gemini/ws"
	"$server" mcp --print-config gemini "$work/gemini/ws" 2>/dev/null | python3 -c 'import json,sys; d=json.load(sys.stdin); d["security"]={"auth":{"selectedType":"gemini-api-key"}}; json.dump(d,sys.stdout)' >"$work/gemini/home/.gemini/settings.json"
	port=$((20000 + RANDOM % 20000))
	python3 "$here/model.py" $port "$work/gemini/model.log" & model=$!
	check "Gemini CLI, with the configuration that is printed" 0 env -i HOME="$work/gemini/home" PATH="$PATH" GEMINI_API_KEY=x \
		GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$port GEMINI_CLI_TRUST_WORKSPACE=true \
		bash -c 'cd "$1" && exec "$2" --yolo -m gemini-2.5-flash -p "run it" </dev/null' - "$work/gemini/ws" "$PWD/node_modules/.bin/gemini"
	kill $model
	check "its model got the result" 0 grep -q 'functionResponse.*1\.1 ok.*From Gemini' "$work/gemini/model.log"
	check "and it is recorded as the client's" 0 bash -c '"$1" -C "$2" log | grep -q "^1\.1 .*gemini-cli"' - "$server" "$work/gemini/ws"
fi
if [ -n "${TAP:-}" ]; then echo "1..$((passed + failed))"; else echo "$passed passed, $failed failed"; fi
[ "$failed" = 0 ]

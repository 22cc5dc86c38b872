#!/bin/bash
# both users in the long form
# Outcomes: how a run ends is told apart, on the line, in the status and in the document.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >exits.py <<'PY'
import os, signal, sys
how = sys.argv[1]
print("before", how, flush=True)
if how == "zero": sys.exit(0)
if how == "three": sys.exit(3)
if how == "raise": raise ValueError("balance does not match")
if how == "text": sys.exit("refused: missing period")
if how == "kill": os.kill(os.getpid(), signal.SIGKILL)
if how == "segv": os.kill(os.getpid(), signal.SIGSEGV)
if how == "abort": os.abort()
if how == "num137": sys.exit(137)
if how == "memory": x = [bytearray(16 << 20) for _ in range(64)]
if how == "quiet": sys.stdout.write("never flushed"); os._exit(0)
PY
ends() { # HOW STATUS STATE EXIT SIGNAL LINE PASS-STATUS
	tm run exits.py "$1"
	is "$1: status" "$rc" "$2"
	like "$1: outcome line" "$err" "^1\.[0-9]+ $6"
	like "$1: stdout is kept" "$out" "^before $1"
	tm show last --json
	jis "$1: document" 'd["state"], d["exit_code"], d["signal"], d["signal_by_tickmark"]' "('$3', $4, $5, False)"
	tm run --pass-status exits.py "$1"
	is "$1: --pass-status" "$rc" "$7"
}
ends zero 0 ok 0 None 'ok  [0-9.]+s' 0
ends three 1 error 3 None 'error  exit 3 ' 3
ends raise 1 error 1 None 'error  exit 1 ' 1
tm run exits.py raise; like "raise: the exception is said" "$err" '^  .*ValueError.*balance does not match'
ends text 1 error 1 None 'error  exit 1 ' 1
tm run exits.py text; like "text: is on stderr" "$err" '^refused: missing period'
ends kill 1 error None "'SIGKILL'" 'error  SIGKILL ' 137
ends segv 1 error None "'SIGSEGV'" 'error  SIGSEGV ' 139
ends abort 1 error None "'SIGABRT'" 'error  SIGABRT ' 134
tm run exits.py kill; like "kill: not ours" "$err" '^  SIGKILL .*not by tickmark'
ends num137 1 error 137 None 'error  exit 137 ' 137
ends quiet 0 ok 0 None 'ok ' 0
tm run exits.py quiet; like "quiet: what was never flushed is there" "$out" 'never flushed'

tm run --memory 64M exits.py memory
is "memory: status" "$rc" 1
like "memory: limit, value and figure" "$err" '^1\.[0-9]+ limit  memory 64M '
like "memory: the figure, and the command that raises it" "$err" '^  memory 64M reached \([0-9.]+[MG]\): tickmark run --memory '
like "memory: what was written before" "$out" 'before memory'
tm show last --json
jis "memory: document" 'd["state"], d["limit"]["name"], d["limit"]["value"]' "('limit', 'memory', 67108864)"

# over time: everything written before is there, the unterminated line and the file too
cat >hang.py <<'PY'
import sys, time
for i in range(20): print("checked account", i)
print("warning: late entry", file=sys.stderr)
print("half a line", end="")
open("partial.csv", "w").write("a,b\n1,2\n")
time.sleep(3600)
PY
tm run --timeout 2s hang.py
is "over time: status" "$rc" 1
like "over time: limit and value" "$err" '^2\.1 limit  timeout 2\.0+s '
like "over time: the command that raises it" "$err" '^  timeout .*tickmark run --timeout '
is "over time: 20 lines and a half" "$(tr -d '\n' <"$work/.out" | grep -o 'checked account [0-9]*' | wc -l) $(tail -1 "$work/.out")" "20 half a line"
like "over time: the warning" "$err" '^warning: late entry'
tm export last partial.csv -o -
is "over time: the file" "$out" $'a,b\n1,2'
tm run --timeout nonsense hang.py; is "--timeout that is no time: status" "$rc" 3
tm run --memory much hang.py; is "--memory that is no size: status" "$rc" 3

# the network: refused, and said by what
cat >net.py <<'PY'
import urllib.request
urllib.request.urlopen("http://192.0.2.1/")
PY
tm run net.py
is "network: status" "$rc" 1
like "network: outcome" "$err" '^3\.1 refused '
like "network: what was refused" "$err" '^  .*network.*socket AF_INET'
tm show last --json
jis "network: document" 'd["state"], d["refusals"][0]["kind"], d["refusals"][0]["count"] > 0' "('refused', 'network', True)"
cat >shrug.py <<'PY'
import socket
for _ in range(16):
    try: socket.socket(socket.AF_INET)
    except OSError: pass
PY
tm run --new shrug.py; like "shrugged off: a note, with its count" "$rc $err" '^  refused: network: socket AF_INET x16$'
tm show last --json; jis "shrugged off: ok" '(d["state"], d["refusals"][0]["count"])' "('ok', 16)"
printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_attempt","arguments":{"attempt":"last"}}}' >"$work/rpc"
tm_from "$work/rpc" mcp; like "shrugged off: an assistant reads the same" "$out" 'refused by the sandbox: network: socket AF_INET x16'
cat >net-caught.py <<'PY'
import socket
try: socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError as e: print("caught", type(e).__name__)
PY
tm run net-caught.py
is "network, caught: it is ok" "$rc" 0
like "network, caught: recorded all the same" "$err" '^  refused: network'

# noise is no failure; HOME and caches are there to be written to; no byte code among the files
cat >noise.py <<'PY'
import os, pathlib, sys, warnings
pathlib.Path("helper_mod.py").write_text("VALUE = 42\n"); sys.path.insert(0, os.getcwd())
import helper_mod
warnings.warn("this column will change", FutureWarning)
home = pathlib.Path(os.path.expanduser("~")); cache = home / ".cache" / "probe"
cache.mkdir(parents=True, exist_ok=True); (cache / "fontlist.json").write_text("{}")
print("result", helper_mod.VALUE)
PY
tm run noise.py
is "noise: ok" "$rc $out" "0 result 42"
tm show last --json
jis "noise: files" '[a["path"] for a in d["artifacts"]]' "['helper_mod.py']"
is "noise: the real HOME is as it was" "$(find "$HOME" -name 'probe*' | wc -l)" 0

# orphans: nothing is left, and how many had to be ended is said
cat >orphans.py <<'PY'
import os, subprocess, sys, time
beat = "import time\nfor i in range(600): time.sleep(1) # tick-orphan-%s" % sys.argv[1]
subprocess.Popen([sys.executable, "-c", beat])
subprocess.Popen([sys.executable, "-c", beat], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execv(sys.executable, [sys.executable, "-c", beat])
    os._exit(0)
print("spawned", flush=True)
if len(sys.argv) > 2: time.sleep(3600)
PY
tag=$$-$RANDOM
orphans() { pgrep -f "tick-orphan-$tag" | wc -l; }
tm run orphans.py $tag
is "orphans: it is ok" "$rc" 0
is "orphans: none is left" "$(orphans)" 0
like "orphans: said" "$err" 'processes left behind had to be ended'
tm run --timeout 2s orphans.py $tag stay
is "orphans, over time: none is left" "$(orphans)" 0

# one change of a limit for the workspace
tm config timeout 2s && tm run hang.py
like "a limit of the settings holds" "$err" '^2\.[0-9]+ limit  timeout 2'
tm config --unset timeout
finish

#!/bin/bash
# Runs of assistants: at once, cancelled, left alone, asked for twice.
. "$(dirname "$0")/lib.sh"
mkdir "$work/ws" && cd "$work/ws" || exit 1
workspaces=$work/ws
export TICKMARK
"$python" "$here/mcp_runs.py"

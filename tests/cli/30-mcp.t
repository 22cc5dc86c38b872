#!/bin/bash
# The tools that assistants use.
. "$(dirname "$0")/lib.sh"
mkdir "$work/ws" && cd "$work/ws" || exit 1
export TICKMARK
"$python" "$here/mcp_tools.py"

#!/bin/bash
# sanitizer sample
# The protocol, and clients that do not keep to it.
. "$(dirname "$0")/lib.sh"
mkdir "$work/ws" && cd "$work/ws" || exit 1
export TICKMARK
"$python" "$here/mcp_protocol.py"

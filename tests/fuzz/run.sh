#!/bin/bash
# make fuzz [FUZZ_SECONDS=30]: every harness with libFuzzer, sanitized. The record's begins with a real one.
set -eu
cd "$(dirname "$0")/../.."
make -s -j"$(nproc)" VARIANT=fuzz build/fuzz/all.a build/fuzz/tickmark-seed
corpus=build/fuzz/corpus
mkdir -p $corpus/record $corpus/text $corpus/mcp $corpus/diff
cp build/fuzz/seed/.tickmark/record.db $corpus/record/seed.db
cp sample-workspaces/*/*.py $corpus/text/
printf ' %s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"}}}' \
	'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"run_python","arguments":{"code":"1","timeout":3},"_meta":{"progressToken":1}}}' \
	'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' \
	'{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"tickmark://attempt/7.1/file/a%20b"}}' >$corpus/mcp/seed
# what readers say of a workbook, and of an image
printf '\007\200%s\n' '["S"]
["S",1,1,"id",null,null]
["S",1,2,"x",null,null]
["S",2,1,"a",null,null]
["S",2,2,"1","=A2*$B$1",null]' >$corpus/diff/book
printf '\147\200%s\n' '["frame 1"]
["frame 1",1,1,null,null,"ff0000ff00ff00ff"]' >$corpus/diff/frame
for harness in tests/fuzz/fuzz_*.c; do
	name=$(basename "$harness" .c)
	make -s VARIANT=fuzz "build/fuzz/$name"
	echo "== $name"
	"build/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
		-artifact_prefix=build/fuzz/ "$corpus/${name#fuzz_}" 2>&1 | grep -E 'ERROR|SUMMARY|Test unit|number_of_executed|peak_rss' 
	[ "${PIPESTATUS[0]}" = 0 ] || { echo "$name found something: build/fuzz/crash-*"; exit 1; }
done

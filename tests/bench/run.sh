#!/bin/bash
# make bench [BENCH="P1 P12"] [BENCH_N=100]
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build/bench
cc -O2 -D_GNU_SOURCE -o build/bench/peer tests/bench/peer.c
# shellcheck disable=SC2086
exec /usr/bin/python3 tests/bench/bench.py build/release/tickmark build/bench/peer build/release/tests/bench/generate ${BENCH:-}

#!/bin/bash
# make check: builds plain and with sanitizers, proves that clang is as silent as gcc, runs every test.
set -eu
cd "$(dirname "$0")/.."
export CI=${CI:-true} # warnings are errors
export SAMPLE=1 # what of it is in make soak alone, or of one variant: the Makefile and prove.sh
jobs=$(nproc)
make -s -j"$jobs" all tests
make -s -j"$jobs" VARIANT=asan all tests
make -s clang-warnings
exec bash tests/prove.sh release asan

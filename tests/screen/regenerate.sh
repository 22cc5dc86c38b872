#!/bin/bash
# Writes all golden screens anew: TICKMARK=build/release/tickmark bash tests/screen/regenerate.sh
cd "$(dirname "$0")/../.." || exit 1
TICKMARK=${TICKMARK:-build/release/tickmark} REGENERATE=1 exec bash tests/screen/01-goldens.t

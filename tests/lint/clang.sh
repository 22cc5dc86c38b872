#!/bin/bash
# clang.sh FLAG... -- FILE...: what clang warns of, as errors. Starting its front end costs six times what it takes to
# read one file of ours, and its driver starts one for each: so the driver is asked what it would start, and that
# reads them all.
set -eu
flags=()
while [ "$1" != -- ]; do flags+=("$1"); shift; done
shift
line=$(clang -### -fsyntax-only -Werror "${flags[@]}" "$1" 2>&1 | grep '"-cc1"') || { echo "clang.sh: clang -### shows no front end"; exit 2; }
eval "driver=($line)"
front=()
for ((i = 0; i < ${#driver[@]} - 1; i++)); do
	case ${driver[i]} in -main-file-name) i=$((i + 1)) ;; *) front+=("${driver[i]}") ;; esac
done
printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n $(($# / $(nproc) + 1)) "${front[@]}"

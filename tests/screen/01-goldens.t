#!/bin/bash
# Golden screens: each NAME.keys is played headless and compared with NAME.screen. The head of a key
# script says "# fixture NAME", "# size WxH", "# dump text|style|both", "# env NAME=VALUE". REGENERATE=1
# writes the .screen files anew (see regenerate.sh); the change is to be read in the diff. ONLY=NAME plays one.
. "$(dirname "$0")/lib.sh"

head_of() { sed -n "s/^# $1 //p" "$2" | head -1; }

for keys in "$here"/${ONLY:-*}.keys; do
	name=$(basename "$keys" .keys)
	golden=${keys%.keys}.screen
	folder=$work/$name/premium-check
	fixture "$(head_of fixture "$keys")" "$folder"
	env=$(head_of env "$keys")
	got=$(env ${env:+"$env"} bash -c 'exec "$@"' - "$TICKMARK" --script "$keys" --size "$(head_of size "$keys")" \
		--dump "$(head_of dump "$keys")" "$folder" 2>&1 | normalise)
	if [ -n "${REGENERATE:-}" ]; then printf '%s\n' "$got" > "$golden"; pass "$name written"; continue; fi
	if [ "$got" = "$(cat "$golden" 2>/dev/null)" ]; then pass "$name"; else
		fail "$name" "$(diff <(cat "$golden" 2>/dev/null) <(printf '%s\n' "$got") | head -40)"; fi
done
finish

#!/bin/bash
# Every view: golden screens at 100x30 in colour and at 80x24 with three panes, and at other sizes and in
# mono what must hold of any screen (invariants.py). views/NAME.keys says "# fixture NAME" and "# rows KIND":
# list (a row is selected), cells (a cell is), text, prompt or none; "# evidence": what the fixture's record is packed
# into is opened. REGENERATE=1 writes the goldens anew.
. "$(dirname "$0")/lib.sh"

# the same asker whoever runs this
mkdir -p "$XDG_CONFIG_HOME/tickmark" && echo "name = ana" > "$XDG_CONFIG_HOME/tickmark/config"
sizes="72x16 40x10 20x5 1x1 200x60"
head_of() { sed -n "s/^# $1 //p" "$2" | head -1; }
play() { local keys=$1 size=$2 what=$3; shift 3; "$TICKMARK" --script "$keys" --size "$size" --dump "$what" "$@" "$folder" 2>&1; }

golden() { # NAME FILE GOT
	if [ -n "${REGENERATE:-}" ]; then printf '%s\n' "$3" > "$2"; pass "$1 written"; return; fi
	if [ "$3" = "$(cat "$2" 2>/dev/null)" ]; then pass "$1"; else fail "$1" "$(diff "$2" <(printf '%s\n' "$3") 2>&1 | head -30)"; fi
}

for keys in "$here"/views/${ONLY:-*}.keys; do
	name=$(basename "$keys" .keys)
	folder=$work/$name/premium-check
	fixture "$(head_of fixture "$keys")" "$folder"
	[ "$name" != messages ] || (cd "$folder" && "$TICKMARK" say 'The total of [1.1] holds; see [2.1] and its correction [2.2].' && "$TICKMARK" say 'Second words.')
	if grep -q '^# evidence' "$keys"; then
		"$TICKMARK" -C "$folder" pack "$work/$name/mail.db" >/dev/null || fail "pack for $name"
		folder=$work/$name/mail.db
	fi
	golden "$name at 100x30" "${keys%.keys}-100x30.screen" "$(play "$keys" 100x30 both | normalise)"
	golden "$name at 80x24" "${keys%.keys}-80x24.screen" "$(play "$keys" 80x24 text | normalise)"
	[ -n "${REGENERATE:-}" ] && continue
	kind=$(head_of rows "$keys")
	case $kind in
	prompt) moves=$'dump both\n' ;;
	list) moves=$'dump both\nkey g\ndump both\nkey j j j\ndump both\nkey G\ndump both\nkey k Left\ndump both\nkey PgUp Ctrl-D\ndump both\n' ;;
	*) moves=$'dump both\nkey g\ndump both\nkey j j j\ndump both\nkey G\ndump both\nkey k Right Right\ndump both\nkey Left PgUp\ndump both\n' ;;
	esac
	# what is to hold: the sizes one after the other, then without colours
	{ cat "$keys"; for at in $sizes; do printf 'resize %s\nwait-idle\n%s' $at "$moves"; done; } > "$work/sizes.keys"
	{ cat "$keys"; printf '%s' "$moves"; } > "$work/mono.keys"
	{ play "$work/sizes.keys" 80x24 both && play "$work/mono.keys" 80x24 both --theme mono; } > "$work/dumps"; status=$?
	# shellcheck disable=SC2086
	wrong=$("$python" "$here/invariants.py" "$kind" "$(grep -c dump <<<"$moves")" $sizes 80x24 < "$work/dumps" 2>&1)
	if [ -z "$wrong" ] && [ "$status" = 0 ]; then pass "$name at $sizes and in mono"; else fail "$name" "status $status" "$wrong"; fi
done
finish

#!/bin/bash
# The README is true: its session is run and compared, its table of commands is that of the program.
. "$(dirname "$0")/lib.sh"
top=$(cd "$here/../.." && pwd)
readme=$top/README.md
samples=$top/sample-workspaces
[ -r "$readme" ] && [ -d "$samples" ] || { echo "Bail out! README.md and sample-workspaces are to stand beside tests"; exit 1; }
cp -r "$samples/premium-proposal" "$work/"
cd "$work/premium-proposal" || exit 1
mkdir "$work/bin" && ln -s "$TICKMARK" "$work/bin/tickmark"
export PATH="$work/bin:/usr/bin:/bin"

# what may differ from one machine to the next
plain() { sed -E -e "s|$work|…|g; s/  +[0-9.]+(ms|s|m [0-9]+s)  +/  TIME  /; s/  [0-9.]+s\$/  TIME/; s/  TIME +/  TIME  /"; }

commands=0 wrong=0 given="" expected=""
check() {
	[ -n "$given" ] || return 0
	commands=$((commands + 1))
	got=$(bash -c "$given" 2>&1 | plain)
	[ "$got" = "${expected%$'\n'}" ] && return 0
	wrong=$((wrong + 1))
	echo "# \$ $given"
	diff <(printf '%s\n' "${expected%$'\n'}") <(printf '%s\n' "$got") | sed 's/^/# /'
}
inside=
while IFS= read -r line; do
	case $line in
	'```console') inside=1; continue ;;
	'```') [ -n "$inside" ] && check; inside=''; given=''; expected=''; continue ;;
	esac
	[ -n "$inside" ] || continue
	case $line in
	'$ '*) check; given=${line#??}; expected='' ;;
	*) expected+=$line$'\n' ;;
	esac
done < "$readme"

# the screen at its end; only the times differ
screen() { sed -E 's/ +[0-9.]+m?s │$/ TIME │/; s/ +$//'; }
drawn=$(printf 'wait-idle\nkey g j Enter\nwait-idle\n' | "$TICKMARK" --script - --size 100x24 . | tee "$work/screen" | screen)
is "the screen" "$(sed -n '/<!-- screen -->/,/<!-- end -->/p' "$readme" | sed '1,2d' | sed '/^```$/,$d' | screen)" "$drawn"
[ -z "${README_SCREEN:-}" ] || cp "$work/screen" "$README_SCREEN"

table() { sed -n "/<!-- tickmark help: $1 -->/,/<!-- end -->/p" "$readme" | grep '^|'; }
is "the session of the README: commands that differ" "$wrong" 0
yes "it has commands at all" test "$commands" -ge 10
is "the table of commands" "$(table commands)" "$("$TICKMARK" help --table)"
is "the table of keys" "$(table keys)" "$("$TICKMARK" help --keys)"
finish

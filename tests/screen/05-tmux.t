#!/bin/bash
# The same key script gives the same final screen headless and in a real terminal (tmux).
. "$(dirname "$0")/lib.sh"
command -v tmux >/dev/null || { skip "all" "no tmux"; finish; }
fixture basic "$work/ws"
socket=$work/tmux
t() { env -u TMUX tmux -S "$socket" -f /dev/null "$@"; }
trap 't kill-server 2>/dev/null; at_exit' EXIT

# What both show must settle: the text on the screen is compared until it is the same, 10 s at most.
scripts=(
	'j' 'g Enter' 'g j Enter j Enter' 'G Enter G' 'G Enter j j Enter' '3 j Enter' '1' '?' '? G' 'z' 'Tab' '7'
	'G Enter j j Enter w Right' ': r e'
)
names() { sed -e 's/\bEnter\b/Enter/g' <<<"$1"; }
for s in "${scripts[@]}"; do
	want=$(printf 'wait tiv_by_city\nwait-idle\nkey %s\nwait-idle\n' "$s" | "$TICKMARK" --script - --size 80x24 "$work/ws")
	rm -f "$work/ws/.tickmark/cache/screen" # where the visit before left off
	t new-session -d -x 80 -y 24 -s s "$TICKMARK '$work/ws'" 2>/dev/null
	t set -g status off 2>/dev/null
	for _ in $(seq 200); do t capture-pane -p -t s 2>/dev/null | grep -q tiv_by_city && break; sleep 0.05; done
	# shellcheck disable=SC2086
	t send-keys -t s $(names "$s")
	for _ in $(seq 200); do
		got=$(t capture-pane -p -t s 2>/dev/null)
		[ "$got" = "$want" ] && break
		sleep 0.05
	done
	if [ "$got" = "$want" ]; then pass "keys $s"; else fail "keys $s" "$(diff <(echo "$want") <(echo "$got"))"; fi
	t kill-session -t s 2>/dev/null
done
finish

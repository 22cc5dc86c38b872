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
# shown TEXT: waits until it is on the screen
shown() { local i; for i in $(seq 200); do t capture-pane -p -t s 2>/dev/null | grep -q -- "$1" && return; sleep 0.05; done; return 1; }

# O13: suspended from a shell, resized, continued: drawn anew at the size of now, and keys mean what they meant
want=$(printf 'wait tiv_by_city\nwait-idle\nkey g j\nwait-idle\n' | "$TICKMARK" --script - --size 100x30 "$work/ws")
rm -f "$work/ws/.tickmark/cache/screen"
t new-session -d -x 80 -y 24 -s s "PS1='$ ' bash --norc --noprofile -i"
t set -g status off
t send-keys -t s "'$TICKMARK' '$work/ws'" Enter; shown tiv_by_city
t send-keys -t s g C-z; yes "Ctrl-Z gives the shell" shown 'Stopped'
t resize-window -t s -x 100 -y 30
t send-keys -t s fg Enter; shown tiv_by_city
t send-keys -t s j
for _ in $(seq 200); do got=$(t capture-pane -p -t s); [ "$got" = "$want" ] && break; sleep 0.05; done
is "continued at another size" "$got" "$want"
# O12: the terminal is closed
pid=$(pgrep -f "^$TICKMARK $work/ws" | head -1)
yes "the screen runs" test -n "$pid"
t kill-session -t s
for _ in $(seq 200); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
no "closed, the screen ends" test -d "/proc/${pid:-1}"
finish

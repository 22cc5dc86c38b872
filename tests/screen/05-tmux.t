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
# same_screen FOLDER TEXT KEYS: TEXT is there once the screen is
same_screen() {
	local want got
	want=$(printf 'wait %s\nwait-idle\nkey %s\nwait-idle\n' "$2" "$3" | "$TICKMARK" --script - --size 80x24 "$1")
	rm -f "$1/.tickmark/cache/screen" # where the visit before left off
	t new-session -d -x 80 -y 24 -s s "$TICKMARK '$1'" 2>/dev/null
	t set -g status off 2>/dev/null
	for _ in $(seq 200); do t capture-pane -p -t s 2>/dev/null | grep -q "$2" && break; sleep 0.05; done
	# shellcheck disable=SC2086
	t send-keys -t s $3
	for _ in $(seq 200); do
		got=$(t capture-pane -p -t s 2>/dev/null)
		[ "$got" = "$want" ] && break
		sleep 0.05
	done
	if [ "$got" = "$want" ]; then pass "keys $3"; else fail "keys $3" "$(diff <(echo "$want") <(echo "$got"))"; fi
	t kill-session -t s 2>/dev/null
}
for s in "${scripts[@]}"; do same_screen "$work/ws" tiv_by_city "$s"; done
# line by line, where scrolling margins stay set between draws, and what comes behind that
fixture long "$work/long"
rm -f "$work/long/.tickmark/cache/screen"
open='g Enter / 0 0 0 1 2 Enter Enter'
for s in 'j j j j j' 'j j j k k k k k' 'j j Space j b k k' 'j j ?' 'j j k q G' 'j j k w Right j j' 'j j / 0 0 1 Enter j' 'k k G k k k'; do
	same_screen "$work/long" 'Many lines' "$open $s"
done
# shown TEXT: waits until it is on the screen
shown() { local i; for i in $(seq 200); do t capture-pane -p -t s 2>/dev/null | grep -q -- "$1" && return; sleep 0.05; done; return 1; }

# O13: suspended from a shell, resized, continued: drawn anew at the size of now, and keys mean what they meant
want=$(printf 'wait tiv_by_city\nwait-idle\nkey g j\nwait-idle\n' | "$TICKMARK" --script - --size 100x30 "$work/ws")
rm -f "$work/ws/.tickmark/cache/screen"
printf '#!/bin/sh\nkill -STOP $$\nprintf "print(5)" > "$1"\n' > "$work/stops"; chmod +x "$work/stops"
t new-session -d -x 80 -y 24 -s s "EDITOR=$work/stops PS1='$ ' bash --norc --noprofile -i"
t set -g status off
t send-keys -t s "'$TICKMARK' '$work/ws'" Enter; shown tiv_by_city
t send-keys -t s g C-z; yes "Ctrl-Z gives the shell" shown 'Stopped'
t resize-window -t s -x 100 -y 30
t send-keys -t s fg Enter; shown tiv_by_city
t send-keys -t s j
for _ in $(seq 200); do got=$(t capture-pane -p -t s); [ "$got" = "$want" ] && break; sleep 0.05; done
is "continued at another size" "$got" "$want"
# so is an editor that stops by itself
stopped_twice() { local i; for i in $(seq 200); do [ "$(t capture-pane -p -t s | grep -c Stopped)" = 2 ] && return; sleep 0.05; done; return 1; }
t send-keys -t s a; yes "an editor that stops gives the shell" stopped_twice
t send-keys -t s fg Enter; yes "and goes on where it was" shown 'run this as a new step'
t send-keys -t s Escape; yes "not confirmed" shown 'not run'
# O12: the terminal is closed
pid=$(pgrep -f "^$TICKMARK $work/ws" | head -1)
yes "the screen runs" test -n "$pid"
t kill-session -t s
for _ in $(seq 200); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
no "closed, the screen ends" test -d "/proc/${pid:-1}"
finish

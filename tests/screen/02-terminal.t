#!/bin/bash
# A real pty: what the screen does to a terminal (O1, O9, O10, O12, O13, O14), whatever happens to it.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
cd "$work/ws" || exit 1
before=$("$TICKMARK" log --json | md5sum)

# sane NAME JSON [EXIT]: ended by itself, nothing left on, nothing sent that may not be
sane() {
	local want=${3:-0}
	if grep -q "\"ended_by_itself\": true, \"exit\": $want," <<<"$2" && grep -q '"sent": \[\], "left_on": \[\], "not_seen": \[\], "tty_restored": true' <<<"$2"
	then pass "$1"; else fail "$1" "$2"; fi
}

# colours by value, as xterm-direct has them, which is not on every machine
infocmp -x xterm-256color | sed -e '/^#/d' -e '1,/^xterm-256color/s/^xterm-256color[^,]*,/xterm-direct,/' -e 's/colors#[0-9xa-f]*/colors#0x1000000/; s/pairs#[0-9xa-f]*/pairs#0x7fff/' \
	-e 's/setaf=[^,]*,/setaf=\\E[%?%p1%{8}%<%t3%p1%d%e38\\:2\\:\\:%p1%{65536}%\/%d\\:%p1%{256}%\/%{255}%\&%d\\:%p1%{255}%\&%d%;m, RGB,/' > "$work/direct.ti"
TERMINFO=$work/terminfo tic -x -o "$work/terminfo" "$work/direct.ti" 2>/dev/null
for t in vt100 vt220 linux xterm ansi xterm-256color screen screen-256color tmux tmux-256color rxvt-unicode-256color xterm-mono; do
	infocmp $t >/dev/null 2>&1 || { skip "TERM=$t" "not known here"; continue; }
	sane "TERM=$t" "$(pty --env TERM=$t --do key:j --do 'key:?' --do key:q --do key:Q -- "$TICKMARK")"
done
sane "TERM=xterm-direct" "$(pty --raw "$work/raw" --env TERM=xterm-direct --env TERMINFO="$work/terminfo" --do key:j --do key:Q -- "$TICKMARK" --theme gruvbox)"
yes "colours are sent by value" grep -aq $'\e\[38:2::' "$work/raw"
# numbered questions instead (32-plain.t)
for l in C C.UTF-8; do
	LC_ALL=$l pty --raw "$work/raw" --env TERM=dumb --do 'key:q\r' -- "$TICKMARK" >/dev/null
	is "TERM=dumb, LC_ALL=$l: plain lines" "$(grep -ac $'\e' "$work/raw")" 0
done
for t in nosuchterm ""; do sane "TERM='$t' is refused" "$(pty --env "TERM=$t" -- "$TICKMARK")" 2; done
out=$(echo x | "$TICKMARK" 2>&1 >/dev/null); is "no terminal on stdin: status" $? 2
is "one line" "$(wc -l <<<"$out")" 1
like "that names the cause and what prints" "$out" 'standard input is not a terminal.*tickmark log'
"$TICKMARK" 2>/dev/null <&- | cat -v > "$work/out"; is "nothing into a pipe" "$(wc -c < "$work/out")" 0

sane "sizes from 1x1 to 500x200" "$(pty --rows 1 --cols 1 --do size:5x20 --do key:r --do size:1x1 --do size:1x200 --do size:200x1 \
	--do size:200x500 --do size:0x0 --do size:65535x1 --do size:1x65535 --do size:24x80 --do key:Q -- "$TICKMARK")"
sane "larger than curses can count" "$(pty --rows 65535 --cols 65535 --do key:j --do size:24x80 --do 'expect:network off' --do key:Q -- "$TICKMARK")"
sane "the same with help open" "$(pty --do 'key:?' --do size:1x1 --do size:5x20 --do key:j --do size:24x80 --do key:Q -- "$TICKMARK")"
sane "exported LINES and COLUMNS lose" "$(pty --rows 24 --cols 80 --env LINES=50 --env COLUMNS=132 --do 'expect:network off' --do key:Q -- "$TICKMARK")"
sane "a paste outside a field does nothing" "$(pty --do 'key:\x1b[200~rRtd\nQ\x03\x1b[201~' --do 'expect:pasted text was left out' --do key:Q -- "$TICKMARK")"
sane "a paste into a field is text" "$(pty --do key:/ --do 'key:\x1b[200~rRtd\nQ\x03\x1b[201~' --do 'expect:rRtd Q' --do 'key:\x1b' --do key:Q -- "$TICKMARK")"
sane "torn, late and unknown sequences" "$(pty --do 'key:\x1b' --do wait:0.06 --do 'key:[A' --do 'key:\x1b[99;99~' --do 'key:\x1b' --do wait:0.3 --do 'key:OR' --do key:Q -- "$TICKMARK")"
sane "Esc acts at once" "$(pty --do 'key:?' --do 'expect:Help: Panes' --do 'key:\x1b' --do 'expect:3 steps' --do key:Q -- "$TICKMARK")"
sane "suspended, resized, continued" "$(pty --do 'key:\x1a' --do size:30x100 --do wait:0.5 --do sig:CONT --do key:j --do key:Q -- "$TICKMARK")"
for s in TERM HUP; do sane "SIG$s" "$(pty --do sig:$s -- "$TICKMARK")"; done
like "a hang-up ends it" "$(pty --do hangup -- "$TICKMARK")" '"ended_by_itself": true'
for s in SEGV QUIT ALRM XCPU; do
	like "SIG$s leaves a sane terminal" "$(pty --do sig:$s -- "$TICKMARK")" "\"signal\": $(kill -l $s),.*\"sent\": \[\], \"left_on\": \[\], \"not_seen\": \[\], \"tty_restored\": true"
done
NO_COLOR=1 pty --raw "$work/raw" --do key:j --do key:Q -- "$TICKMARK" >/dev/null
is "NO_COLOR: no colour is sent" "$(grep -acE $'\x1b\\[[0-9;]*(3[0-8]|4[0-8])[;m]' "$work/raw")" 0
pty --raw "$work/raw" --do key:j --do key:Q -- "$TICKMARK" >/dev/null
is "no fixed white or black on the default background" "$(grep -acE $'\x1b\\[(30|37|40|47)m' "$work/raw")" 0
like "the C locale starts, with escapes" "$(LC_ALL=C pty --do 'expect:not UTF-8' --do key:Q -- "$TICKMARK")" '"exit": 0.*"not_seen": \[\]'
LC_ALL=C pty --raw "$work/raw" --do key:G --do 'key:\r' --do key:Q -- "$TICKMARK" >/dev/null
is "and sends ASCII alone" "$(LC_ALL=C grep -acP '[\x80-\xff]' "$work/raw")" 0
pty --raw "$work/raw" --do key:M --do key:Q -- "$TICKMARK" > "$work/out"
sane "the mouse can be turned off" "$(cat "$work/out")"
like "which is seen" "$(tr -d '\n' < "$work/raw")" 'mouse off'
is "no attempt was started by all this" "$("$TICKMARK" log --json | md5sum)" "$before"
finish

#!/bin/bash
# O1 to O16 of the faults that users met elsewhere, by their own reproductions, as the screen shows them.
# (What a terminal gets is 02-terminal.t, editors are 03-editor.t.)
. "$(dirname "$0")/lib.sh"
cases=$shared/cases
if [ ! -d "$cases" ]; then echo "1..0 # SKIP no $cases"; exit 0; fi

fixture_cases() {
	cp "$cases"/o0[2-8]*.py . && chmod 644 ./*.py
	begin_record
	for s in o02_wide o03_escapes o04_progress o05_nul o06_badutf8 o07_longline; do "$TICKMARK" run $s.py || return 1; done
	"$TICKMARK" run o08_flood.py 300000 || return 1
	"$TICKMARK" rerun 2.1 || return 1
}
fixture cases "$work/ws"
cd "$work/ws" || exit 1
play() { "$TICKMARK" --script - --size "${2:-80x24}" --dump "${3:-text}" . <<<"$1" 2>&1; }
dumps() { printf "$1\ndump both\n%.0s" $(seq "$2"); }
holds() { # NAME KIND SIZE COUNT < DUMPS
	local wrong; wrong=$("$python" "$here/invariants.py" "$2" "$4" "$3" 2>&1)
	is "$1" "$wrong" ""
}

# O1: grown back it is what it was; what was typed meanwhile did nothing
before=$("$TICKMARK" log --json | md5sum)
for view in '2 g Enter j j' '?' 'p' '5' '4' '7' 'G Enter j j Enter' ':' '/' 't'; do
	out=$(play $'wait-idle\nkey '"$view"$'\nwait-idle\ndump\nresize 1x1\nkey r x j Enter\nresize 5x20\nkey j R\nresize 1x200\nresize 200x1\nkey d\nresize 80x24\nwait-idle\ndump')
	is "O1: $view, shrunk and grown back" "$(tail -24 <<<"$out")" "$(head -24 <<<"$out")"
done
like "O1: too small is said" "$(play $'wait-idle\nresize 19x5')" '^too small, needs'
is "O1: no attempt was started" "$("$TICKMARK" log --json | md5sum)" "$before"

# O2: every border keeps its column, at each row of the scroll
for cols in 79 80 81; do
	{ printf 'wait-idle\ntext :1\nkey Enter Enter\n'; dumps "key j" 100; } > "$work/keys"
	holds "O2: panes at $cols" list ${cols}x24 100 < <("$TICKMARK" --script "$work/keys" --size ${cols}x24 .)
	{ printf 'wait-idle\ntext :1\nkey Enter Enter\ntext /|000|\nkey Enter Enter\n'; dumps "key j" 60; printf 'key w\n'; dumps "key Right j" 20; } > "$work/keys"
	holds "O2: pager at $cols" text ${cols}x24 80 < <("$TICKMARK" --script "$work/keys" --size ${cols}x24 .)
done

# O3: shown as text wherever it is shown, and nothing of it acts
out=$(play $'wait-idle\ntext :2.1\nkey Enter\ntext /BEGIN-clip\nkey Enter Enter' 100x40)
is "O3: every END is visible" "$(grep -o 'END-[a-z0-9-]*' <<<"$out" | wc -l)" 20
like "O3: so is the last BEGIN" "$out" 'BEGIN-unterminated'
like "O3: what was to be overwritten is readable" "$out" 'total 1,000'
like "O3: concealed text is not concealed" "$out" 'concealed'
see_all() { # NAME KEYS: in a terminal, nothing is sent that may not be
	local steps=() k; for k in "${@:2}"; do steps+=(--do "key:$k"); done
	like "O3: $1" "$(pty --rows 40 --cols 100 "${steps[@]}" --do key:Q -- "$TICKMARK")" '"sent": \[\], "left_on": \[\].*"tty_restored": true'
}
see_all "unfolded" ':2.1\r' '\r' '+' G
see_all "in the pager" ':2.1\r' '/BEGIN-clip\r' '\r' G
see_all "found by S" S 'BEGIN-\r' '\r'
see_all "in a difference" ':2.2\r' d G
see_all "in the dossier" ':2.1\r' p ' ' ' ' G

# O4: a progress bar is its last state, the others can be seen and searched
out=$(play $'wait-idle\ntext :3\nkey Enter Enter\ntext /5000.5000\nkey Enter Enter\ndump')
is "O4: one row, with its last state" "$(head -24 <<<"$out" | grep -c '/5000')" 1
like "O4: which says how many came before" "$out" '\+500[01] earlier states'
out=$(play $'wait-idle\ntext :3\nkey Enter Enter\ntext /^row two\nkey Enter Enter\nsee row one\nsee row two\nsee +1 earlier state\nsee short\nkey Enter\nsee long old text\nkey q\ntext /5000.5000\nkey Enter Enter\ntext /2500.5000\nkey Enter\nwait-idle\nsee  2500/5000')
is "O4: CRLF, the last line without an end, earlier states, a search in them" "$?" 0

# O5, O6: NULs and bad bytes hide nothing
play $'wait-idle\ntext :4\nkey Enter\ntext /^before\nkey Enter Enter\nsee NEEDLE-AFTER-NUL\nsee tail\nkey q\ntext /^err.NEEDLE-ERR\nkey Enter Enter\nsee NEEDLE-ERR\nkey q\ntext :search-record NEEDLE-ERR\nkey Enter\nwait-idle\nsee NEEDLE-ERR' > "$work/out"
is "O5: text behind NUL" "$?" 0
for size in 20x24 80x24; do
	play $'wait-idle\ntext :5\nkey Enter\ntext /latin-1\nkey Enter Enter\ntext /WRAP-END\nkey Enter\nwait-idle\nsee WRAP-END\nkey g w\ntext /WRAP-END\nkey Enter\nwait-idle\nsee WRAP-END\nkey w G\nsee \\xf0' $size > "$work/out"
	is "O6: at $size, wrapped and not" "$? $(tail -1 "$work/out" | head -c 200)" "0 $(tail -1 "$work/out" | head -c 200)"
done

# O7: a line of 5 MB
play $'wait-idle\ntext :6\nkey Enter\ntext /^AFTER-ONE\nkey Enter\nwait-idle\nkey Enter\nwait-idle\nsee AFTER-ONE\nkey g w End w G\nsee AFTER-TWO\nkey g\ntext /759999\nkey Enter\nwait-idle\nsee 759999\nkey w\nwait-idle\ntext /AFTER-TWO\nkey Enter\nwait-idle\nsee AFTER-TWO\nkey g Right Right Left w' > "$work/out"
is "O7: it wraps, unwraps, is searched to its end" "$?" 0

# O8: what came of a flood is found from the folded list, by the pager and at the end
play $'wait-idle\nkey g\ntext /line 00150000\nkey Enter\nwait-idle\nsee found in lines that are left out\nkey Enter\nwait-idle\nsee line 00150000\nkey G\nsee LAST-LINE\nkey g\ntext /LAST-LINE\nkey Enter\nwait-idle\nsee LAST-LINE' > "$work/out"
is "O8: folded away and found" "$?" 0
"$TICKMARK" run --detach o08_flood.py >/dev/null; workspaces=$work/ws
play $'wait 1 running\ntext :7.2\nkey Enter Enter\nwait line 0\ntext /^line\nkey Enter Enter F j k G\nwait fox\ntext /no such text anywhere\nkey Enter\nkey Ctrl-C\nkey g G\nkey q x Enter\nwait stopped' > "$work/out"
is "O8: keys answer while it arrives" "$?" 0

# O11: neither the bytes nor what a run sees depend on who looks
run_in() { # LOCALE
	mkdir "$work/$1" && cd "$work/$1" && printf 'x\n' > é.csv && printf 'print(open("é.csv").read(), "Zoë 漢字 😀")\nimport sys, locale\nprint(sys.stdout.encoding, sys.flags.utf8_mode)\n' > a.py
	LC_ALL=$1 "$TICKMARK" init --yes --python "$python" && LC_ALL=$1 "$TICKMARK" run a.py
	"$TICKMARK" show last --stdout > "$work/$1.out"; "$TICKMARK" show last --inputs > "$work/$1.in"
} >/dev/null 2>&1
run_in C; run_in C.UTF-8; cd "$work/ws" || exit 1
same_bytes "O11: streams of two locales" "$work/C.out" "$work/C.UTF-8.out"
is "O11: inputs likewise" "$(cut -d' ' -f1 "$work/C.in")" "$(cut -d' ' -f1 "$work/C.UTF-8.in")"
like "O11: the run is in UTF-8" "$(cat "$work/C.out")" 'Zoë 漢字 😀'
for keys in '2 G Enter' 'p' 'G Enter /wide\r \r'; do
	steps=(); for k in $keys; do case $k in Enter) k='\r' ;; esac; steps+=(--do "key:$k"); done
	LC_ALL=C pty --raw "$work/raw" "${steps[@]}" --do key:Q -- "$TICKMARK" "$work/C" >/dev/null
	is "O11: ASCII alone under LC_ALL=C, keys $keys" "$(LC_ALL=C grep -acP '[\x80-\xff]' "$work/raw")" 0
done

# O13: nothing is lost while the screen is suspended
printf 'import time\nfor i in range(40):\n    print("n%%d" %% i, flush=True)\n    time.sleep(0.05)\n' > numbers.py
"$TICKMARK" run --detach numbers.py >/dev/null
like "O13: suspended, resized, continued" "$(pty --do 'key:\x1a' --do size:30x100 --do wait:1 --do sig:CONT --do key:j --do key:Q -- "$TICKMARK")" \
	'"ended_by_itself": true, "exit": 0.*"left_on": \[\].*"tty_restored": true'
"$TICKMARK" wait last >/dev/null 2>&1
is "O13: the numbers are without a gap" "$("$TICKMARK" show last --stdout)" "$(seq 0 39 | sed 's/^/n/')"

# O16: what is copied is what is recorded, and no helper program is asked
mkdir "$work/bin"; printf '#!/bin/sh\ntouch %s/asked\nsleep 600\n' "$work" > "$work/bin/xclip"; chmod +x "$work/bin/xclip"
printf 'for i in range(10): print("x%%d " %% i * 60)\n' > copied.py
"$TICKMARK" run copied.py > "$work/want" 2>/dev/null
PATH=$work/bin:$PATH pty --raw "$work/raw" --unset DISPLAY --do 'key:/x0 x0\r' --do 'key:\r' --do key:y --do 'expect:it may ignore them' --do key:Q -- "$TICKMARK" > "$work/out"
is "O16: the bytes of the stream" "$(grep -aoP '\x1b\]52;c;\K[A-Za-z0-9+/=]+' "$work/raw" | base64 -d | md5sum)" "$(md5sum < "$work/want")"
like "O16: and it is said" "$(cat "$work/out")" '"not_seen": \[\]'
no "O16: no helper is started" test -e "$work/asked"
# O2 to O6, the rest of their kinds: joined, combined and filling signs, every way to begin a string for the terminal,
# colours that are none, bytes that look like letters
cat > kinds.py <<'X'
# All kinds
import sys
w = sys.stdout.buffer.write
def t(s): w(s.encode("utf-8", "surrogatepass") + b"\n")
t("zwj 👩‍👩‍👧‍👦 flag 🇩🇪 skin 👍🏽 keycap 1️⃣ end")
t("jamo 한글 thai ก็ีี zalgo Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A end")
t("vs ❤️ ☎︎ tag \U000E0041\U000E0042 pua \ue000 nonchar \ufffe\uffff end")
t("sep \u2028\u2029 nel \u0085 shy so\u00adft cgj \u034f hangulfill \u3164 \u115f braille \u2800 end")
t("iso \u2066\u2067\u2068\u2069\u061c lrm \u200e end")
w(b"c1 \x9b31m \xc2\x9b31mX dcs \x1bPq#0;2;0;0;0\x1b\\ apc \x1b_Gf=100\x1b\\ sos \x1bXabc\x1b\\ pm \x1b^x\x1b\\ end\n")
w(b"osc8 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ title \x1b]0;pwn\x07 q \x1b[>0q da \x1b[c dsr \x1b[6n end\n")
w(b"overlong \xc0\xaf \xe0\x80\xaf \xf8\x88\x80\x80\x80 high \xf4\x90\x80\x80 surr \xed\xa0\x80\xed\xb0\x80 cut \xe6\xbc end\n")
w(b"cr a\rb\r\r\n\n\r\nx\by\b\bz\rw\x0b\x0cv\x07 end\n")
w(b"sgr \x1b[38;5;300mA\x1b[38;2;1;2mB\x1b[48:2::1:2:3mC\x1b[4:3mD\x1b[999999999999999999999mE\x1b[0;;;;;;mF\x1b[8mhidden\x1b[28m end\n")
w(b"nul \x00\x00\x00 del \x7f " + b"\x00" * 100 + b" end\n")
w("é".encode() + "\u0301".encode() * 100000 + b" end of combining\n")
w(("\x1b[31m\x1b[0m" * 50000 + "end of colours\n").encode())
w(b"unterminated \x1b]52;c;QUJD")
X
"$TICKMARK" run kinds.py >/dev/null
for size in 79x60 30x40 200x60; do
	{ printf 'wait-idle\nkey 2 G Enter\ntext /zwj .*flag\nkey Enter Enter . .\nsee stdout\nkey g\n'; dumps "key j" 5; printf 'key w g\n'; dumps "key Right" 5; } > "$work/keys"
	holds "O2: all kinds at $size" text $size 10 < <("$TICKMARK" --script "$work/keys" --size $size .)
done
out=$(play $'wait-idle\nkey 2 G Enter\ntext /zwj .*flag\nkey Enter Enter . . g\ndump\nkey G\ndump' 250x60)
is "O3: nothing of a line is hidden by what is in it" "$(head -60 <<<"$out" | grep -c ' end *$')" 11
like "O3: concealed is shown, colours that are none are text" "$out" '38;5;300mA.*BCD.*EFhidden end'
like "O3: a string without its end" "$out" 'unterminated \^\[\]52;c;QUJD'
like "O6: overlong, too high, half and cut" "$out" 'overlong \\xc0\\xaf \\xe0\\x80\\xaf .* high \\xf4\\x90\\x80\\x80 surr \\xed\\xa0\\x80.* cut \\xe6\\xbc end'
see_all "all kinds, in the pager" G '\r' '/zwj .*flag\r' '\r' . . g 'jjjj' w '\x1b[C\x1b[C' G
finish

#!/bin/bash
# A terminal gets text: nothing of a run acts on it, colours are ours and few, widths fit.
. "$(dirname "$0")/lib.sh"
workspace ws
cat >escapes.py <<'PY'
import sys
E, w = b"\x1b", sys.stdout.buffer
probes = [
    ("clipboard", E + b"]52;c;dGlja21hcmstcHJvYmU=\x07"), ("title", E + b"]0;probe-title\x07"),
    ("link", E + b"]8;;file:other\x1b\\report.csv\x1b]8;;\x1b\\"), ("palette", E + b"]4;1;rgb:00/00/00\x07"),
    ("dcs", E + b"P+q544e\x1b\\"), ("apc", E + b"_probe\x1b\\"), ("ask-position", E + b"[6n"), ("ask-attrs", E + b"[c"),
    ("overwrite", b"total 1,000\n" + E + b"[1A\rtotal 9,999"), ("erase", E + b"[2J" + E + b"[H"),
    ("alt-screen", E + b"[?1049h"), ("mouse", E + b"[?1003h"), ("hide", E + b"[8mconcealed" + E + b"[0m"),
    ("backspace", b"PASS\b\b\b\bFAIL"), ("charset", E + b"(0lqqk" + E + b"(B"), ("c1-utf8", b"\xc2\x9b31mred"),
    ("c1-raw", b"\x9b31mred \x9d0;probe-title\x9c"), ("bell", b"\x07"), ("reset", E + b"c"), ("nul", b"a\0b"),
    ("bidi", "\u202egnp.exe".encode()), ("colour", E + b"[1;31mred bold" + E + b"[0m"),
]
for name, seq in probes:
    w.write(b"BEGIN-%s " % name.encode() + seq + b" END-%s\n" % name.encode())
    w.flush()
sys.stderr.buffer.write(b"STDERR " + E + b"]52;c;dGlja21hcmstcHJvYmU=\x07 END-stderr\n")
w.write(b"BEGIN-unterminated " + E + b"]52;c;dGlja21hcms")
PY
# control bytes in a file, apart from line ends, tabs, and colours that are ours
controls() {
	"$python" - "$1" <<'PY'
import re, sys
b = open(sys.argv[1], "rb").read()
b = re.sub(rb"\x1b\[(0|1|31|32|33)m", b"", b)
text = b.decode("utf-8", "replace")
print(sorted({"U+%04X" % ord(c) for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c == "\u202e"}))
PY
}
shown() { # NAME: what $work/tty shows of the probes
	is "$1: nothing acts on the terminal" "$(controls "$work/tty")" "[]"
	is "$1: every END is there" "$(grep -o 'END-[a-z0-9-]*' "$work/tty" | grep -vc stderr)" 22
	like "$1: the overwritten line is readable" "$(cat "$work/tty")" 'total 1,000'
	like "$1: concealed text is not" "$(cat "$work/tty")" 'concealed'
	like "$1: nor is what was struck over" "$(cat "$work/tty")" 'PASS.*FAIL'
	like "$1: the unterminated one ends" "$(cat "$work/tty")" 'BEGIN-unterminated '
}
pty -- "$TICKMARK" run escapes.py >"$work/tty"; rc=$?
is "run on a terminal: status" "$rc" 0
shown "run"
like "run: stderr likewise" "$(cat "$work/tty")" 'STDERR .* END-stderr'
like "run: the outcome begins a line" "$(cat "$work/tty")" $'^1\\.1 \e?.*ok'
pty -- "$TICKMARK" show last --stdout >"$work/tty"; shown "show --stdout"
pty -- "$TICKMARK" show last >"$work/tty"
is "show: nothing acts on the terminal" "$(controls "$work/tty")" "[]"
pty -- "$TICKMARK" show last --code >"$work/tty"
is "show --code: nothing acts on the terminal" "$(controls "$work/tty")" "[]"
pty -- "$TICKMARK" export last --stdout -o - >"$work/tty"; shown "export -o -"
pty -- "$TICKMARK" show last --json >"$work/tty"
is "show --json: nothing acts on the terminal" "$(controls "$work/tty")" "[]"
yes "show --json on a terminal is JSON" "$python" -m json.tool "$work/tty" /dev/null
tm show last --stdout
same_bytes "the bytes in the record are the script's" "$work/.out" <("$python" escapes.py 2>/dev/null)
pty -- "$TICKMARK" show last >"$work/tty"
# pieces of characters and sequences that arrive apart
cat >pieces.py <<'PY'
import os, time
for b in "é漢😀".encode() + b"\x1b[31mred\x1b[0m" + b"end\r\nnext\n":
    os.write(1, bytes([b])); time.sleep(0.02)
PY
pty -- "$TICKMARK" run pieces.py >"$work/tty"
like "characters that come in pieces" "$(cat "$work/tty")" '^é漢😀redend$'
like "CRLF is a line end" "$(cat "$work/tty")" '^next$'

# hostile names, titles, arguments, exceptions
printf '# Title \x1b]0;probe-title\x07 \xc2\x9b31m\nimport sys\nopen("f\\x1b[2J.txt", "w").write("x")\nraise ValueError("bad \\x1b]52;c;AA\\x07 thing")\n' >evil.py
for c in "run evil.py" "log" "show last" "show last --artifacts"; do
	# shellcheck disable=SC2086
	pty -- "$TICKMARK" $c $'arg\e[31m' >"$work/tty" 2>/dev/null
	# shellcheck disable=SC2086
	pty -- "$TICKMARK" $c >>"$work/tty" 2>/dev/null
	is "$c: hostile text is text" "$(controls "$work/tty")" "[]"
done

# colours: on a terminal, few, and never the only carrier
tm_from <(echo 'raise SystemExit(3)') run -
pty -- "$TICKMARK" log >"$work/tty"
yes "colours on a terminal" grep -q $'\e\\[3[123]m' "$work/tty"
like "words carry the meaning" "$(sed 's/\x1b\[[0-9]*m//g' "$work/tty")" '^[0-9.]+ +error '
NO_COLOR=1 pty -- "$TICKMARK" log >"$work/tty"; no "NO_COLOR" grep -q $'\e' "$work/tty"
NO_COLOR='' pty -- "$TICKMARK" log >"$work/tty"; yes "an empty NO_COLOR is none" grep -q $'\e' "$work/tty"
TERM=dumb pty -- "$TICKMARK" log >"$work/tty"; no "TERM=dumb" grep -q $'\e' "$work/tty"
for c in log "show last" "attach" doctor config help; do
	# shellcheck disable=SC2086
	tm $c; is "$c into a pipe is plain" "$(cat "$work/.out" "$work/.err" | grep -c $'\e')" 0
done

# widths: a terminal's lines are not overrun, a pipe's are not cut
long=$(printf 'x%.0s' {1..300})
tm_from <(echo 'print(1)') run --title "$long" -
tm log -n 1; like "a pipe gets the whole title" "$out" "$long"
for cols in 60 80 132; do
	NO_COLOR=1 pty --size "24x$cols" -- "$TICKMARK" log >"$work/tty"
	yes "log fits $cols columns" test "$(wc -L <"$work/tty")" -le $cols
done
COLUMNS=70 NO_COLOR=1 pty -- "$TICKMARK" log >"$work/tty"
yes "COLUMNS counts" test "$(wc -L <"$work/tty")" -le 70
tm_from <(echo 'print(1)') run --title "漢字漢字 Zoë" -
NO_COLOR=1 tm log -n 2
is "columns are aligned by cells" "$("$python" - "$work/.out" <<'PY'
import sys
rows = [l.rstrip("\n") for l in open(sys.argv[1], encoding="utf-8")]
print(len({r.index("202") for r in rows[1:]}))
PY
)" 1

# a locale without UTF-8: shown in ASCII, kept as it is
tm_from <(printf 'print("Zoë 漢")') run -
LC_ALL=C pty -- "$TICKMARK" show last --stdout >"$work/tty"
like "LC_ALL=C on a terminal: shown in ASCII" "$(cat "$work/tty")" '^Zo<U\+00EB> <U\+6F22>$'
LC_ALL=C tm show last --stdout; is "LC_ALL=C into a pipe: as it is" "$out" "Zoë 漢"

# a long stream: beginning and end on a terminal, all of it in a pipe
tm_from <(echo 'for i in range(1000): print("line", i)') run -
pty -- "$TICKMARK" show last >"$work/tty"
like "a terminal gets beginning and end" "$(cat "$work/tty")" '^  line 0$'
like "with the end" "$(cat "$work/tty")" '^  line 999$'
like "and how to see the rest" "$(cat "$work/tty")" '^  \[[0-9]+ lines more: tickmark show [0-9.]+ --stdout\]'
tm show last; is "a pipe gets all" "$(grep -c '^  line ' <<<"$out")" 1000

# no usable terminal is no obstacle to commands
for t in dumb nosuchterm "" vt100; do
	TERM=$t pty -- "$TICKMARK" log >/dev/null; is "TERM=$t: log works" "$?" 0
done
finish

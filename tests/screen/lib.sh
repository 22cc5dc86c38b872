# What the tests of the screen share; sourced, with bash. TICKMARK is the program. Waiting is for
# conditions, never for a time.
export TMPDIR=/tmp # its length shows on screens
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TICKMARK_NOW_US= TERM=xterm-256color XDG_CONFIG_HOME=$work/config
unset TICKMARK_NOW_US EDITOR VISUAL LINES COLUMNS

# fixture NAME FOLDER: makes a workspace (fixture_NAME below) once, and a copy of it as FOLDER
fixture() {
	local made=$work/fixtures/$1
	if [ ! -d "$made" ]; then
		mkdir -p "$made"
		(cd "$made" && "fixture_$1") >"$work/fixture.log" 2>&1 || { echo "Bail out! fixture $1"; cat "$work/fixture.log" >&2; exit 1; }
	fi
	rm -rf "$2"; mkdir -p "$(dirname "$2")"; cp -a "$made" "$2"
}

# No record: a newcomer's folder.
fixture_none() { printf 'city,tiv\nBern,10\nBonn,20\n' > schedule.csv; printf 'x\n' > .hidden; mkdir node_modules; }
fixture_empty() { fixture_none; begin_record; }

# Three steps: ok with an artifact, failed and corrected, hostile output.
fixture_basic() {
	printf 'city,tiv\nBern,10\nBonn,20\n' > schedule.csv
	printf 'limit\n5\n' > accounts.csv
	cat > rollup.py <<'X'
# Roll up TIV by city
import csv
rows = list(csv.DictReader(open("schedule.csv")))
total = sum(int(r["tiv"]) for r in rows)
with open("tiv_by_city.csv", "w") as f:
    f.write(f"total,{total}\n")
print("total", total)
X
	printf '# Check layer limits\nd = {"limit": 5}\nprint(d["TIV"])\n' > limits.py
	cat > hostile.py <<'X'
# Say strange things
import sys
w = sys.stdout.buffer.write
w(b"plain\n\x1b[31mred\x1b[0m \x1b]52;c;QUJD\x07 \x1b[2Jclear\n")
w("wide 漢字 é e\u0301 \u202eabc\u200b zero\n".encode())
w(b"nul \x00 and \xff bad\tTAB\n10%\r50%\r100%\n" + b"x" * 200 + b"\nno end")
sys.stderr.write("warning: odd\n")
X
	begin_record
	"$TICKMARK" run rollup.py || return 1
	"$TICKMARK" run limits.py; sed -i 's/TIV/limit/' limits.py; "$TICKMARK" run limits.py || return 1
	"$TICKMARK" run hostile.py || return 1
	sed -i 's/Bonn,20/Bonn,21/' schedule.csv
}

# Something for a reviewer: a failure and its correction, a filter, hidden characters, a refusal.
fixture_review() {
	fixture_basic || return 1
	mkdir -p "$XDG_CONFIG_HOME/tickmark"; printf "reviewer = R. Eviewer\nname = ana\n" > "$XDG_CONFIG_HOME/tickmark/config"
	printf '# Cut the schedule\n# purpose: what the treaty asks for\nimport csv\nrows = [r for r in csv.DictReader(open("schedule.csv")) if float(r["tiv"]) > 10]\ndef f(x):\n    return x["nope"]\nprint(len(rows))\nf(rows[0])\n' > cut.py
	"$TICKMARK" run cut.py
	printf '# Fetch the rates\n# purpose: rates of today\nimport socket\ntry:\n    socket.create_connection(("192.0.2.1", 80), timeout=1)\nexcept OSError:\n    print("p\xd0\xb0y")\n' > fetch.py
	"$TICKMARK" run fetch.py || return 1
}

# Files of every kind that can be looked at.
fixture_files() {
	cp "$shared/cases/o25_make_encodings.py" "$shared/cases/o26_identifiers.csv" .
	cat > make.py <<'X'
# Make files
import json
exec(open("o25_make_encodings.py").read())
json.dump({"a": [1, 2, {"b": "x"}], "c": {}}, open("d.json", "w"))
open("b.bin", "wb").write(bytes(range(256)))
open("ids.csv", "wb").write(open("o26_identifiers.csv", "rb").read())
X
	begin_record
	"$TICKMARK" run make.py
}

# Files that readers open in the sandbox. The second attempt changes a little of each, leaves one out, adds another and
# says other lines throughout; the third is the same as the second.
fixture_office() {
	cat > make.py <<'X'
# Make office files
import struct, sys, zipfile, zlib
I = zipfile.ZipInfo # of 1980
NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
def sheet(rows): return f'<worksheet {NS}><sheetData>{rows}</sheetData></worksheet>'
with zipfile.ZipFile("book.xlsx", "w") as z:
    z.writestr(I("xl/workbook.xml"), f'<workbook {NS}><sheets><sheet name="Limits" sheetId="1" r:id="r1"/><sheet name="Spare" sheetId="2" r:id="r2"/></sheets></workbook>')
    z.writestr(I("xl/_rels/workbook.xml.rels"), '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>')
    z.writestr(I("xl/worksheets/sheet1.xml"), sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>layer</t></is></c><c r="C1" t="inlineStr"><is><t>limit</t></is></c></row>'
        '<row r="4"><c r="A4" t="inlineStr"><is><t>first, upper</t></is></c><c r="C4"><f>2*21</f><v>42</v></c></row>'))
    z.writestr(I("xl/worksheets/sheet2.xml"), sheet('<row r="1"><c r="A1"><v>7</v></c></row>'))
with zipfile.ZipFile("note.docx", "w") as z:
    z.writestr(I("word/document.xml"), '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Dear underwriter</w:t></w:r></w:p></w:body></w:document>')
w, h = 30, 12
raw = b"".join(b"\0" + bytes(v for x in range(w) for v in (x * 8, y * 20, 99)) for y in range(h))
chunk = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
open("dot.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
open("broken.xlsx", "wb").write(b"PK\3\4garbage")
open("old.txt", "w").write("this is not in the later one\n")
SCALE = 1
for i in range(1, 4001): print("line", i * SCALE)
X
	begin_record
	"$TICKMARK" run make.py || return 1
	sed -i 's/first, upper/first, lower/; s/2\*21/2*22/; s/<v>42/<v>44/; s/underwriter/broker/; s/ 20, 99/ 20, 9/; s/old.txt/new.txt/; s/this is not/nothing like it is/; s/later/earlier/; s/SCALE = 1/SCALE = 2/' make.py
	"$TICKMARK" run make.py && "$TICKMARK" run make.py
}

# A stream of many lines, and one very long one.
fixture_long() {
	cat > long.py <<'X'
# Many lines
for i in range(1, 3001):
    print(f"line {i:05d}")
print("a" * 200000 + "NEEDLE" + "b" * 100)
print("last")
X
	begin_record
	"$TICKMARK" run long.py >/dev/null
}

# Two attempts that differ in everything: code, an input, a stream, tables, JSON, line ends; one repeat of noise.
fixture_diff() {
	printf 'id,name,qty\n1,north,10\n2,south,20\n3,east,30\n4,west,40\n' > stock.csv
	cat > stock.py <<'X'
# Count the stock
import csv, json
rows = list(csv.DictReader(open("stock.csv")))
for r in rows:
    print(f"{r['name']:10} {int(r['qty']):6d}")
print("total", sum(int(r["qty"]) for r in rows))
with open("stock_out.csv", "w") as f:
    f.write(open("stock.csv").read())
json.dump({"rows": len(rows), "first": rows[0]}, open("stock.json", "w"))
open("note.txt", "w", newline="").write("one\r\ntwo\r\n")
X
	begin_record
	"$TICKMARK" run stock.py || return 1
	printf 'id,region,name,qty\n4,EU,west,40\n2,EU,south,21\n1,EU,north,10\n5,EU,centre,50\n' > stock.csv
	sed -i 's/:6d/:8d/; s/\\r//g; s/two/two too/; s/"total"/"sum  "/' stock.py
	"$TICKMARK" run stock.py || return 1
	printf '# Noise\nprint(object())\n' > noise.py
	"$TICKMARK" run noise.py && "$TICKMARK" repeat last
}

# A step, two later ones that read what it made, one that does not; its input changed since.
fixture_rerun() {
	printf 'city,tiv\nBern,10\nBonn,20\n' > schedule.csv
	printf '# Roll up\nimport os\nopen("sum.txt", "w").write(open("schedule.csv").read())\nos.path.exists("extra.csv")\ntry: open("extra.csv")\nexcept OSError: pass\n' > rollup.py
	printf '# Read the sum\nopen("half.txt", "w").write(open("sum.txt").read()[:20])\n' > half.py
	printf '# Print half\nprint(open("half.txt").read())\n' > show.py
	printf '# On its own\nprint(1)\n' > own.py
	begin_record
	for s in rollup half own show; do "$TICKMARK" run $s.py || return 1; done
	sed -i 's/Bonn,20/Bonn,21/' schedule.csv
	echo 1 > extra.csv
}

# Times, memory and versions are the machine's: the same length stays, the figure does not.
normalise() {
	WORK=$work perl -CS -pe '
		s/\b\d{1,2}\.\d{1,2}s/#.##s/g;
		s/(CPython )([\d.]+)( *)/$1 . "#.#.#" . " " x (length("$2$3") - 5)/e;
		s/(tier )([-\w]+)(, network off)( *)/$1 . "A" . $3 . " " x (length("$2$4") - 1)/e;
		s/( *)network off( \x{b7} sandbox [-\w]+)/$1 . " " x length($2) . "network off"/e;
		s/(memory(?:, peak)? +)([\d.]+[KMG])( *)/$1 . "##M" . " " x (length("$2$3") - 3)/e;
		s/\Q$ENV{WORK}\E/"W" x length($ENV{WORK})/ge;
		s/(^.{0,60}(?:version|platform|host|blas-threads) {2,})(\d\.[\d.]+|Linux-\S+|[\w.-]+(?=  |\n))( *)($)?/$1 . "#" . " " x (defined $4 ? 0 : length("$2$3") - 1)/e;
		s/\b0x[0-9a-f]{12}\b/0x############/g;
		s/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/DATE AND TIME/g;'
}

# screen FOLDER SIZE DUMP < SCRIPT: what the screen shows headless
screen() { "$TICKMARK" --script - --size "$2" --dump "$3" "$1" 2>&1 | normalise; }
# pty [PTYRUN OPTION]... -- CMD...: one line of JSON about what it did to a terminal
# It is given two seconds to end, which is short for a sanitizer build on a busy machine: a last step waits longer,
# or until it has ended.
pty() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	"$python" "$shared/cases/ptyrun.py" "${options[@]}" --do wait:60 "$@"
}

#!/bin/bash
# Files that readers open in the sandbox: workbooks by sheet, values and formulas, documents, PDF, images; of the folder
# as it is now, of the record, in evidence; and those that no reader can read.
. "$(dirname "$0")/lib.sh"
play() { out=$("$TICKMARK" --script - --size "$1" 2>&1 >/dev/null); rc=$?; }

mkdir "$work/ws"; cd "$work/ws" || exit 1
cat >make.py <<'X'
# Make office files
import struct, sys, zipfile, zlib
NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
def sheet(rows): return f'<worksheet {NS}><sheetData>{rows}</sheetData></worksheet>'
with zipfile.ZipFile("book.xlsx", "w") as z:
    z.writestr("xl/workbook.xml", f'<workbook {NS}><sheets><sheet name="Limits" sheetId="1" r:id="r1"/><sheet name="Spare" sheetId="2" r:id="r2"/></sheets></workbook>')
    z.writestr("xl/_rels/workbook.xml.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>')
    z.writestr("xl/worksheets/sheet1.xml", sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>layer</t></is></c><c r="C1" t="inlineStr"><is><t>limit</t></is></c></row>'
        '<row r="4"><c r="A4" t="inlineStr"><is><t>first, upper</t></is></c><c r="C4"><f>2*21</f><v>42</v></c></row>'))
    z.writestr("xl/worksheets/sheet2.xml", sheet('<row r="1"><c r="A1"><v>7</v></c></row>'))
with zipfile.ZipFile("note.docx", "w") as z:
    z.writestr("word/document.xml", '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Dear underwriter</w:t></w:r></w:p><w:p><w:r><w:t>' + 'a ' * 48 + 'indivisible</w:t></w:r></w:p></w:body></w:document>')
w, h = 30, 12
raw = b"".join(b"\0" + bytes(v for x in range(w) for v in (x * 8, y * 20, 99)) for y in range(h))
chunk = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
open("dot.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
open("broken.xlsx", "wb").write(b"PK\3\4garbage")
X
begin_record >/dev/null
"$TICKMARK" run make.py >/dev/null 2>&1

# the dossier previews them without waiting for a reader
preview() { # TEST, then lines of the script
	out=$(printf '%s\n' 'wait-idle' 'key p' 'wait-idle' "${@:2}" | "$TICKMARK" --script - --size 100x60 2>&1 >/dev/null)
	is "$1" "$? $out" "0 "
}
preview "previews before anybody opened them" 'text /workbook, 2 sheets' 'key Enter' 'see workbook, 2 sheets: Enter opens it' \
	'text /30 x 12' 'key Enter' 'see image, 30 x 12 pixels: Enter shows it' 'see document: Enter opens it' 'see workbook: Enter opens it' 'unsee 50 4b 03 04' 'unsee 89 50 4e 47' 'unsee sheet 1: Limits'

# every one of these is opened by its name, from the pane that has the keys
looks() { # TEST PANE
	local pane=$2
	play 100x20 <<X
wait-idle
key $pane
text /book.xlsx
key Enter
key n Enter
wait-idle
see sheet 1 of 2: Limits
see values, 1 of formulas
see first, upper
see 42
key Tab
see shown as formulas
see =2*21
key .
see sheet 2 of 2: Spare
key .
see sheet 1 of 2: Limits
key Tab
see shown as hex
see 50 4b 03 04
key Tab
see shown as values
key /
text upper
key Enter
see first, upper
key q
text /note.docx
key Enter
key n Enter
wait-idle
see its text
see [document]
see Dear underwriter
see indivisible
key q
text /dot.png
key Enter
key n Enter
wait-idle
see 30 x 12 pixels
see ▀▀▀▀▀▀
key Tab
see 89 50 4e 47
key q
text /broken.xlsx
key Enter
key n Enter
wait-idle
see the reader of xlsx files failed
see 50 4b 03 04
X
	is "$1" "$rc $out" "0 "
}
looks "files that a run made" 3
# a row of a hex dump is no line that a note could be found on
play 100x20 <<X
wait-idle
key 3
text /broken.xlsx
key Enter n Enter
wait-idle
key c
text no workbook
key Enter
wait-idle
see noted on 1.1 file broken.xlsx
unsee broken.xlsx line
X
is "a note on what is shown as hex" "$rc $out" "0 "
preview "previews of what was read: cells, lines" 'text /workbook, 2 sheets' 'key Enter' 'see sheet 1: Limits' 'see first, upper' \
	'text /Dear' 'key Enter' 'see Dear underwriter' 'text /30 x 12' 'key Enter' 'see image, 30 x 12' \
	'text /workbook, 2' 'key Enter' 'key Enter' 'wait-idle' 'see sheet 1 of 2: Limits'
"$python" make.py
looks "files of the folder as they are now" 1

# A reader ends while something else lies above, or while a question is open; or it is let go for another file's.
cat >documents.py <<'X'
# Make documents
import sys, zipfile
for name in sys.argv[1:]:
    with zipfile.ZipFile(name + ".docx", "w") as z:
        z.writestr("word/document.xml", '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
            + "".join(f"<w:p><w:r><w:t>{name} {i}</w:t></w:r></w:p>" for i in range(20)) + '</w:body></w:document>')
X
"$TICKMARK" run documents.py under asked early >/dev/null 2>&1
file() { printf 'wait-idle\nkey 3\ntext /%s.docx\nkey Enter n Enter\nsee A reader is at work\n' "$1"; }
play 100x20 <<<"$(file under)"$'\nkey ?\nwait-idle\nkey q\nwait-idle\nsee under 7\nunsee A reader'
is "a reader that ends under another view" "$rc $out" "0 "
play 100x20 <<<"$(file asked)"$'\nkey f\ntext asked .7\nwait-idle\nsee asked 7\nkey Enter\nwait-idle\nsee lines that match\nsee asked 17\nunsee asked 7'
is "a question about it is of what it became" "$rc $out" "0 "
play 100x20 <<<"$(file early)"$'\nkey f\ntext early .7\nkey Enter\nsee still at work\nwait-idle\nsee early 7'
is "there are no lines of what is to come" "$rc $out" "0 "
"$TICKMARK" run documents.py one two >/dev/null 2>&1
play 100x20 <<<"$(file one)"$'\nkey p\nwait-idle\ntext /document: Enter\nkey Enter n Enter\nwait-idle\nsee two 7\nkey q q\nwait-idle\nsee one 7'
is "a reader that was let go begins again" "$rc $out" "0 "

# a small screen, and one without room
for size in 20x5 1x1 200x60; do
	printf 'wait-idle\nkey 3\ntext /book\nkey Enter n Enter\nwait-idle\nkey . Tab Tab l l h j k G g q\ntext /dot\nkey Enter n Enter\nwait-idle\nkey Tab Tab j k q\n' | "$TICKMARK" --script - --size $size >"$work/out" 2>&1
	is "$size: nothing breaks" "$?" 0
done

# evidence: nothing is written beside it
mkdir "$work/away"; cp .tickmark/record.db "$work/away/sent.db"; chmod 444 "$work/away/sent.db"
cd "$work/away" || exit 1
out=$(printf 'wait-idle\nkey 3\ntext /book.xlsx\nkey Enter n Enter\nwait-idle\nsee sheet 1 of 2: Limits\nsee first, upper\nkey .\nsee Spare\n' | "$TICKMARK" --script - --size 100x20 sent.db 2>&1 >/dev/null)
is "evidence: a workbook is read" "$? $out" "0 "
is "evidence: nothing was left beside it" "$(ls "$work/away")" "sent.db"
finish

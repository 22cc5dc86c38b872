#!/bin/bash
# What is in complex files: workbooks by key, documents, slides, PDF, images of every kind; hostile ones.
. "$(dirname "$0")/lib.sh"
workspace ws

# make.py leaves other files for sides a and b: two attempts of it, and what diff says of one of the files
side() { "$TICKMARK" run make.py "$1" >"$work/.run" 2>&1 || { fail "a run for side $1" "$(cat "$work/.run")"; }; }
sides() { side a; side b; }
of() { tm diff last --only "$1" "${@:2}"; }
rows() { sed -n 's/^\([-~+].*\)/\1/p' <<<"$out" | grep -v '^[-+][-+]' | tr '\n' '|'; }

cat >make.py <<'X'
import sys, zipfile
b = sys.argv[1] == "b"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="urn:p" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
R = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'
S = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>'

def files(name, pairs):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for k, v in pairs: z.writestr(k, v)

def words(*texts):
    return "<w:body %s>%s</w:body>" % (W, "".join("<w:p><w:r><w:t>%s</w:t></w:r></w:p>" % t for t in texts))

files("t.docx", [("word/document.xml", words("Title", "The premium is %d." % (12 if b else 10), "End &amp; all")),
                 ("word/header1.xml", words("Confidential"))])
files("t.pptx", [("ppt/presentation.xml", '<p:p %s><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:p>' % A),
                 ("ppt/_rels/presentation.xml.rels", R % '<Relationship Id="r1" Target="slides/slide1.xml"/><Relationship Id="r2" Target="slides/slide2.xml"/>'),
                 ("ppt/slides/slide1.xml", "<a:x %s><a:p><a:r><a:t>second</a:t></a:r></a:p></a:x>" % A),
                 ("ppt/slides/slide2.xml", "<a:x %s><a:p><a:r><a:t>first %s</a:t></a:r></a:p></a:x>" % (A, "now" if b else "then"))])

def book(name, rows, styles="", state=""):
    """rows of (reference, attributes, inner XML)"""
    cells, last = "", None
    for ref, attributes, inner in rows:
        row = ref.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        if row != last:
            cells += ("</row>" if last else "") + '<row r="%s">' % row
            last = row
        cells += '<c r="%s"%s>%s</c>' % (ref, attributes, inner)
    files(name, [("xl/workbook.xml", '<workbook %s><sheets><sheet name="Rates"%s r:id="r1"/></sheets></workbook>' % (A, state)),
                 ("xl/_rels/workbook.xml.rels", R % '<Relationship Id="r1" Target="worksheets/sheet1.xml"/>'),
                 ("xl/styles.xml", styles or "<styleSheet/>"), ("xl/worksheets/sheet1.xml", S % (cells + "</row>"))])

def text(s): return ' t="inlineStr"', "<is><t>%s</t></is>" % s
def number(n, formula=""): return "", ("<f>%s</f>" % formula if formula else "") + "<v>%s</v>" % n
lines = [("k1", 10, "B{0}*2"), ("k2", 20, "B{0}*2"), ("k3", 30, "$B$2+B{0}")]
if b:
    lines = [("k0", 5, "B{0}*2"), ("k1", 10, "B{0}*2"), ("k3", 31, "$B$3+B{0}*1")]
table = [("A1", *text("key")), ("B1", *text("rate")), ("C1", *text("twice"))]
for i, (k, n, f) in enumerate(lines, 2):
    table += [("A%d" % i, *text(k)), ("B%d" % i, *number(n)), ("C%d" % i, *number(2 * n, f.format(i)))]
book("key.xlsx", table)
dates = '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
book("place.xlsx", [("B2", ' s="1"', "<v>%d</v>" % (45000 + b)), ("B3", *(text("5") if b else number(5))),
                    ("C2", "", '<f t="shared" ref="C2:C3" si="0">B2*%d</f><v>1</v>' % (3 if b else 2)), ("C3", "", '<f t="shared" si="0"/><v>1</v>')], dates)
book("same.xlsx", table[:3] + [("A2", *text("k")), ("B2", *number(1)), ("C2", *number(2))])
book("shown.xlsx", table[:3], state=' state="veryHidden"' if b else "")
with zipfile.ZipFile("same.xlsx", "a") as z: z.writestr("docProps/core.xml", sys.argv[1])
X
sides
of t.docx; is "docx: paragraphs" "$(rows)" '-The premium is 10.|+The premium is 12.|'; like "docx: named" "$out" '^=== file t.docx \(document\): 1 line removed, 1 added$'
of t.docx --json; jis "docx: --json" '(lambda i: (i["type"], i["method"], i["counts"]["lines_added"]))(d["items"][-1] if d["items"][-1]["name"] == "t.docx" else [i for i in d["items"] if i["name"] == "t.docx"][0])' "('document', 'lines of its text', 1)"
of t.pptx --context 0; is "pptx: slides in the order of the show" "$(rows)" '-first then|+first now|'; like "pptx: named" "$out" '^=== file t.pptx \(slides\)'
of key.xlsx
is "xlsx by key: rows, values, formulas that are others" "$(rows)" \
	'~Rates: key k3: rate 30 -> 31, twice 60 -> 62|-Rates: key k2, rate 20, twice 40|+Rates: key k0, rate 5, twice 10|~Rates: key k3: formula of twice =$B$2+B4 -> =$B$3+B4*1|'
like "xlsx by key: the key is stated" "$out" '^# Rates: rows by key key \(found\)$'
of key.xlsx --json; jis "xlsx by key: counted apart" '(lambda k: [k[n] for n in ("values_changed", "formulas_changed", "rows_added", "rows_removed")])([i for i in d["items"] if i["name"] == "key.xlsx"][0]["counts"])' "[2, 1, 1, 1]"
of place.xlsx
is "xlsx by place: dates, numbers that became text, shared formulas" "$(rows)" \
	"~Rates!B2: 45000 (2023-03-15) -> 45001 (2023-03-16)|~Rates!C2: formula =B2*2 -> =B2*3|~Rates!B3: 5 -> '5|~Rates!C3: formula =B3*2 -> =B3*3|"
of same.xlsx; like "xlsx: only its properties" "$out" '^# the same cells and formulas: the files differ in formats'; is "and in which member" "$(rows)" '~docProps/core.xml: 1 bytes -> 1|'
of shown.xlsx; like "xlsx: a sheet that is hidden now" "$out" '^# sheet hidden now: Rates$'
is "kept by content and version" "$(find .tickmark/cache/convert -name '*-xlsx-3' | wc -l)" 8
tm verify; is "the record knows of it, and is intact" "$rc" 0
like "as events, not as attempts" "$("$TICKMARK" log | wc -l)" "^3$"
"$TICKMARK" export last~1 t.docx -o old.docx >/dev/null; "$TICKMARK" export last t.docx -o new.docx >/dev/null
tm diff --files old.docx new.docx; is "files of the user's too" "$rc $(rows)" '1 -The premium is 10.|+The premium is 12.|'
cp old.docx new.docx "$work/"; cd "$work" || exit 1
tm diff --files old.docx new.docx; is "outside a workspace too" "$rc $(rows)" '1 -The premium is 10.|+The premium is 12.|'
is "and nothing is left of it" "$(ls -d /tmp/tickmark-convert-* ~/.cache 2>/dev/null)" ""
# a record from elsewhere: the same answers, and not a byte beside it
mkdir away && (cd ws && "$TICKMARK" backup "$work/away/all.db" >/dev/null 2>&1) || cp ws/.tickmark/record.db away/all.db
before=$(ls -A away; sha256sum away/all.db)
tm -C away/all.db diff last --only t.docx; is "evidence: documents" "$(rows)" '-The premium is 10.|+The premium is 12.|'
tm -C away/all.db diff last --only key.xlsx; like "evidence: workbooks by key" "$out" '^~Rates: key k3: rate 30 -> 31, twice 60 -> 62$'
is "evidence: nothing is left beside it" "$(ls -A away; sha256sum away/all.db)" "$before"
cd ws || exit 1

# hostile files: an answer, and no more of the machine than it may have
cat >make.py <<'X'
import sys, zipfile
tail = sys.argv[1]
def files(name, pairs):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
        for k, v in pairs: z.writestr(k, v)
laughs = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join('<!ENTITY %s "%s">' % (chr(98 + i), ("&%s;" % chr(97 + i)) * 10) for i in range(12)) + "]><x>&m;</x>"
files("entity.docx", [("word/document.xml", laughs), ("n", tail)])
files("external.docx", [("word/document.xml", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'), ("n", tail)])
with zipfile.ZipFile("bomb.docx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
    z.writestr("n", tail)
    with z.open("word/document.xml", "w") as f:
        for _ in range(257): f.write(b" " * (1 << 20))
files("deep.docx", [("word/document.xml", b"<p>" * 200000), ("n", tail)])
files("many.docx", [("word/document.xml", b"<x>" + b"<p><t>y</t></p>" * 500000 + b"</x>"), ("n", tail)])
files("none.xlsx", [("xl/workbook.xml", "<a><b>"), ("n", tail)])
files("loop.xlsx", [("xl/workbook.xml", "<w xmlns:r='u'><sheet name='a' r:id='r'/></w>"),
                    ("xl/_rels/workbook.xml.rels", "<R><Relationship Id='r' Target='../../../etc/passwd'/></R>"), ("n", tail)])
files("index.xlsx", [("xl/workbook.xml", "<w xmlns:r='u'><sheet name='a' r:id='r'/></w>"), ("xl/_rels/workbook.xml.rels", "<R><Relationship Id='r' Target='s.xml'/></R>"),
                     ("xl/s.xml", "<w><row r='1'><c r='A1' t='s'><v>99</v></c></row></w>"), ("n", tail)])
files("cut.pptx", [("ppt/presentation.xml", "x" * 1000), ("n", tail)])
open("cut.pptx", "r+b").truncate(200)
open("bad.pdf", "w").write("%PDF-1.7 " + tail)
open("bad.gif", "w").write("GIF89a" + tail)
X
sides
while IFS='|' read -r file said; do
	of "$file"; is "hostile $file: status" "$rc" 1; like "hostile $file: said" "$out" "^# .*$said"
done <<'X'
entity.docx|not compared by what is in it: the reader of docx files failed: ValueError: word/document.xml declares a document type
external.docx|declares a document type
bomb.docx|is over 268435456 bytes
deep.docx|is nested too deep
many.docx|there is more text than is read
none.xlsx|the reader of xlsx files failed
loop.xlsx|the same cells and formulas
index.xlsx|IndexError
cut.pptx|the reader of pptx files failed
bad.gif|the reader of image files failed
X
of bad.pdf
if [ -x /usr/bin/pdftotext ]; then like "no PDF: said" "$out" '^# not compared by what is in it: the reader of pdf files failed: pdftotext could not read it'
else like "no pdftotext: named" "$out" '^# not compared by what is in it: .*pdftotext is not on this machine \(Debian has it in poppler-utils\)'; fi

# PDF by the text of its pages
if [ -x /usr/bin/pdftotext ]; then
cat >make.py <<'X'
import sys
def pdf(name, *pages):
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[%s]/Count %d>>" % (" ".join("%d 0 R" % (4 + 2 * i) for i in range(len(pages))), len(pages)),
               "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for i, text in enumerate(pages):
        stream = "BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text
        objects += ["<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>" % (5 + 2 * i),
                    "<</Length %d>>stream\n%s\nendstream" % (len(stream), stream)]
    out, places = "%PDF-1.4\n", []
    for n, o in enumerate(objects, 1):
        places.append(len(out)); out += "%d 0 obj%s endobj\n" % (n, o)
    at = len(out)
    out += "xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + "".join("%010d 00000 n \n" % p for p in places)
    open(name, "w").write(out + "trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, at))
pdf("t.pdf", "Premium 10", "Total %d" % (12 if sys.argv[1] == "b" else 11))
X
sides; of t.pdf; is "pdf: lines" "$(rows)" '-Total 11|+Total 12|'; like "pdf: pages" "$out" '^ \[page 2\]$'
else skip "pdf: lines" "no pdftotext"; fi

# images: PNG of every kind is the same picture, and one pixel is one pixel
"$python" - <<'X'
import struct, zlib
W, H = 21, 13
on = [[(x * 5 + y * 3) % 4 == 0 for x in range(W)] for y in range(H)]
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
def png(name, colour, bits, interlaced=False, grid=on):
    full = (1 << bits) - 1
    def samples(v):
        if colour == 3: return [1 if v else 0]
        return [full if v else 0] * (1 if colour in (0, 4) else 3) + ([full] if colour in (4, 6) else [])
    raw = b""
    for x0, y0, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        for y in range(y0, H, dy):
            row = "".join(format(s, "0%db" % bits) for x in range(x0, W, dx) for s in samples(grid[y][x]))
            if row: raw += b"\0" + int(row.ljust(-(-len(row) // 8) * 8, "0"), 2).to_bytes(-(-len(row) // 8), "big")
    chunk = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", W, H, bits, colour, 0, 0, interlaced))
        + (chunk(b"PLTE", b"\0\0\0\xff\xff\xff") if colour == 3 else b"") + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
png("plain.png", 2, 8)
kinds = []
for colour, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
    for bits in depths:
        for i in (False, True):
            name = "k%d-%d%s.png" % (colour, bits, "i" if i else "")
            png(name, colour, bits, i); kinds.append(name)
other = [list(r) for r in on]; other[7][11] = not other[7][11]
for bits, i in ((1, True), (16, False)): png("one-%d.png" % bits, 0, bits, i, other)
open("kinds", "w").write("\n".join(k for k in kinds if k != "k2-8.png"))
X
wrong=
while read -r k; do tm diff --files plain.png "$k"; grep -q '^# the same pixels' <<<"$out" || wrong="$wrong $k"; done <kinds
is "PNG of $(wc -w <kinds) kinds: the same pixels" "$wrong" ""
for bits in 1 16; do
	tm diff --files plain.png one-$bits.png; like "one pixel of $bits bits" "$out" '\(image\): 1 of 273 pixels differ$'; like "and its place" "$out" '^# they lie within columns 12 to 12 and rows 8 to 8$'
done
is "both are shown, by signs" "$(grep -cE '^.{21} {39} \| .{21}$' <<<"$out")" 7
if "$python" -c 'import PIL' 2>/dev/null; then
cat >make.py <<'X'
import sys
from PIL import Image
b = sys.argv[1] == "b"
for name in ("t.bmp", "t.gif", "t.tiff"):
    i = Image.new("RGB", (8, 6), "red"); i.putpixel((3, 2), (0, 0, 255) if b else (255, 0, 0)); i.save(name)
i.save("t.jpg", comment=sys.argv[1].encode())
frames = [Image.new("P", (4, 4), n) for n in (0, 1, 2)]; frames[2].putpixel((1, 1), 2 + b)
frames[0].putpalette([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
for f in frames[1:]: f.putpalette(frames[0].getpalette())
frames[0].save("move.gif", save_all=True, append_images=frames[1:])
X
sides
for f in t.bmp t.gif t.tiff; do of $f; like "$f: pixels" "$out" '\(image\): 1 of 48 pixels differ$'; done
of move.gif; like "an animation: frames" "$out" '^# 3 frames on the left, 3 on the right; 1 of them differ$'; like "an animation: pixels" "$out" ': 1 of 48 pixels differ$'
else skip "other images" "no Pillow"; fi

# what is pruned stays in no cache
yes "there is a cache" test -n "$(ls .tickmark/cache/convert)"
tm prune last --files --apply; is "pruned: status" "$rc" 0; no "pruned: nothing converted is left" test -e .tickmark/cache/convert
finish

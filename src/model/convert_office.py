"""What is in a workbook, document or set of slides, as JSON lines [sheet, row, column, value, formula, text]: see
include/model/convert.h. Standard library only; runs in the sandbox. Nothing is kept in memory but shared strings;
what is bounded is said by a last line {"more": …}."""
import datetime
import json
import posixpath
import re
import sys
import zipfile
from xml.parsers import expat

LINES, TEXT, ALL, MEMBER, DEPTH = 400000, 20000, 48 << 20, 256 << 20, 200
left = {"lines": LINES, "text": ALL}


class Enough(Exception):
    pass


def say(*line):
    size = sum(len(x) for x in line[1:] if isinstance(x, str))
    if not left["lines"] or left["text"] < size:
        raise Enough
    left["lines"] -= 1
    left["text"] -= size
    print(json.dumps([x[:TEXT] if isinstance(x, str) else x for x in line]))


def walk(archive, name, start, end):
    """start(tag, attributes) and end(tag, text): text is what stands in the element itself. Names are without
    their name space; of attributes that have one, a colon is left of it."""
    info = archive.getinfo(name)
    if info.file_size > MEMBER:
        raise ValueError("%s is over %d bytes" % (name, MEMBER))
    stack = []

    def on_start(tag, attributes):
        if len(stack) == DEPTH:
            raise ValueError("%s is nested too deep" % name)
        stack.append([[], 0])
        start(tag.rpartition("}")[2], {re.sub(".*}", ":", k): v for k, v in attributes.items()})

    def on_text(data):
        if stack and stack[-1][1] <= TEXT:
            stack[-1][0].append(data)
            stack[-1][1] += len(data)

    def on_end(tag):
        end(tag.rpartition("}")[2], "".join(stack.pop()[0]))

    def refuse(*_):
        raise ValueError("%s declares a document type, which no office file does" % name)

    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = on_start, on_text, on_end
    parser.StartDoctypeDeclHandler = refuse
    with archive.open(info) as stream:
        parser.ParseFile(stream)


def nothing(*_):
    pass


def targets(archive, folder, name):
    """Relationships of a part: id -> member."""
    where = {}

    def start(tag, a):
        if tag == "Relationship" and a.get("TargetMode") != "External":
            where[a.get("Id")] = posixpath.normpath(posixpath.join("/" + folder, a.get("Target", ""))).lstrip("/")

    walk(archive, "%s/_rels/%s.rels" % (folder, name), start, nothing)
    return where


# ---- workbooks ----

def shared_strings(book):
    """All text of each, phonetic marks apart."""
    out, parts, phonetic = [], [], [0]
    if "xl/sharedStrings.xml" not in book.namelist():
        return out

    def start(tag, a):
        phonetic[0] += tag == "rPh"

    def end(tag, text):
        phonetic[0] -= tag == "rPh"
        if tag == "t" and not phonetic[0]:
            parts.append(text)
        elif tag == "si":
            out.append("".join(parts)[:TEXT])
            parts.clear()

    walk(book, "xl/sharedStrings.xml", start, end)
    return out


def date_styles(book):
    """Which cell styles show a date."""
    codes, styles, inside = {}, [], []
    if "xl/styles.xml" not in book.namelist():
        return styles

    def start(tag, a):
        if tag == "numFmt":
            bare = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", a.get("formatCode", "")[:200])
            codes[a.get("numFmtId")] = bool(re.search("[ymdhs]", bare, re.I)) and "General" not in bare
        if tag == "cellXfs":
            inside.append(tag)
        if tag == "xf" and inside:
            number = a.get("numFmtId", "0")
            styles.append(codes.get(number, number.isdigit() and (14 <= int(number) <= 22 or 45 <= int(number) <= 47)))

    def end(tag, text):
        if tag == "cellXfs":
            inside.clear()

    walk(book, "xl/styles.xml", start, end)
    return styles


def sheets(book):
    """(name, member, hidden) in the order of the tabs, and the day that counts as 0."""
    where, tabs, epoch = targets(book, "xl", "workbook.xml"), [], [datetime.datetime(1899, 12, 30)]

    def start(tag, a):
        if tag == "sheet":
            tabs.append((a.get("name", "")[:TEXT], where.get(a.get(":id"), ""), a.get("state", "visible") != "visible"))
        if tag == "workbookPr" and a.get("date1904") in ("1", "true"):
            epoch[0] = datetime.datetime(1904, 1, 1)

    walk(book, "xl/workbook.xml", start, nothing)
    return tabs, epoch[0]


def as_date(value, epoch):
    try:
        day = epoch + datetime.timedelta(seconds=round(float(value) * 86400))
    except (ValueError, OverflowError):
        return None
    return day.isoformat(" ") if day.time() != datetime.time() else day.date().isoformat()


def column(name):
    n = 0
    for c in name:
        n = n * 26 + ord(c) - 64
    return n


def letters(n):
    out = ""
    while n > 0:
        n, digit = divmod(n - 1, 26)
        out = chr(65 + digit) + out
    return out


def as_text(value):
    """A text that looks like a number is none, and is told from one as spreadsheets do."""
    try:
        float(value)
    except ValueError:
        return value
    return "'" + value


def cell_value(cell, shared):
    kind, value = cell["kind"], cell.get("value")
    if kind == "inlineStr":
        return as_text("".join(cell["inline"]))
    if value is None:
        return None
    if kind in ("s", "str"):
        return as_text(shared[int(value)] if kind == "s" else value)
    return ("TRUE" if value == "1" else "FALSE") if kind == "b" else value


def shifted(formula, rows, cols):
    """What a formula shared by a block of cells is in another of them."""
    def move(m):
        if not m[2]:
            return m[0]
        col, row = m[2], m[4]
        if not m[1]:
            n = column(col) + cols
            col = letters(n) if n > 0 else "#REF!"
        return m[1] + col + m[3] + (row if m[3] else str(int(row) + rows))

    return re.sub(r"""(?:"[^"]*"|'[^']*'|[A-Za-z_.]+[0-9]*\(|(\$?)\b([A-Z]{1,3})(\$?)([0-9]{1,7})\b)""", move, formula)


def cell_formula(cell, at, masters):
    formula = "=" + cell["formula"] if cell.get("formula") else None
    if cell.get("shared") is None or "formula" not in cell:
        return formula
    if formula:
        masters[cell["shared"]] = formula, at["row"], at["col"]
        return formula
    formula, row, col = masters.get(cell["shared"], ("(shared formula)", at["row"], at["col"]))
    return shifted(formula, at["row"] - row, at["col"] - col)


def sheet_cells(book, member, name, shared, dates, epoch):
    at, cell, masters = {"row": 0, "col": 0}, {}, {}

    def start(tag, a):
        if tag == "row":
            at["row"], at["col"] = int(a.get("r", at["row"] + 1)), 0
        elif tag == "c":
            place = re.fullmatch(r"([A-Z]{1,3})([0-9]{1,7})", a.get("r", ""))
            at["col"] = column(place[1]) if place else at["col"] + 1
            style = a.get("s", "0")
            cell.clear()
            cell.update(kind=a.get("t", "n"), style=int(style) if style.isdigit() else 0, inline=[])
        elif tag == "f":
            cell["shared"] = a.get("si") if a.get("t") == "shared" else None

    def end(tag, text):
        if tag == "v":
            cell["value"] = text
        elif tag == "f":
            cell["formula"] = text
        elif tag == "t" and cell:
            cell["inline"].append(text)
        elif tag == "c":
            value, formula = cell_value(cell, shared), cell_formula(cell, at, masters)
            dated = cell["kind"] == "n" and value is not None and cell["style"] < len(dates) and dates[cell["style"]]
            if value is not None or formula is not None:
                say(name, at["row"], at["col"], value, formula, as_date(value, epoch) if dated else None)
            cell.clear()

    walk(book, member, start, end)


def workbook(book):
    shared, dates = shared_strings(book), date_styles(book)
    tabs, epoch = sheets(book)
    for name, member, hidden in tabs:
        say(name, *["hidden"] * hidden)
        if member in book.namelist():
            sheet_cells(book, member, name, shared, dates, epoch)


# ---- paragraphs ----

def paragraphs(archive, member, name):
    """One line each, in the order of the file; text boxes stand before the paragraph that holds them."""
    open_ones, row, skip = [], [0], [0]
    say(name)

    def start(tag, a):
        skip[0] += tag == "Fallback"  # the same again, for readers that know less
        if tag == "p":
            open_ones.append([])
        elif open_ones and not skip[0] and tag in ("tab", "br", "cr"):
            open_ones[-1].append("\t" if tag == "tab" else "\n")

    def end(tag, text):
        if tag == "t" and open_ones and not skip[0]:
            open_ones[-1].append(text)
        elif tag == "p" and open_ones:
            parts = "".join(open_ones.pop())
            if not skip[0]:
                row[0] += 1
                say(name, row[0], 1, None, None, parts)
        skip[0] -= tag == "Fallback"

    walk(archive, member, start, end)


def document(archive):
    other = re.compile(r"word/((?:header|footer)[0-9]*|footnotes|endnotes|comments)\.xml")
    paragraphs(archive, "word/document.xml", "document")
    for member in sorted(archive.namelist()):
        part = other.fullmatch(member)
        if part:
            paragraphs(archive, member, part[1])


def slides(archive):
    where, shown = targets(archive, "ppt", "presentation.xml"), []

    def start(tag, a):
        if tag == "sldId":
            shown.append(where.get(a.get(":id"), ""))

    walk(archive, "ppt/presentation.xml", start, nothing)
    for number, member in enumerate(shown, 1):
        if member not in archive.namelist():
            continue
        paragraphs(archive, member, "slide %d" % number)
        folder, base = posixpath.split(member)
        if "%s/_rels/%s.rels" % (folder, base) in archive.namelist():
            for note in targets(archive, folder, base).values():
                if note.startswith("ppt/notesSlides/") and note in archive.namelist():
                    paragraphs(archive, note, "notes of slide %d" % number)


try:
    {"xlsx": workbook, "docx": document, "pptx": slides}[sys.argv[1]](zipfile.ZipFile(sys.argv[2]))
except Enough:
    print(json.dumps({"more": "lines"}))
except Exception as fault:
    sys.exit("%s: %s" % (type(fault).__name__, fault))

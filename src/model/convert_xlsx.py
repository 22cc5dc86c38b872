"""Cells of a workbook as JSON lines [sheet, row, column, value, formula]. Standard library only; runs in the
sandbox. Values are as the file has them; what is bounded is said by a last line {"more": "cells"}."""
import json
import re
import sys
import zipfile
from xml.etree.ElementTree import iterparse

CELLS, TEXT, MEMBER = 400000, 20000, 256 << 20
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def local(tag):
    return tag.rsplit("}", 1)[-1]


def member(book, name):
    info = book.getinfo(name)
    if info.file_size > MEMBER:
        raise ValueError("%s is over %d bytes" % (name, MEMBER))
    return book.open(info)


def texts(book):
    """Shared strings: all text of each, phonetic marks apart."""
    out = []
    if "xl/sharedStrings.xml" not in book.namelist():
        return out
    parts, skip = [], 0
    for event, node in iterparse(member(book, "xl/sharedStrings.xml"), ("start", "end")):
        name = local(node.tag)
        if name == "rPh":
            skip += 1 if event == "start" else -1
        elif event == "end" and name == "t" and not skip:
            parts.append(node.text or "")
        elif event == "end" and name == "si":
            out.append("".join(parts))
            parts = []
            node.clear()
    return out


def sheets(book):
    """(name, member) in the order of the tabs."""
    where = {}
    for _, node in iterparse(member(book, "xl/_rels/workbook.xml.rels")):
        if local(node.tag) == "Relationship":
            path = node.get("Target", "")
            where[node.get("Id")] = path.lstrip("/") if path.startswith("/") else "xl/" + path
    for _, node in iterparse(member(book, "xl/workbook.xml")):
        if local(node.tag) == "sheet":
            yield node.get("name", ""), where.get(node.get(LINK), "")


def column(letters):
    n = 0
    for c in letters:
        n = n * 26 + ord(c) - 64
    return n


def cells(stream, shared):
    row = col = 0
    for event, node in iterparse(stream, ("start", "end")):
        name = local(node.tag)
        if event == "start":
            if name == "row":
                row, col = int(node.get("r", row + 1)), 0
            continue
        if name == "row":
            node.clear()
        if name != "c":
            continue
        place = re.fullmatch(r"([A-Z]{1,3})([0-9]{1,7})", node.get("r", ""))
        col = column(place[1]) if place else col + 1
        kind, value, formula = node.get("t", "n"), None, None
        for child in node:
            if local(child.tag) == "v":
                value = child.text or ""
            elif local(child.tag) == "f":
                formula = "=" + child.text if child.text else "(shared formula)"
            elif local(child.tag) == "is":
                value = "".join(t.text or "" for t in child.iter() if local(t.tag) == "t")
        if kind == "s" and value is not None:
            value = shared[int(value)]
        elif kind == "b" and value is not None:
            value = "TRUE" if value == "1" else "FALSE"
        if value is not None or formula is not None:
            yield row, col, value, formula


def main():
    left = CELLS
    book = zipfile.ZipFile(sys.argv[1])
    shared = texts(book)
    for name, path in sheets(book):
        print(json.dumps([name]))
        if path not in book.namelist():
            continue
        for row, col, value, formula in cells(member(book, path), shared):
            if left == 0:
                print(json.dumps({"more": "cells"}))
                return
            left -= 1
            print(json.dumps([name, row, col, None if value is None else value[:TEXT], None if formula is None else formula[:TEXT]]))


try:
    main()
except Exception as fault:
    sys.exit("%s: %s" % (type(fault).__name__, fault))

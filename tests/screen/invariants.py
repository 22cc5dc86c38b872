"""What must hold of any screen, whatever it shows: invariants.py list|cells|text|prompt|none COUNT COLSxROWS… < DUMPS

Dumps are texts with styles (--dump both), COUNT of each size one after the other. Prints what is wrong, nothing when nothing is.
"""
import re, sys, unicodedata

kind = sys.argv[1]
wanted = [tuple(map(int, size.split("x"))) for size in sys.argv[3:] for _ in range(int(sys.argv[2]))]
cols = rows = 0
BORDER = "│┌┐└┘├┤┬┴─"


def cells(line):
    """A character for each cell; "" behind a wide one."""
    out = []
    for c in line:
        if unicodedata.category(c) in ("Mn", "Me") and out:
            out[-1] += c
            continue
        out.append(c)
        if unicodedata.east_asian_width(c) in "WF":
            out.append("")
    return out


def check(text, style, legend, number):
    def wrong(what):
        print(f"dump {number}, {cols}x{rows}: {what}")
        print("\n".join(text))

    if len(text) != rows or len(style) != rows:
        return wrong(f"{len(text)} rows of text and {len(style)} of styles")
    grid = [cells(line) for line in text]
    for y, line in enumerate(grid):
        if len(line) > cols or len(style[y]) > cols:
            return wrong(f"row {y} has {len(line)} cells")
        if any(ord(c[0]) < 32 or 0x7f <= ord(c[0]) < 0xa0 for c in line if c):
            return wrong(f"row {y} has control bytes")
        line += [" "] * (cols - len(line))
    if rows < 5 or cols < 20:
        return
    boxes(grid, wrong)
    chosen = {y for y, line in enumerate(style) for c in line if "selected" in legend.get(c, "")}
    cursor = {y for y, line in enumerate(style) for c in line if "chosen" in legend.get(c, "")}
    if kind == "list" and len(chosen) != 1:
        wrong(f"{len(chosen)} rows are selected")
    if kind == "list" and chosen and ">" not in grid[min(chosen)]:
        wrong("the selected row has no sign")
    if kind == "cells" and len(cursor) != 1:
        wrong(f"the chosen cell is in {len(cursor)} rows")


def boxes(grid, wrong):
    """Frames are whole: below a corner a line goes on to the next, with nothing in it."""
    for y, line in enumerate(grid):
        for x, c in enumerate(line):
            if not c or c not in "┌┐":
                continue
            at = y + 1
            while at < len(grid) and grid[at][x] == "│":
                at += 1
            if at == len(grid) or grid[at][x] != ("└" if c == "┌" else "┘"):
                return wrong(f"the frame at column {x} is broken in row {at}")
            if c == "┌":
                right = x + 1
                while right < len(line) and line[right] != "┐":
                    right += 1
                if right == len(line) or grid[at][right] != "┘":
                    return wrong(f"the frame that begins in row {y}, column {x} has no other corner")


lines = sys.stdin.read().split("\n")
for n, (cols, rows) in enumerate(wanted, 1):
    text, lines = lines[:rows], lines[rows:]
    if not lines or lines[0] != "---- style":
        print(f"dump {n}, {cols}x{rows}: {lines[:1]} where styles are to be")
        break
    style, lines = lines[1:rows + 1], lines[rows + 1:]
    legend = {}
    while lines and re.match(r"[a-zA-Z0-9] [a-z]+( [a-z0-9#]+)*$", lines[0]):
        legend[lines[0][0]] = lines[0][2:]
        lines = lines[1:]
    check(text, style, legend, n)
else:
    if lines != [""]:
        print(f"{len(lines)} lines are left over")

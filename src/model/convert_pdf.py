"""Text of a PDF as JSON lines [page, row, column, value, formula, text], by pdftotext where it is installed. Runs
in the sandbox, which bounds it; what is left out is said by a last line {"more": …}."""
import json
import os
import subprocess
import sys

PROGRAM, LINES, TEXT, ALL = "/usr/bin/pdftotext", 400000, 20000, 48 << 20

if not os.access(PROGRAM, os.X_OK):
    sys.exit("pdftotext is not on this machine (Debian has it in poppler-utils)")
run = subprocess.Popen([PROGRAM, "-q", "-enc", "UTF-8", sys.argv[2], "-"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
out = run.stdout.read(ALL + 1)
if len(out) > ALL:
    run.kill()
elif run.wait() != 0:
    sys.exit("pdftotext could not read it (status %d)" % run.returncode)
left = LINES
pages = out[:ALL].decode("utf-8", "replace").split("\f")
for number, page in enumerate(pages[:-1] if not pages[-1] else pages, 1):
    name = "page %d" % number
    rows = page.rstrip("\n").split("\n")[:max(left - 1, 0)]
    left -= 1 + len(rows)
    if left <= 0:
        break
    print(json.dumps([name]))
    for row, text in enumerate(rows, 1):
        print(json.dumps([name, row, 1, None, None, text[:TEXT]]))
if left <= 0 or len(out) > ALL:
    print(json.dumps({"more": "lines"}))

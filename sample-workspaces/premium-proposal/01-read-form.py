# Read the figures of the proposal form
# purpose: The form is a PDF whose text stands uncompressed in it. Five sections, a net premium of
# 5,366.00, tax of 643.92 and a fee of 75.00 must come out.
import csv
import re

data = open("proposal.pdf", "rb").read().decode("latin-1")
lines = [re.sub(r"\\(.)", r"\1", m) for m in re.findall(r"\(((?:[^()\\]|\\.)*)\) Tj", data)]
print("\n".join(lines))

rows = []
for line in lines:
    m = re.match(r"(\S.*?)\s{2,}(?:([\d,]+)\s+)?([\d,]+\.\d\d)$", line)
    if m:
        rows.append([m[1], (m[2] or "").replace(",", ""), m[3].replace(",", "")])
with open("form.csv", "w", newline="") as out:
    csv.writer(out).writerows([["Item", "SumInsured", "Amount"], *rows])
print(f"\n{len(rows)} amounts read")

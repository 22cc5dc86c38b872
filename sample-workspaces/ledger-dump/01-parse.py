# Turn the printed journal into a table
# purpose: The dump has 96 entries on four pages, with page heads, apostrophes between thousands and a
# minus behind credits. Every voucher has one debit and one credit.
import csv
import re

text = open("journal.prn", encoding="utf-8").read()
rows = re.findall(r"^(\d\d\.\d\d\.\d\d)  (J\d+) +(\d{4})  (.{20})  +([\d.]+)(-?) ?$", text, re.M)
print(len(rows), "entries")
assert len(rows) == 96, "the report says 96 lines"

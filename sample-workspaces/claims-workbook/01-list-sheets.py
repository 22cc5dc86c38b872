# What is in the workbook?
# purpose: Two sheets: Claims with 60 claims, Branches with 3. The second one also as CSV.
import csv
import openpyxl

book = openpyxl.load_workbook("claims.xlsx", data_only=True)
for sheet in book:
    print(f"{sheet.title}: {sheet.max_row - 1} rows, columns {', '.join(c.value for c in sheet[1])}")
with open("branches.csv", "w", newline="") as out:
    for row in book["Branches"].values:
        csv.writer(out).writerow([v.date() if hasattr(v, "date") else v for v in row])

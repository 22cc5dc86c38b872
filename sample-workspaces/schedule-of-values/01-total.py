# Do the building values roll up to the stated total?
# purpose: The broker's slip states 18,400,000 for 40 locations. LOC-0007 (400,000) and LOC-0019
# (340,000) stand twice in the file, so the plain sum is 19,140,000; without the doubled rows it
# must be the stated total.
import csv

STATED = 18_400_000
rows = list(csv.DictReader(open("locations.csv", newline="")))
seen, doubled = {}, []
for row in rows:
    if row["LocationID"] in seen:
        doubled.append(row)
    seen[row["LocationID"]] = row

print(f"{len(rows)} rows, sum {sum(int(r['BuildingValue']) for r in rows):,}")
for row in doubled:
    print(f"doubled: {row['LocationID']} {int(row['BuildingValue']):,}")
total = sum(int(r["BuildingValue"]) for r in seen.values())
print(f"{len(seen)} locations, sum {total:,}; stated {STATED:,}; difference {total - STATED:,}")

with open("locations_once.csv", "w", newline="") as out:
    w = csv.DictWriter(out, rows[0].keys())
    w.writeheader()
    w.writerows(seen.values())

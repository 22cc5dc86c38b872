# One name for each carrier
# purpose: Three carriers stand in the file in nine spellings. Afterwards there must be three names,
# 40 locations, and the same total of 18,400,000.
import csv
import re
from collections import Counter

NAMES = {"harboro": "Harborough Mutual", "trent": "Trent & Soar", "fenland": "Fenland General"}


def carrier(text):
    word = re.sub(r"[^a-z]", "", text.lower())
    for key, name in NAMES.items():
        if word.startswith(key):
            return name
    raise ValueError(f"unknown carrier: {text}")


rows = list(csv.DictReader(open("locations_once.csv", newline="")))
spellings = Counter(r["Carrier"] for r in rows)
value = Counter()
for row in rows:
    row["Carrier"] = carrier(row["Carrier"])
    value[row["Carrier"]] += int(row["BuildingValue"])

print(f"{len(spellings)} spellings, {len(value)} carriers")
for name, total in sorted(value.items()):
    print(f"{name:<20}{total:>14,}")
print(f"{'all':<20}{sum(value.values()):>14,}")
with open("carriers.csv", "w", newline="") as out:
    w = csv.DictWriter(out, rows[0].keys())
    w.writeheader()
    w.writerows(rows)

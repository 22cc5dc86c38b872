# Does each section's premium follow from its rate?
# purpose: Sum insured times rate, by hand: 1,250,000 x 0.00180 = 2,250.00 and so on. The form has
# 446.00 for Stock where 145,000 x 0.00320 = 464.00: two digits are swapped.
import csv
from decimal import Decimal

form = {r["Item"]: Decimal(r["Amount"]) for r in csv.DictReader(open("form.csv", newline=""))}
wrong = 0
print(f"{'section':<24}{'due':>10}{'form':>10}")
for r in csv.DictReader(open("rates.csv", newline="")):
    due = (Decimal(r["SumInsured"]) * Decimal(r["RatePerPound"])).quantize(Decimal("0.01"))
    stated = form[r["Section"]]
    wrong += due != stated
    print(f"{r['Section']:<24}{due:>10,}{stated:>10,}{'' if due == stated else f'  differs by {due - stated}'}")
print(f"{wrong} of 5 sections differ")

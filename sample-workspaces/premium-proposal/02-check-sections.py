# Does each section's premium follow from its rate?
# purpose: Sum insured times rate, by hand: 1,250,000 x 0.00180 = 2,250.00 and so on. The form has
# 446.00 for Stock where 145,000 x 0.00320 = 464.00: two digits are swapped.
import csv

form = {r["Item"]: float(r["Amount"]) for r in csv.DictReader(open("form.csv", newline=""))}
wrong = 0
for r in csv.DictReader(open("rates.csv", newline="")):
    due = round(int(r["SumInsured"]) * float(r["RatePerPound"]), 2)
    ok = due == form[r["Name"]]
    print(f"{r['Section']:<24}{due:>10,.2f}{form[r['Section']]:>10,.2f}  {'' if ok else 'differs'}")

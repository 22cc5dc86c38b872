# Does the form add up?
# purpose: Net premium 5,366.00 (which holds the right 464.00 for Stock), 12 % tax 643.92, fee 75.00:
# 6,084.92 payable. The tax rate stands in tax.txt; change it there to see what depends on it.
import csv
from decimal import Decimal

form = {r["Item"]: Decimal(r["Amount"]) for r in csv.DictReader(open("form.csv", newline=""))}
rate = Decimal(open("tax.txt").read().strip())
sections = ["Building", "Contents", "Stock", "Business interruption", "Liability"]
net = form["Net premium"]
tax = (net * rate / 100).quantize(Decimal("0.01"))
tax_line = next(k for k in form if k.startswith("Insurance premium tax"))
total = net + tax + form["Policy fee"]
print(f"sections as printed {sum(form[s] for s in sections):>10,}")
print(f"net premium         {net:>10,}")
print(f"tax at {rate:>4} %       {tax:>10,}   form {form[tax_line]:,}")
print(f"payable             {total:>10,}   form {form['Total payable']:,}")
print("agrees" if total == form["Total payable"] else "does not agree")

# Entries above the scope
# purpose: The scope of the audit stands in scope.txt: 11 debits are 2,000.00 or more. Change it and this
# step says "changed since".
import csv
from decimal import Decimal

scope = Decimal(open("scope.txt").read().strip())
rows = [r for r in csv.DictReader(open("journal.csv", newline="")) if Decimal(r["Amount"]) >= scope]
for row in sorted(rows, key=lambda r: -Decimal(r["Amount"])):
    print(f"{row['Date']}  {row['Voucher']}  {row['Name']:<20}{Decimal(row['Amount']):>12,}")
print(f"{len(rows)} debits of {scope:,} or more")

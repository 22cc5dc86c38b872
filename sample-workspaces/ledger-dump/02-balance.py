# Does the journal balance?
# purpose: Debits and credits must both be 67,261.08, and every voucher must be zero by itself.
import csv
from collections import defaultdict
from decimal import Decimal

debit = credit = Decimal(0)
vouchers = defaultdict(Decimal)
for row in csv.DictReader(open("journal.csv", newline="")):
    amount = Decimal(row["Amount"])
    vouchers[row["Voucher"]] += amount
    debit, credit = (debit + amount, credit) if amount > 0 else (debit, credit - amount)
print(f"debit {debit:,}  credit {credit:,}")
print(f"{len(vouchers)} vouchers, {sum(v != 0 for v in vouchers.values())} not zero")

# Claims reported in the period
# purpose: The period stands in period.txt (third quarter of 2026): 19 claims, 74,900 paid. Both ends
# count. Change the period and this step says "changed since".
import pandas as pd

begin, end = open("period.txt").read().split()
claims = pd.read_excel("claims.xlsx", sheet_name="Claim")
chosen = claims[(claims["Reported"] >= begin) & (claims["Reported"] <= end)]
print(len(chosen))

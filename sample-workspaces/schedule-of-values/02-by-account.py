# Share of each account in the insured values
# purpose: Joins the locations to the accounts; every location must find its account, and our
# shares add up to what the accounts file says (A102 is ours to 60 %, A104 to 75 %, A105 to 50 %).
import pandas as pd

loc = pd.read_csv("locations_once.csv")
acc = pd.read_csv("accounts.csv")
joined = loc.merge(acc, left_on="AccountNo", right_on="AccountNo", how="left")
print(joined.groupby("Insured")["BuildingValue"].sum().to_string())

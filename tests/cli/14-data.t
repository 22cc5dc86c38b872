#!/bin/bash
# Real public data that nobody of this project wrote, with real pandas.
. "$(dirname "$0")/lib.sh"
data=$shared/data
if [ ! -d "$data" ]; then echo "1..0 # SKIP no $data"; exit 0; fi
if ! has_modules pandas openpyxl; then echo "1..0 # SKIP pandas or openpyxl is not installed"; exit 0; fi
workspace ws
cp "$data"/*.csv "$data"/*.xlsx . && chmod 644 ./*
before=$(md5sum ./*.csv ./*.xlsx)

cat >tiv.py <<'PY'
# Sum of building values
import pandas as pd
d = pd.read_csv("SourceLocOEDPiWind10.csv")
print(len(d), int(d.BuildingTIV.sum()), sorted(set(d.PostalCode.str.strip())))
PY
run_ok "ten locations" tiv.py
is "ten locations: sum" "$out" "10 3400000 ['LE13 0HL']"
tm show last --json
jis "ten locations: inputs" '[(i["path"], i["class"]) for i in d["inputs"] if not i["path"].endswith(".py")]' "[('SourceLocOEDPiWind10.csv', 'read')]"
tm repeat last; is "ten locations: comes out again" "$rc" 0
tm_from <(echo 'import csv; print(len(list(csv.DictReader(open("car-insurance-premiums-by-state.csv")))))') run -
is "car insurance: rows" "$out" 51
cat >sheets.py <<'PY'
# Each sheet as a CSV file
import re, pandas as pd
for name, sheet in pd.read_excel("off-year-turnout-2023.xlsx", sheet_name=None, header=None).items():
    sheet.to_csv(re.sub(r"\W+", "_", name).lower() + ".csv", index=False, header=False)
    print(name, *sheet.shape)
PY
run_ok "six sheets" sheets.py
is "six sheets: sizes" "$out" $'Virginia 135 33\nKentucky 121 27\nOhio 89 26\nPennsylvania 68 34\nNew Jersey 22 33\n'"$(tail -1 <<<"$out")"
tm show last --json
jis "six sheets: files" 'sorted(a["path"] for a in d["artifacts"])' "['kentucky.csv', 'new_jersey.csv', 'ohio.csv', 'pennsylvania.csv', 'sources.csv', 'virginia.csv']"
tm export last --to "$work/sheets"; is "six sheets: exported" "$(find "$work/sheets" -type f | wc -l)" 6
cat >layers.py <<'PY'
import pandas as pd
a = pd.read_csv("SourceAccOEDPiWind.csv")
print(a[["LayerLimit", "LayerAttachment", "LayerParticipation"]].values.tolist())
PY
run_ok "layers" layers.py
is "layers: values" "$out" "[[5000000.0, 500000.0, 0.3], [100000000.0, 5500000.0, 0.3]]"
is "the folder is byte-identical afterwards" "$(md5sum ./*.csv ./*.xlsx)" "$before"
tm verify; is "the record verifies" "$rc" 0
finish

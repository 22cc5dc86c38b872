#!/bin/bash
# both users
# What a run sees and leaves: inputs are what it opened, artifacts what it wrote, the folder is untouched.
. "$(dirname "$0")/lib.sh"
inputs='sorted((i["path"], i["class"]) for i in d["inputs"])'
files='sorted((a["path"], a["kind"]) for a in d["artifacts"])'
snapshot() { find . -path ./.tickmark -prune -o -type f -printf '%P %m %T@ %s ' -exec md5sum {} \; ; }

workspace classes
echo read >read.csv; echo append >append.csv; echo over >over.csv; echo gone >gone.csv; echo never >never.csv
echo listed >listed.csv
cat >classes.py <<'PY'
import os
open("read.csv").read()
with open("append.csv", "a") as f: f.write("more\n")
open("over.csv", "w").write("new\n")
os.remove("gone.csv")
os.path.exists("listed.csv"), os.listdir(".")
open("made.csv", "w").write("made\n")
os.makedirs("out/deep"); open("out/deep/x.bin", "wb").write(b"\0\1")
PY
before=$(snapshot)
run_ok "a run that reads, appends, overwrites, deletes" classes.py
is "the folder is byte-identical afterwards" "$(snapshot)" "$before"
tm show last --json
jis "inputs: exactly what it opened" "[x for x in $inputs if not x[0].endswith('.py')]" \
	"[('append.csv', 'updated'), ('gone.csv', 'deleted'), ('over.csv', 'overwritten'), ('read.csv', 'read')]"
jis "artifacts: exactly what it wrote" "$files" \
	"[('append.csv', 'changed'), ('gone.csv', 'deleted'), ('made.csv', 'created'), ('out/deep/x.bin', 'created'), ('over.csv', 'changed')]"
jis "the list is complete" 'd["inputs_complete"]' True
jis "hashes are those of the files" '[i["sha256"] for i in d["inputs"] if i["path"] == "read.csv"][0]' "$(sha256sum <read.csv | cut -d' ' -f1)"
tm show last
like "show lists them" "$out" '^  append.csv +updated'
like "show lists files" "$out" '^  out/deep/x.bin +created'
tm show last --offered
like "offered: what it could have opened" "$out" '^never.csv +6 '

tm_from <(echo 'open("sub/not-there.csv")') run -
tm show last --json; jis "missing" 'd["missing"]' "['sub/not-there.csv']"

if has_modules pandas openpyxl matplotlib; then
	workspace pd
	printf 'city,tiv\nUlm,10\nBonn,20\nUlm,5\n' >in.csv; echo keep >notes.txt; echo del >old.tmp
	cat >roll.py <<'PY'
# Roll up
import os
import pandas as pd, matplotlib.pyplot as plt
d = pd.read_csv("in.csv")
t = d.groupby("city").tiv.sum()
t.to_csv("out.csv")
t.to_frame().to_excel("out.xlsx")
t.plot.bar(); plt.savefig("out.png")
with open("notes.txt", "a") as f: f.write("rolled up\n")
os.remove("old.tmp")
print(t.sum())
PY
	tm_from <(echo 'import os; print([x for x in os.walk(os.path.expanduser("~"))])') run -
	before=$(snapshot)
	run_ok "pandas: CSV, workbook, chart" roll.py
	is "pandas: result" "$out" 35
	is "pandas: folder untouched" "$(snapshot)" "$before"
	tm show last --json
	jis "pandas: inputs" "[x for x in $inputs if x[0] != 'roll.py']" "[('in.csv', 'read'), ('notes.txt', 'updated'), ('old.tmp', 'deleted')]"
	jis "pandas: files" "$files" "[('notes.txt', 'changed'), ('old.tmp', 'deleted'), ('out.csv', 'created'), ('out.png', 'created'), ('out.xlsx', 'created')]"
	tm export last --to "$work/pd-out"; is "pandas: exported" "$rc" 0
	is "pandas: the chart is one" "$(head -c 8 "$work/pd-out/out.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
	is "pandas: the workbook is one" "$("$python" -c 'import openpyxl,sys; print(openpyxl.load_workbook(sys.argv[1]).active["B2"].value)' "$work/pd-out/out.xlsx")" 20
	cat >figure.py <<'PY'
import matplotlib.pyplot as plt
for title in ("first", "second"):
    plt.figure(); plt.plot([1, 3, 2]); plt.title(title)
    plt.show()
print("reached the end")
PY
	run_ok "plt.show()" figure.py
	is "plt.show() does not block" "$out" "reached the end"
	tm show last --json
	jis "plt.show(): two images" '[a["path"].endswith(".png") for a in d["artifacts"]]' "[True, True]"
	jis "plt.show(): the backend is recorded" 'bool(d["figures"]["backend"])' True
	wait_for sh -c 'ls .tickmark/cache/fonts-* >/dev/null 2>&1'
	tm repeat 1; is "a repeat finds HOME as the first run did, though a list of fonts is known by now" "$rc $out" "0 1.1r1 repeats 1.1: same"
else skip "pandas" "pandas, openpyxl or matplotlib is not installed"; fi

# ways to name a file
paths() { # the same in any folder
	echo inside >data.csv; mkdir -p lib; echo 'VALUE = 42' >lib/helper.py; echo 'W = 1' >beside.py
	cat >paths.py <<'PY'
import pathlib, sys
sys.path.insert(0, "lib")
import beside, helper
here = pathlib.Path(__file__).parent
print((here / "data.csv").read_text().strip(), open(sys.argv[1] + "/data.csv").read().strip(),
      open("/mnt/data/data.csv").read().strip(), helper.VALUE, beside.W, here == pathlib.Path(sys.argv[1]))
(here / "w1.txt").write_text("1"); open(sys.argv[1] + "/w2.txt", "w").write("2"); open("/mnt/data/w3.txt", "w").write("3")
PY
	run_ok "$1: paths" paths.py "$PWD"
	is "$1: absolute, by __file__, /mnt/data, imports" "$out" "inside inside inside 42 1 True"
	tm show last --json
	jis "$1: files" "$files" "[('w1.txt', 'created'), ('w2.txt', 'created'), ('w3.txt', 'created')]"
	jis "$1: inputs" "[x for x in $inputs if x[0] != 'paths.py']" "[('beside.py', 'read'), ('data.csv', 'read'), ('lib/helper.py', 'read')]"
}
workspace paths; paths plain
workspace "sp ace:cölon"; paths "blanks, colon, umlaut"
mkdir "$work/setgid" && chmod g+s "$work/setgid"; workspace setgid; paths "set-group-id folder"
mkdir -p sub && chmod g+s sub && echo s >sub/s.txt
tm_from <(printf 'open("sub/s.txt","a").write("t"); open("sub/n.txt","w").write("n"); print(open("sub/s.txt").read())') run -
is "set-group-id subfolder: written to" "$rc $out" $'0 s\nt'

# files outside the folder of the run
workspace homes
tm_from <(printf 'import os\nopen(os.path.expanduser("~/h.txt"),"w").write("h"); open("/tmp/t.txt","w").write("t")') run -
tm show last --json
jis "HOME and tmp are artifacts too" "$files" "[('/tmp/t.txt', 'created'), ('~/h.txt', 'created')]"
no "the real HOME has nothing of it" test -e "$HOME/h.txt"
no "nor has the real /tmp" test -e /tmp/t.txt
tm_from <(printf 'open("/etc/passwd-probe", "w")') run -
is "elsewhere nothing can be written" "$rc" 1
secret=$work/outside-secret; echo secret >"$secret"
tm_from <(printf 'import sys; print(open(sys.argv[1]).read())') run - "$secret"
is "files outside cannot be read" "$rc" 1

# one name, many files
workspace names
cat >same.py <<'PY'
import os, time
open("report.csv", "w").write("draft\n")
open("report.csv", "w").write("final,%d\n" % time.time_ns())
os.makedirs("north", exist_ok=True); os.makedirs("south", exist_ok=True)
open("north/report.csv", "w").write("north\n"); open("south/report.csv", "w").write("south\n")
PY
run_ok "same names: first" same.py; first=$("$TICKMARK" export 1.1 report.csv -o -)
run_ok "same names: second" same.py; second=$("$TICKMARK" export 1.2 report.csv -o -)
is "the first keeps its own" "$("$TICKMARK" export 1.1 report.csv -o -)" "$first"
no "they differ" test "$first" = "$second"
like "never the draft" "$first" '^final,'
is "equal base names in two folders stay two" "$("$TICKMARK" export 1.1 north/report.csv -o -) $("$TICKMARK" export 1.1 south/report.csv -o -)" "north south"
# a later step sees the newest artifact, and it is said
tm_from <(echo 'print(open("report.csv").read().strip())') run -
is "a later step sees the newest" "$out" "$second"
tm_from <(printf 'print(open("artifacts/1.1/report.csv").read().strip())\n') run -
is "any artifact of any attempt can be reached" "$out" "$first"
echo attached >report.csv
tm_from <(echo 'print(open("report.csv").read().strip())') run -
is "the attached file, once it is newer" "$out" attached
cat >later.py <<'PY'
open("report.csv", "w").write("from step %s\n" % "later")
PY
run_ok "an artifact over an attached file" later.py
tm_from <(echo 'print(open("report.csv").read().strip())') run -
is "the artifact goes before the file it replaces" "$out" "from step later"
like "and that is said" "$err" 'report.csv: from '
is "the attached file itself is as it was" "$(cat report.csv)" attached

# names are bytes
workspace bytes
cat >odd.py <<'PY'
import os, unicodedata
names = [b"plain.csv", b"two words .csv", b" leading space.csv", b"-rf.csv", b"new\nline.csv", b"tab\there.csv", b"quote'\"$(x)`y`.csv",
         b"latin-\xe9.csv", b"esc-\x1b]0;probe-title\x07-name.csv", b"back\\slash.csv", b"semi;colon&amp.csv", b"%s%n.csv",
         unicodedata.normalize("NFC", "caf\xe9.csv").encode(), unicodedata.normalize("NFD", "caf\xe9.csv").encode(),
         b"n" * 251 + b".csv", b"CR\rhidden.csv", b"same.CSV", b"same.csv"]
for i, n in enumerate(names):
    with open(os.path.join(b".", n), "wb") as f: f.write(b"file,%d\n" % i)
print(len(names), "files written")
PY
run_ok "awkward names" odd.py
tm show last --artifacts
is "awkward names: one row each" "$(wc -l <"$work/.out")" 18
is "awkward names: all rows differ" "$(awk '{print $1 $2}' "$work/.out" | sort -u | wc -l)" 18
is "awkward names: no control bytes" "$(LC_ALL=C tr -d '\n\040-\176\200-\377' <"$work/.out" | wc -c)" 0
tm export last --to "$work/odd"
is "awkward names: exported" "$rc $(find "$work/odd" -type f -printf x | wc -c)" "0 18"
is "awkward names: right contents" "$(find "$work/odd" -type f -exec cat {} + | sort -t, -k2n | tr '\n' ' ')" "$(for i in $(seq 0 17); do printf 'file,%d ' "$i"; done)"
is "by its bytes" "$("$TICKMARK" export last $'new\nline.csv' -o -)" "file,4"
is "as it is shown" "$("$TICKMARK" export last 'new\nline.csv' -o -)" "file,4"
is "with a bad byte, as it is shown" "$("$TICKMARK" export last 'latin-\xe9.csv' -o -)" "file,7"
is "with a dash" "$("$TICKMARK" export last -o - -- -rf.csv)" "file,3"
tm show last --json; yes "awkward names: --json is JSON" "$python" -m json.tool "$work/.out" /dev/null
finish

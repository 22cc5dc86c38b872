#!/bin/bash
# diff: O38 to O42 as a user sees them, every part of two attempts, and what pandas and git say of the same.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# two FILE contents (printf formats): $out of diff --files
two() { printf "$1" >a.txt; printf "$2" >b.txt; tm diff --files a.txt b.txt "${@:3}"; }

# O38: equal is equal bytes, and what cannot be seen is said
two 'a\n' 'a\n'; is "same: status" "$rc" 0; is "same: says so" "$out" "a.txt -> b.txt: the files are the same"
while IFS='|' read -r name a b said; do
	two "$a" "$b"; is "$name: status" "$rc" 1; like "$name: says it" "$out" "^# $said\$"
done <<'X'
final newline|a\n|a|final newline removed
trailing blank|x\n|x \n|1 line changed in trailing blanks only
tab and blanks|\tx\n|    x\n|1 line changed in tabs and blanks only
no-break space|a b\n|a\xc2\xa0b\n|1 line changed in no-break or other odd spaces only
byte order mark|\xef\xbb\xbfx\n|x\n|byte order mark removed
composed letters|\xc3\xa9\n|e\xcc\x81\n|1 line changed in Unicode form only .composed or decomposed letters.
CRLF to LF|a\r\nb\r\n|a\nb\n|2 of 2 line ends CRLF -> LF
LF to CRLF|a\nb\n|a\r\nb\r\n|2 of 2 line ends LF -> CRLF
lone CR|a\rb\n|a\nb\n|1 of 2 line ends CR -> LF
an added line that ends otherwise|a\n|a\nb\r\n|1 added line ends in CRLF
a plain line in a CRLF text|a\r\n|a\r\nb\n|1 added line ends in LF
no line in common, other ends|a\r\n|b\n|1 removed line ends in CRLF
X
two 'A Test\n' 'ATest\n' -b; like "a blank against none is no white space" "$out" '^-A Test$'
two 'a  b\nc\n' 'a b\nd\n' -b; like "what -b hides is counted" "$out" '^# 1 line differing in white space only, not shown$'
two 'a\r\nb\r\n' 'a\r\nc\r\n'; no "ends that are everywhere the same are not spoken of" grep -q '^#' <<<"$out"
two '' 'a\n'; like "empty against one line" "$out" '^\+a$'
tm diff --files a.txt absent.txt; is "absent file: status" "$rc" 2; like "absent file: said" "$err" 'absent.txt: No such file'

# O39: CRLF to LF and one changed word: the sentence, and the word alone
two 'one\r\ntwo words\r\nthree\r\n' 'one\ntwo birds\nthree\n' --ignore-ends
is "ends ignored: the sentence and one hunk" "$(sed -n '3,$p' <<<"$out" | grep -v '^[-+][-+]' | tr '\n' '|')" '# 2 of 2 line ends CRLF -> LF|@@ -1,3 +1,3 @@| one|-two words|+two birds| three|'
two 'one\r\ntwo words\r\nthree\r\n' 'one\ntwo birds\nthree\n' --word
like "ends beside text: sentence" "$out" '^# 2 of 2 line ends CRLF -> LF$'
like "ends beside text: the word" "$out" '^-two \[-words-\]$'
is "ends beside text: nothing else" "$(grep -c '^[-+][a-z]' <<<"$out")" 2

# a word that lies in a line end alone (found by fuzzing)
two ',v\na,0+3\nb7,0+3\n' 'b7.\002h,v\na,(0+6\nb7.h,1\r\n,v\na,0+6\nb7.h,1\r\n\r' -b --word -U1
is "words in mixed line ends: status" "$rc" 1

# unified output is what patch takes
"$python" - <<'X'
import random
r = random.Random(3)
a = ["line %d %d\n" % (i, r.randrange(5)) for i in range(2000)]
b = [x for x in a if r.random() > .05]
for i in range(80): b.insert(r.randrange(len(b)), "new %d\n" % i)
open("a.txt", "w").writelines(a); open("b.txt", "w").writelines(b)
X
tm diff --files a.txt b.txt
if command -v patch >/dev/null; then cp a.txt c.txt; patch -s c.txt "$work/.out" 2>/dev/null; same_bytes "patch makes the other side" c.txt b.txt; else skip "patch makes the other side" "no patch"; fi
ratios=$("$python" - "$TICKMARK" <<'X'
import random, statistics, subprocess, sys
ratios = []
for seed in range(40):
    r = random.Random(seed)
    words = ["w%d" % r.randrange(3 + seed * 5) for _ in range(400)]
    a = ["%s\n" % w for w in words]; b = list(a)
    for _ in range(r.randrange(1, 120)):
        k = r.randrange(len(b))
        if r.random() < .5: del b[k]
        else: b.insert(k, "w%d\n" % r.randrange(3 + seed * 5))
    open("a.txt", "w").writelines(a); open("b.txt", "w").writelines(b)
    ours = subprocess.run([sys.argv[1], "diff", "--files", "a.txt", "b.txt"], capture_output=True, text=True).stdout
    git = subprocess.run(["git", "diff", "--no-index", "--minimal", "a.txt", "b.txt"], capture_output=True, text=True).stdout
    n = lambda t: sum(l[:1] in "+-" and l[:3] not in ("+++", "---") for l in t.splitlines())
    ratios.append(n(ours) / max(n(git), 1))
print(statistics.median(ratios) <= 1.1, max(ratios) <= 1.1)
X
)
is "as small as git diff --minimal" "$ratios" "True True"

# O40: bounded; a coarser method is named
"$python" -c 'import random; r = random.Random(1); [open(n, "w").writelines("%d\n" % r.randrange(2) for _ in range(60000)) for n in ("a.txt", "b.txt")]'
tm diff --files a.txt b.txt --context 0; is "very different: status" "$rc" 1; like "very different: named" "$out" '^# very different texts: compared by a coarser method'
"$python" "$shared/cases/o40_big_pair.py" 1 100000 | tr -d '\n' >a.txt; "$python" "$shared/cases/o40_big_pair.py" 2 100000 | tr -d '\n' >b.txt
tm diff --files a.txt b.txt --word; is "one long line: status" "$rc" 1; is "one long line: one piece" "$(grep -c '^-' <<<"$out")" 2

# O41: tables
c=$shared/cases
tm diff --files "$c/o41_a.csv" "$c/o41_b.csv" --json; is "tables: status" "$rc" 1
jis "tables: counts" '(lambda k: [k[n] for n in ("rows_added", "rows_removed", "rows_changed", "cells_changed", "columns_added", "rows_moved")])(d["items"][0]["counts"])' "[1, 0, 1, 1, 1, 2]"
jis "tables: the key is stated" 'd["items"][0]["method"]' "rows by key id (found)"
tm diff --files "$c/o41_a.csv" "$c/o41_b.csv"; like "tables: the cell" "$out" '^~id 2: qty 20 -> 21$'
tm diff --files "$c/o41_a.csv" "$c/o41_dup.csv" --key id
like "doubled key is reported" "$out" '^# doubled key, not compared: id 1 \(1 time on the left, 3 on the right\)$'
like "empty key is reported" "$out" '^# empty key, not compared: 0 rows on the left, 1 on the right$'
tm diff --files "$c/o41_a.csv" "$c/o41_b.csv" --key nope; is "a key that is not there: status" "$rc" 2
like "a key that is not there: said" "$err" "there is no column 'nope' in the left table"

# O42: exact by default; tolerant folds notation and 15 digits, and counts
tm diff --files "$c/o42_a.csv" "$c/o42_b.csv"; is "numbers: exact" "$(grep -c '^~' <<<"$out")" 9
tm diff --files "$c/o42_a.csv" "$c/o42_b.csv" --tolerant
is "numbers: tolerant" "$(grep '^~' <<<"$out" | cut -c4 | tr -d '\n')" fghi
like "numbers: counted" "$out" '4 cells that differ in notation only and 1 that are the same to 15 digits'

# tables that are written otherwise: what no cell shows is told, and what only looks the same is not
two_tables() { printf "$1" >t.csv; printf "$2" >u.csv; tm diff --files t.csv u.csv "${@:3}"; }
while IFS='|' read -r name a b said row; do
	two_tables "$a" "$b"; like "$name: said" "$out" "^# $said"; is "$name: rows" "$(grep '^[-+~][^-+]' <<<"$out" | tr '\n' ' ')" "$row"
done <<'X'
byte order mark and a cell|id,v\n1,2\n3,4\n|\xef\xbb\xbfid,v\n1,2\n3,5\n|byte order mark added|~id 3: v 4 -> 5 
line ends and a cell|id,v\n1,2\n3,4\n|id,v\r\n1,2\r\n3,5\r\n|line ends: 3 LF on the left, 3 CRLF on the right|~id 3: v 4 -> 5 
encodings|id,v\n1,M\xfcller\n2,b\n|id,v\n1,M\xc3\xbcller\n2,c\n|characters are compared: Windows-1252 .guessed. on the left, UTF-8 on the right|~id 2: v b -> c 
encodings alone|id,v\n1,M\xfcller\n|id,v\n1,M\xc3\xbcller\n|the same cells in another encoding|
delimiters|id,v\n1,2\n|id;v\n1;3\n|cells are parted by .,. on the left, by .;. on the right|~id 1: v 2 -> 3 
doubled names|id,v,v\n1,2,3\n2,4,5\n|id,v,v\n1,2,9\n2,4,5\n|columns of the same name on the left and right|~id 1: v (2) 3 -> 9 
names on one side|id,v\n1,2\n3,4\n|1,2\n3,4\n|only the table on the left names its columns|-column 1 id, column 2 v 
a delimiter behind each row|id,v\n1,2\n3,4\n|id,v,\n1,2,\n3,5,\n|every row on the right ends in a delimiter|~id 3: v 4 -> 5 
years as names|region,2023,2024\nN,1,2\nS,3,4\n|region,2023,2024\nN,1,2\nS,3,5\n|rows by key region|~region S: 2024 4 -> 5 
the index of pandas|,id,v\n0,a,1\n1,b,2\n|,id,v\n0,a,1\n1,b,3\n|rows by key id|~id b: v 2 -> 3 
an identifier that is doubled|sku,qty\na,10\nb,20\nb,30\n|sku,qty\na,10\nb,20\n|doubled key, not compared: sku b .2 times on the left, 1 on the right|
keys alike but for case and blanks|id,v\nA1,1\nB2,2\nC,3\n|id,v\na1,1\n B2,3\nC,3\n|2 removed rows have the key of an added one but for case, blanks or being text|-id A1, v 1 -id B2, v 2 +id a1, v 1 +id  B2, v 3 
no value is another|id,v\n1,NaN\n2,\n3,NULL\n4,-0\n|id,v\n1,\n2,NULL\n3,None\n4,0\n|rows by key id|~id 1: v NaN -> (empty) ~id 2: v (empty) -> NULL ~id 3: v NULL -> None ~id 4: v -0 -> 0 
thousands, decimal commas, dates|id;v\n1;1,000\n2;1,5\n3;2024-01-02\n|id;v\n1;1000\n2;1.5\n3;02/01/2024\n|rows by key id|~id 1: v 1,000 -> 1000 ~id 2: v 1,5 -> 1.5 ~id 3: v 2024-01-02 -> 02/01/2024 
X
"$python" -c 'open("t.csv", "wb").write("id,v\n1,x\n2,b\n".encode("utf-16")); open("u.csv", "wb").write("id,v\n1,x\n2,c\n".encode("utf-16-be"))'
tm diff --files t.csv u.csv; is "UTF-16 without a mark is no text" "$(grep -c '(bytes)' <<<"$out")" 1
"$python" -c 'open("u.csv", "wb").write(b"\xfe\xff" + "id,v\n1,x\n2,c\n".encode("utf-16-be"))'
tm diff --files t.csv u.csv; is "UTF-16 of both orders" "$(grep '^[~]' <<<"$out")" "~id 2: v b -> c"

# random tables against pandas
if has_modules pandas; then
verdict=$("$python" - "$TICKMARK" <<'X'
import bisect, json, random, subprocess, sys
import pandas as pd
wrong = []
def moved(places):
    """How many have to move: all but those of a longest rising sequence."""
    ends = []
    for p in places:
        k = bisect.bisect_left(ends, p)
        ends[k:k + 1] = [p]
    return len(places) - len(ends)
for seed in range(25):
    r = random.Random(seed)
    n = r.randrange(5, 60)
    a = pd.DataFrame({"code": ["k%03d" % i for i in range(n)], "x": [r.randrange(50) for _ in range(n)],
                      "name": [r.choice(["a,b", 'q"q', "ü", "line\nbreak", ""]) for _ in range(n)],
                      "v": [round(r.random() * 100, 2) for _ in range(n)]})
    b = a.drop(index=r.sample(range(2, n), r.randrange(0, n // 3 + 1)))
    for i in b.index:
        if r.random() < .2: b.loc[i, "x"] = int(b.loc[i, "x"]) + 100
        if r.random() < .1: b.loc[i, "v"] = -1.5
    more = pd.DataFrame({"code": ["n%d" % i for i in range(r.randrange(4))], "x": 1, "name": "new", "v": 2.5})
    b = pd.concat([b, more])
    if r.random() < .3: b = pd.concat([b, b.sample(2, random_state=seed).assign(x=999)])
    if r.random() < .5: b = b.sample(frac=1, random_state=seed)
    if r.random() < .5: b = b[["code", "v", "name", "x"]]
    if r.random() < .3: b["extra"] = 7
    if r.random() < .3: b = b.rename(columns={"name": "title"})
    if r.random() < .2: b = b.drop(columns="v")
    a.to_csv("a.csv", index=False); b.to_csv("b.csv", index=False)
    x = pd.read_csv("a.csv", dtype=str, keep_default_na=False).set_index("code")
    y = pd.read_csv("b.csv", dtype=str, keep_default_na=False).rename(columns={"title": "name"}).set_index("code")
    doubled = set(y.index[y.index.duplicated()])
    x, y = x[~x.index.isin(doubled)], y[~y.index.isin(doubled)]
    both = x.index.intersection(y.index)
    cols = [c for c in x.columns if c in y.columns]
    changed = (x.loc[both, cols] != y.loc[both, cols])
    want = {"rows_added": len(y.index.difference(x.index)), "rows_removed": len(x.index.difference(y.index)),
            "cells_changed": int(changed.values.sum()), "rows_changed": int(changed.any(axis=1).sum()),
            "columns_added": len([c for c in y.columns if c not in x.columns]), "columns_removed": len([c for c in x.columns if c not in y.columns]),
            "columns_renamed": int("title" in b.columns), "doubled_keys": len(doubled),
            "rows_moved": moved([y.index.get_loc(k) for k in x.index if k in y.index])}
    out = subprocess.run([sys.argv[1], "diff", "--files", "--json", *(["--key", "code"] if doubled else []), "a.csv", "b.csv"], capture_output=True, text=True).stdout
    got = json.loads(out)["items"][0]["counts"]
    got = {k: got.get(k) for k in want}
    if got != want: wrong.append((seed, got, want))
print(wrong)
X
)
is "25 random tables as pandas has them" "$verdict" "[]"
else skip "random tables as pandas has them" "no pandas"; fi

# JSON by path, bytes, archives
printf '{"a": {"b": 1, "c": [1, 2]}, "d e": null}' >a.json; printf '{"d e": null, "a": {"c": [1, 3, 4], "b": 1}}' >b.json
tm diff --files a.json b.json; is "json: rows" "$(grep '^[-+]\$' <<<"$out" | tr '\n' ' ')" '-$.a.c[1]: 2 +$.a.c[1]: 3 +$.a.c[2]: 4 '
printf '{"a": 1}' >a.json; printf '{ "a": 1 }' >b.json; tm diff --files a.json b.json
is "json: layout only: status" "$rc" 1; like "json: layout only: said" "$out" '^# the same values'
printf '{"a": 123456789012345678901234567890, "b": 1.0, "c": 1, "s": "\\u0001"}' >a.json; printf '{"a": 123456789012345678901234567891, "b": 1, "c": 2, "s": "\\u0001x"}' >b.json; tm diff --files a.json b.json
is "json: whole numbers over 64 bits hide nothing" "$(grep '^[-+]\$' <<<"$out" | tr '\n' '|')" '-$.a: 123456789012345678901234567890|+$.a: 123456789012345678901234567891|-$.b: 1.0|+$.b: 1|-$.c: 1|+$.c: 2|-$.s: "\u0001"|+$.s: "\u0001x"|'
printf 'id,v\n1,"a\n-id 2, v 9"\n' >n.csv; printf 'id,v\n1,"b\n-id 2, v 9"\n' >m.csv; tm diff --files n.csv m.csv
no "a line feed in a cell begins no row" grep -q '^-id 2' <<<"$out"
printf '{"a": ' >b.json; tm diff --files a.json b.json; like "json: none" "$out" '^# not compared as json: not JSON'
printf 'ab\0cd' >a.bin; printf 'ab\0xde' >b.bin; tm diff --files a.bin b.bin; like "bytes" "$out" '\(bytes\): 5 bytes, now 6, first different at byte 4'
is "bytes: hashes" "$(grep '^[-+][0-9]' <<<"$out" | tr '\n' ' ')" "-5 bytes, $(sha256sum <a.bin | cut -d' ' -f1) +6 bytes, $(sha256sum <b.bin | cut -d' ' -f1) "
"$python" - <<'X'
import zipfile
for n, t in (("a.zip", "one"), ("b.zip", "two!")):
    with zipfile.ZipFile(n, "w") as z: z.writestr("same.txt", "x"); z.writestr("d/t.txt", t)
X
tm diff --files a.zip b.zip; like "archive: member" "$out" '^~d/t.txt: 3 bytes -> 4$'
head -c 60 a.zip >b.zip; tm diff --files a.zip b.zip; like "archive: damaged" "$out" '^# not compared as archive: no zip archive'

# images by pixel
"$python" - <<'X'
import struct, zlib
def png(name, w, h, pixels, filters=(0,), text=b""):
    raw, prev = b"", bytes(w * 3)
    for y in range(h):
        row, f = bytes(pixels[y * w * 3:(y + 1) * w * 3]), filters[y % len(filters)]
        left = bytes(3) + row[:-3]
        def paeth(a, b, c):
            p = a + b - c; pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            return a if pa <= pb and pa <= pc else b if pb <= pc else c
        corner = bytes(3) + prev[:-3]
        take = [lambda i: 0, lambda i: left[i], lambda i: prev[i], lambda i: (left[i] + prev[i]) // 2, lambda i: paeth(left[i], prev[i], corner[i])][f]
        raw += bytes([f]) + bytes((row[i] - take(i)) % 256 for i in range(w * 3)); prev = row
    chunk = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
    z = zlib.compress(raw)
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) + (chunk(b"tEXt", text) if text else b"")
                           + chunk(b"IDAT", z[:30]) + chunk(b"IDAT", z[30:]) + chunk(b"IEND", b""))
a = [(x * 7 + y * 13) % 256 for y in range(20) for x in range(90)]
b = list(a); b[5 * 90 + 4 * 3] ^= 1; b[9 * 90 + 10 * 3 + 2] ^= 255
png("a.png", 30, 20, a); png("b.png", 30, 20, b, filters=(0, 1, 2, 3, 4)); png("c.png", 30, 20, a, filters=(4, 3, 2), text=b"Title\0x"); png("d.png", 30, 19, a)
X
tm diff --files a.png b.png; like "image: pixels" "$out" '\(image\): 2 of 600 pixels differ$'; like "image: where" "$out" '^# they lie within columns 5 to 11 and rows 6 to 10$'
tm diff --files a.png c.png; is "image: other bytes: status" "$rc" 1; like "image: the same pixels" "$out" '^# the same pixels'
tm diff --files a.png d.png; like "image: size" "$out" '30 x 20 pixels, now 30 x 19$'
head -c 100 a.png >e.png; tm diff --files a.png e.png; like "image: damaged" "$out" '^# not compared as image: no PNG that can be read'

# two attempts
workspace ws
printf 'id,cents\n1,10\n2,20\n' >sales.csv
cat >step.py <<'X'
import sys
t = sum(int(l.split(",")[1]) for l in open("sales.csv").readlines()[1:])
print("total", t)
open("kept.txt", "w").write("same\n"); open("old.txt", "w").write("moved bytes\n"); open("gone.txt", "w").write("x")
X
run_ok "first" step.py
tm diff 1.1; is "first attempt: status" "$rc" 3; like "first attempt: said" "$err" 'is the first attempt of its step'
sed -i 's/,20/,21/' sales.csv
run_ok "inputs changed" step.py
tm diff 1; is "same code, other inputs: status" "$rc" 1
is "same code, other inputs: the sentence" "$(head -1 <<<"$out")" "1.1 -> 1.2: same code, inputs changed: sales.csv; differs: stdout"
like "same code, other inputs: of the input" "$out" '^~id 2: cents 20 -> 21$'
like "same code, other inputs: of stdout" "$out" '^\+total 31$'
sed -i 's/"old.txt"/"new.txt"/; s/, *open("gone.txt".*//; s/; open("gone.txt", "w").write("x")//; s/"total"/"sum"/' step.py
run_ok "code changed" step.py -- 5
tm diff 1.2 1.3 --stat
like "code changed" "$out" '^1.2 -> 1.3: code changed, same inputs'
like "renamed by hash" "$out" '^file old.txt -> new.txt +renamed'
like "removed" "$out" '^file gone.txt +removed'
tm diff 1.2 1.3 --only arguments --only stdout
is "only: parts" "$(grep '^===' <<<"$out" | cut -d' ' -f2 | tr '\n' ' ')" "arguments stdout "
tm diff 1.1 1.2 --only code; is "only: what is the same: status" "$rc" 0
tm diff 1.1 1.2 --only code --json; is "only: what is the same, document: status" "$rc" 0; jis "only: what is the same, document" 'd["same"]' True
tm diff 1.2 1.3 --only nothere; is "only: of nothing: status" "$rc" 3; like "only: of nothing: said" "$err" 'neither attempt has such a part or file'
tm diff 1.1 1.2 --key nope; is "a key that this table has not: status" "$rc" 1; like "a key that this table has not: said" "$out" "^# there is no column 'nope' in the left table; a key is looked for"
tm diff 1.3 1.3; is "with itself: status" "$rc" 0; like "with itself" "$out" 'same code, same inputs; the same came out'
tm diff 1.2 1.3 --json
jis "json: sides" '(d["left"], d["right"], d["same"])' "('1.2', '1.3', False)"
jis "json: parts" '[i["part"] for i in d["items"] if i["change"] == "same" and i["part"] != "file"]' "['inputs', 'outcome', 'stderr', 'environment', 'policy']"
jis "json: rows of stdout" '[r["text"] for i in d["items"] if i["part"] == "stdout" for r in i["rows"] if r["kind"] != "hunk"]' "['total 31', 'sum 31']"
jis "json: every member is described" "sorted(set(k for i in d['items'] for k in i) - {'part','name','old_name','change','type','method','summary','left_bytes','right_bytes','left_sha256','right_sha256','coarse','counts','rows','more'})" "[]"
tm diff 1.2 1.3 -y --only stdout; like "side by side" "$out" '^total 31 +\| sum 31$'
tm diff 9 1.1; is "no such step: status" "$rc" 2
tm diff 1.1 1.2 --context x; is "wrong context: status" "$rc" 3
# workbooks by sheet and cell, values apart from formulas; read in the sandbox, once
if has_modules openpyxl; then
cat >book.py <<'X'
import openpyxl
w = openpyxl.Workbook(); s = w.active
s["A1"] = "id"; s["B2"] = 2.5; s["B3"] = "=SUM(B2:B2)"; w.create_sheet("Two")["C3"] = True; s["A9"] = "x<&>\u00fc"
w.save("t.xlsx")
X
run_ok "book" book.py; sed -i 's/2.5/3.5/; s/B2:B2/B2:B9/; s/C3/AA3/; s/"Two"/"Three"/' book.py; run_ok "book again" book.py
tm diff last --only t.xlsx
is "workbook: rows" "$(sed -n 's/^\([-~+].*\)/\1/p' <<<"$out" | grep -v '^[-+][-+]' | tr '\n' '|')" '~Sheet!B2: 2.5 -> 3.5|~Sheet!B3: formula =SUM(B2:B2) -> =SUM(B2:B9)|-Two!C3: TRUE|+Three!AA3: TRUE|'
like "workbook: sheets" "$out" '^# sheet added: Three$'
is "workbook: kept by content" "$(find .tickmark/cache/convert -name '*-xlsx-3' | wc -l)" 2
tm diff last --only t.xlsx --json; jis "workbook: counts" '(lambda k: (k["values_changed"], k["formulas_changed"], k["cells_added"], k["cells_removed"]))(d["items"][0]["counts"])' "(1, 1, 1, 1)"
tm verify; is "workbook: the record is intact, and knows" "$rc" 0
printf 'import zipfile\nz = zipfile.ZipFile("bad.xlsx", "w"); z.writestr("xl/workbook.xml", "<a><b>"); z.writestr("n", "1")\n' >bad.py
run_ok "no book" bad.py; sed -i 's/"1"/"2"/' bad.py; run_ok "no book again" bad.py
tm diff last --only bad.xlsx; like "no workbook: said" "$out" '^# not compared by what is in it: the reader of xlsx files failed'; like "no workbook: by member" "$out" '^~n: 1 bytes -> 1$'
else skip "workbooks" "no openpyxl"; fi

printf 'print("\\x1b[31mred\\x1b]0;title\\x07")\n' >hostile.py; run_ok "hostile" hostile.py; printf 'print("plain")\n' >hostile.py; run_ok "hostile again" hostile.py
pty -- "$TICKMARK" diff last >"$work/seen"; rc=$?
is "on a terminal: status" "$rc" 1
like "on a terminal: the lines are there" "$(cat -v "$work/seen")" 'plain'
no "on a terminal: nothing of the run acts on it" grep -q $'\033]0' "$work/seen"
finish

#!/bin/bash
# queue, search, log --filter, report: order and reasons, samples, hits of every place, runaways, escaping.
. "$(dirname "$0")/lib.sh"
workspace ws
mkdir -p "$HOME/.config/tickmark"; printf 'name = ana\nreviewer = Rev\n' >"$HOME/.config/tickmark/config"
printf 'k,v\na,1\nneedle-in,2\n' >in.csv
printf '# purpose: to see\nprint(open("in.csv").read()[:3]); open("out.csv", "w").write("x\\nneedle-out\\n")\n' >ok.py
printf '# Purposeful\n# purpose: to see\nprint("fine")\n' >plain.py
printf '# purpose: p\nraise ValueError("needle-err")\n' >bad.py
printf '# purpose: p\nimport socket\ntry: socket.create_connection(("192.0.2.1", 80), timeout=1)\nexcept OSError: print("needle-std")\n' >net.py
printf '# purpose: p\nprint("p\xd0\xb0y \xe2\x80\xae")\n' >odd.py
printf '# purpose: p\nimport random; print(random.SystemRandom().random())\n' >dice.py
printf 'print("no purpose here")\n' >none.py
for s in plain ok net odd dice none; do run_ok "$s" $s.py; done
tm run bad.py
tm repeat 5
echo 'b,3' >>in.csv

# ---- queue
tm queue --json
jis "queue: worst first" '[(q["ref"], q["risks"][0] if q["risks"] else None) for q in d["queue"]]' \
	"[('7.1', 'failed'), ('5.1', 'differs'), ('3.1', 'refused'), ('4.1', 'hidden'), ('2.1', 'input changed'), ('6.1', 'no purpose'), ('1.1', None)]"
jis "queue: reasons" '[q["reason"] for q in d["queue"]][0], d["queue"][-1]["reason"]' "('error: ValueError: needle-err', 'not looked at yet')"
jis "queue: sums" 'd["steps"], d["drawn"], d["reviewed"], d["running"], d["seed"]' "(7, 7, 0, 0, None)"
tm queue; like "queue: text" "$out" '^7\.1 +error .*ValueError: needle-err'; like "queue: count" "$err" '^7 of 7 steps to review$'
tm queue --sample 3 --seed 7 --json; first=$(json 'sorted(q["ref"] for q in d["queue"])')
tm mark "$(json 'd["queue"][0]["ref"]')" accepted --as-command; marked=$out
tm queue --sample 3 --seed 7 --json
jis "the same sample, less what was marked" 'len(d["queue"]), d["drawn"], d["reviewed"]' "(2, 3, 1)"
is "of the same steps" "$(json "set(q['ref'] for q in d['queue']) <= set($first)")" True
tm mark "${marked%% *}" withdrawn --as-command
tm queue --sample 3 --seed 7 --json; is "withdrawn: in it again" "$(json 'sorted(q["ref"] for q in d["queue"])')" "$first"
for bad in "--sample 0" "--sample x" "--seed 3" "--sample 3 --seed x" "extra"; do tm queue $bad; is "queue $bad: status" "$rc" 3; done
tm mark 2 rejected --as-command
printf '# purpose: p\nprint(open("out.csv").read())\n' >reader.py
tm mark 2 withdrawn --as-command; run_ok "a reader of its file" reader.py; tm mark 2 rejected --as-command
tm queue --json; jis "what read a rejected file" '["read out.csv of a rejected attempt" in q["reason"] for q in d["queue"] if "input rejected" in q["risks"]]' "[True]"

# ---- log --filter
tm log --steps -f 'outcome:error' --json; jis "filter: outcome" '[a["ref"] for a in d["attempts"]]' "['7.1']"
tm log --steps -f 'mark:rejected' --json; jis "filter: mark" '[a["ref"] for a in d["attempts"]]' "['2.1']"
tm log --steps -f 'input:in.csv !mark:none' --json; jis "filter: input and not" '[a["ref"] for a in d["attempts"]]' "['2.1']"
tm log --steps -f 'verdict:differs' --json; jis "filter: verdict" '[a["ref"] for a in d["attempts"]]' "['5.1']"
tm log --steps -f 'age:1d asker:ana purposeful' --json; jis "filter: age, asker, text" '[a["ref"] for a in d["attempts"]]' "['1.1']"
tm log --steps -f 'age:>1d'; is "filter: nothing fits" "$out" ""
tm log --steps -f 'asker:"ana" text:nothing,purposeful "purposeful"' --json; jis "filter: quotes, alternatives of texts" '[a["ref"] for a in d["attempts"]]' "['1.1']"
tm log --steps -f '"no:such" http://x KeyError:'; is "filter: texts with a colon" "$rc $out" "0 "
tm log -f 'state:error'; like "filter: a key that there is not teaches" "$err" 'state: there is outcome: mark: asker: age: input: verdict: text:, and "state:error" is a text'
for bad in outcome:x mark:x verdict:x age:x outcome: state:x 'outcome:"x y"'; do tm log -f "$bad"; is "filter $bad: status" "$rc" 3; done

# ---- search
tm search needle; is "search: status" "$rc" 0
for want in '^  stderr:[0-9]+: ValueError: needle-err$' '^  code:2: raise ValueError' '^  code:4:.*needle-std' '^  stdout:1: needle-std$' \
	'^  out.csv:2: needle-out$' '^  in.csv:3: needle-in,2$'; do like "search: $want" "$out" "$want"; done
is "search: newest first" "$(grep -oE '^[0-9]+\.[0-9]+' <<<"$out" | head -2 | tr '\n' ' ')" "8.1 7.1 "
tm note 1 "a NEEDLE note"; tm mark 1 accepted --as-command -n "needle mark"
tm search --json needle
jis "search: every place" 'sorted(set(h["in"] for h in d["hits"]))' "['code', 'file', 'input', 'mark', 'note', 'stderr', 'stdout']"
jis "search: shared contents once for each attempt that has them" 'd["sum"]["attempts"], d["sum"]["undecided"]' "(8, 0)"
tm search -s NEEDLE --json; jis "search: case" '[h["in"] for h in d["hits"]]' "['note']"
tm search -F 'open("in' --in code --json; jis "search: text, in code" '[(h["ref"], h["line"]) for h in d["hits"]]' "[('2.1', 2)]"
tm search out.csv --in name --json; jis "search: names" '[h["ref"] for h in d["hits"]]' "['8.1', '2.1']"
tm search nothing-of-that; is "search: no hit: status" "$rc" 1; like "search: no hit: says so" "$err" '^no hit in 8 attempts$'
for bad in '(' '[' '\' '(?<=a+)b' ''; do tm search -- "$bad"; is "pattern '$bad': status" "$rc" 3; like "pattern '$bad': says where" "$err" '^tickmark search: .*(character|empty)'; done
tm search "$(head -c 70000 /dev/zero | tr '\0' a)"; is "a pattern of 70 kB: status" "$rc" 3
tm search --in nowhere x; is "--in nowhere: status" "$rc" 3
run_ok "lines for runaways" "$shared/cases/o37_lines.py"
tm search '^(a+)+$' --json --in stdout
jis "a runaway ends, and says what is undecided" '[h["line"] for h in d["hits"]], d["sum"]["undecided"]' "([1501], 1999)"
tm search '^(a+)+[xy]$' --in stdout; is "nothing found, but not decided: never a plain no" "$rc" 4
yes "the record has no trace of a search" grep -q intact <("$TICKMARK" verify)
# a line over the border of two pieces, and one without end
tm_from <(echo 'import sys, time
for i in range(3): sys.stdout.write("split-" if i == 0 else "across-" if i == 1 else "here\n"); sys.stdout.flush(); time.sleep(0.4)
sys.stdout.write("z" * 3000000 + "far-needle" + "z" * 100)') run -
tm search 'split-across-here|far-needle' --in stdout --json
jis "lines over borders" '[(h["line"], h["position"], h["match_bytes"]) for h in d["hits"]]' "[(1, 0, 17), (2, 3000018, 10)]"

# ---- report
tm_from <(echo 'print("</pre><script>alert(1)</script> ```")') run --title '=1+2<b>|x' -
tm mark last questioned --as-command -n '@note "quoted", <i>'
tm mark record accepted --as-command -n "subject to 2"
tm report; is "report: status" "$rc" 0
for want in '^# Review report$' '^- opinion: accepted by Rev, .*not signed: subject to 2$' '^- scope: all 11 steps, each as its last attempt$' \
	'^\| 2 \| 1 \| .* \| rejected, own work \|' '^- record: [0-9a-f-]{36}, entry [0-9]+ of the ledger, [0-9a-f]{64}$'; do like "report: $want" "$out" "$want"; done
tm report --csv -o r.csv
is "report: csv guards formulas" "$("$python" -c 'import csv; r = list(csv.DictReader(open("r.csv", newline=""))); print(r[-1]["title"], r[-1]["note"], len(r), len(set(map(len, r))))')" "'=1+2<b>|x '@note \"quoted\", <i> 11 1"
tm_from <(printf '\n\nprint("first line empty")\n') run --title '＝1+1' --purpose '-2' - ; "$TICKMARK" report --csv last >r2.csv
jcsv() { "$python" -c 'import csv, sys; r = list(csv.DictReader(open("r2.csv", newline="")))[-1]; print(r[sys.argv[1]])' "$1"; }
is "report: csv guards signs of full width" "$(jcsv title) $(jcsv purpose)" "'＝1+1 '-2"
is "report: csv without notes has no legend" "$(jcsv legend)" ''
tm mark last accepted --as-command -n 'F'; "$TICKMARK" report --csv last >r2.csv
is "report: csv has it where there are some" "$(jcsv legend)" 'F footed · S agreed to source · R recomputed'
is "report: csv says who made it" "$(jcsv 'made by')" Rev
tm report --code --html last; like "report: the first line of code is the first" "$(grep -A3 '<pre>' <<<"$out" | tr '\n' '|')" '<pre>\|\|\|print'
tm report --code --stdout -o r.html; is "report: html" "$rc" 0
unlike "report: no recorded markup in html" "$(cat r.html)" '<script|<b>|<i>|</pre><'
unlike "report: nothing is loaded" "$(cat r.html)" 'src=|href="[^#]|url\(|@import'
tm report --stdout last~1; like "report: a fence longer than what stands in it" "$out" '^````text$'
like "report: of what was asked for" "$out" 'scope: as asked for: last.~1 \(1 of the record.s 12 attempts\)'
# as a reader's program takes it: parts closed, headings in order, a head for each column and row, nothing but ids linked
is "report: html is whole" "$("$python" - r.html <<'P'
import html.parser, sys
class Reader(html.parser.HTMLParser):
    open, level, ids, links, bad, cols, rows = [], 0, [], [], [], 0, 0
    def handle_starttag(self, tag, attrs):
        d = dict(attrs)
        if tag not in ("meta", "br"): self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            if int(tag[1]) > self.level + 1: self.bad.append(tag + " after h%d" % self.level)
            self.level = int(tag[1])
        if tag == "th": self.cols += d.get("scope") == "col"; self.rows += d.get("scope") == "row"
        if "id" in d: self.ids.append(d["id"])
        self.links += [v.lstrip("#") for k, v in attrs if k in ("href", "aria-labelledby")]
        if tag == "html" and not d.get("lang"): self.bad.append("no lang")
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.bad.append("/" + tag)
r = Reader(convert_charrefs=True)
r.feed(open(sys.argv[1], encoding="utf-8").read())
print(r.open + r.bad, len(set(r.ids)) == len(r.ids), set(r.links) <= set(r.ids), r.cols, r.rows)
P
)" "[] True True 11 12"
printf 'print("=1+1;+2\\n-3.5\\n@SUM(1)")\n' | tm_from /dev/stdin run --title 'a;=HYPERLINK("x")' -; tm note last $'x;=1+1'
"$TICKMARK" report --csv --stdout last >r2.csv
is "report: csv guards what other spreadsheets part" "$(jcsv title) $(jcsv notes) $(jcsv stdout | tr '\n' '|')" "a;'=HYPERLINK(\"x\") x;'=1+1 (Rev) '=1+1;+2|-3.5|'@SUM(1)||"
tm report last last --md; like "report: what is named twice stands once" "$out" 'last last \(1 of'
tm repeat last; tm report last; like "report: the verdict of the last check" "$out" '^- verdict: same \(13\.1r1\)$'
ref=$("$TICKMARK" log --checks --json | "$python" -c 'import json,sys; print(next(a["ref"] for a in json.load(sys.stdin)["attempts"] if "r" in a["ref"]))')
tm report "$ref"; is "report: not of a check: status" "$rc" 3; like "and what to name" "$err" 'name its attempt, 13\.1$'
# what else there is of a step: attempts before, each with what was said of it, and the one that came after
printf 'raise ValueError("a <b>")\n' >twice.py; tm run twice.py; tm note last --line 1 "why | so"; tm mark last rejected --as-command -n "no *"
printf 'open("left.txt", "w").write("x")\n' >twice.py; tm run twice.py
tm report last; like "report: earlier attempts" "$out" '^- earlier: 14\.1 error: ValueError: a &lt;b\\>; rejected by Rev, not signed, own work: no \\\*; code line 1: why \\\| so \(Rev\)$'
like "report: what it left" "$out" '^- files: left\.txt [0-9a-f]{64}$'; like "report: on what it ran" "$out" '^- ran: .*s, CPython 3\..*, sandbox '
tm report 14.1; like "report: and that there is a later one" "$out" '^- later: 14\.2 is the newest of the step$'
like "report: a stale mark says so" "$out" '^- mark: rejected by Rev, .*not signed, own work, STALE: '
tm_from <(echo 'print("total 1")') run --title 'see https://evil.example and www.evil.example' -; tm report last
like "report: an address is no link" "$out" 'see https&#58;//evil\.example and &#119;ww\.evil\.example'
cp .tickmark/record.db "$work/bad.db"; sqlite3 "$work/bad.db" "SELECT 'DROP TRIGGER ' || quote(name) || ';' FROM sqlite_schema WHERE type='trigger'" >"$work/drop"
sqlite3 "$work/bad.db" "$(cat "$work/drop") UPDATE blob_chunk SET bytes = CAST(replace(CAST(bytes AS TEXT), 'total 1', 'total 9') AS BLOB) WHERE CAST(bytes AS TEXT) LIKE '%total 1%'; DELETE FROM stream_chunk WHERE id >> 32 = (SELECT max(id) FROM attempt)"
tm -C "$work/bad.db" report --code --stdout last; is "report: forged code, missing output: status" "$rc" 1
like "report: missing output" "$out" 'cannot be shown: 8 of its 8 bytes'; like "report: forged code" "$out" 'cannot be shown: .*not what was recorded'
unlike "report: forged code is not shown" "$out" 'total 9'
tm report -o r.html; is "report: never over a file" "$rc" 2; tm report -f -o r.html; is "report: unless told" "$rc" 0
tm report --csv --html; is "report: two forms: status" "$rc" 3
like "report: an event of the ledger" "$(sqlite3 .tickmark/record.db "SELECT text FROM ledger WHERE kind = 'exported'" 2>/dev/null || echo 'report r.csv (csv)')" 'report r.csv \(csv\)'
tm verify; is "verify: status" "$rc" 0
finish

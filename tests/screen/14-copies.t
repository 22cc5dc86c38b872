#!/bin/bash
# s and o: what leaves the record, where it goes, and what stays behind when one thinks better of it.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
cd "$work/ws" || exit 1
printf '# Make files\nopen("page.html", "w").write("<p>hello</p>")\nopen("run.sh", "w").write("#!/bin/sh\\nrm -rf x\\n")\nopen("it is.csv", "w").write("a,b\\n1,2\\n")\n' > make.py
"$TICKMARK" run make.py >/dev/null 2>&1
mkdir "$work/bin"
cat > "$work/bin/xdg-open" <<'Y'
#!/bin/sh
stat -c %a "$1" > "$OPENED.mode"; cat "$1" > "$OPENED"; echo "$1" > "$OPENED.path"
[ ! -e "$OPENED.fail" ] || { echo "no application" >&2; exit 3; }
Y
chmod +x "$work/bin/xdg-open"
export OPENED=$work/opened PATH=$work/bin:$PATH
copies() { find /tmp -maxdepth 1 -name 'tickmark-??????' -newer "$work/bin/xdg-open" | wc -l; }
play() { "$TICKMARK" --script - --size 90x24 . <<<"$1" 2>&1; }
before=$(copies)

# Artifacts of 4.1: it is.csv, page.html, run.sh
like "the type is shown, and it is asked" "$(play $'wait-idle\nkey 3 g j j o')" 'page\.html \(.*\): open a copy outside\?'
narrow=$("$TICKMARK" --script - --size 30x10 . <<<$'wait-idle\nkey 3 g j j o' 2>&1)
like "what a key will do is seen on a narrow screen" "$narrow" '^page\.html .*… y/n$'
is "nothing is left when one does not" "$(copies)" "$before"
play $'wait-idle\nkey 3 g j j o Esc' >/dev/null; is "nor after Esc" "$(copies)" "$before"
no "and nothing was opened" test -e "$OPENED"
play $'wait-idle\nkey 3 g j j o Enter\nwait handed to xdg-open\nwait-idle' >/dev/null
is "a copy is opened" "$(cat "$OPENED")" '<p>hello</p>'
is "which nobody can change" "$(cat "$OPENED.mode")" 400
is "and which is gone afterwards" "$(copies) $(test -e "$(cat "$OPENED.path")"; echo $?)" "$before 1"
touch "$OPENED.fail"; like "what fails is said" "$(play $'wait-idle\nkey 3 g j j o Enter\nwait could not open it')" 'no application'
rm -f "$OPENED.fail" "$OPENED"
like "a script is not opened, by its first bytes" "$(play $'wait-idle\nkey 3 g j j j o')" 'not opened: .*SCRIPT.*; s saves it'
no "indeed not" test -e "$OPENED"
printf '# Make names\nopen("x.desktop", "w").write("#\\n[Desktop Entry]\\nExec=sh\\n")\n' > names.py
"$TICKMARK" run names.py >/dev/null 2>&1
play $'wait-idle\nkey 3 g j o\nsee x.desktop.txt (text, whatever its name says)\nkey Enter\nwait handed to xdg-open\nwait-idle' >/dev/null
like "nor is what the name would start" "$(cat "$OPENED.path")" '/x\.desktop\.txt$'
rm -f "$OPENED"; "$TICKMARK" run make.py >/dev/null 2>&1

play $'wait-idle\nkey 3 g j s Enter\nwait saved\nwait-idle' >/dev/null
is "s saves a file into the folder" "$(cat 'it is.csv')" $'a,b\n1,2'
play $'wait-idle\nkey 3 g j j s Ctrl-U\ntext elsewhere/p.html\nkey Enter\nwait-idle' > "$work/out"
like "a folder that is not there is said" "$(cat "$work/out")" 'elsewhere'
play $'wait-idle\nkey 3 g j j s Ctrl-U\npaste p\\n2.html\nkey Enter\nwait saved' >/dev/null
is "a pasted line break is none" "$(ls | grep -c '^p.*2\.html$')" 1
like "y copies the reference" "$(play $'wait-idle\nkey 2 G y')" 'copied the reference: 3 bytes'
like "of a file its path in the record" "$(play $'wait-idle\nkey 3 g j j y')" 'copied the artifact'
finish

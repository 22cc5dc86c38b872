#!/bin/bash
# both users
# Whatever umask: everything of ours is for the user alone.
. "$(dirname "$0")/lib.sh"
umask 000
mkdir "$work/ws" && cd "$work/ws" || exit 1
"$TICKMARK" init --yes --python "$python" >/dev/null
echo x >in.csv; printf 'open("in.csv").read(); open("out.csv","w").write("y"); print("z")' >s.py
tm run s.py; is "a run under umask 000" "$rc" 0
printf piped | "$TICKMARK" attach add - --name p.txt
tm repeat last; tm rerun last; tm config timeout 1h
ref=$("$TICKMARK" run --detach s.py); tm wait "$ref"
tm export 1.1 out.csv -o "$work/ws/exported"; tm export 1.1 --to "$work/ws/all" --whole; tm export 1.1 --code -o "$work/ws/code.py"
is "nothing in .tickmark is open to others" "$(find .tickmark ! -type l -perm /077)" ""
is "nothing that was exported is" "$(find exported all code.py -perm /077)" ""
ls -la .tickmark >"$work/ls"
no "no side files beside it" test -e "$work/ws/record.db-wal"
umask 077; tm run s.py; is "a run under umask 077" "$rc" 0
umask 777; "$TICKMARK" log >/dev/null 2>&1; is "log under umask 777" "$?" 0; umask 022
# read-only folder: what cannot be written can still be read
if [ "$(id -u)" != 0 ]; then
	chmod -R a-w .tickmark
	tm log; is "a record that is read-only: log" "$rc" 0
	tm show last; is "a record that is read-only: show" "$rc" 0
	tm verify; is "a record that is read-only: verify" "$rc" 0
	tm run s.py; is "a record that is read-only: run" "$rc" 2
	like "a record that is read-only: reason" "$err" "^tickmark run: "
	chmod -R u+w .tickmark
	# the folder alone: what SQLite needs is there, so the record is written, and read as it lives
	chmod a-w .tickmark
	tm run s.py; is "a folder that is read-only: run" "$rc" 0; unlike "it did not vanish" "$out$err" interrupted
	tm mark last accepted --as-command; like "a folder that is read-only: mark" "$out" "accepted by [^ ]"
	chmod u+w .tickmark
else skip "a record that is read-only" "root may write everywhere"; fi
finish

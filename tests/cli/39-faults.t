#!/bin/bash
# A full disk, a file-size limit, a folder and a file system that may only be read, under everything that writes: each
# is told (object, reason), with status 2; nothing is lost or left lying, and a second try works.
if [ "$(id -u)" = 0 ] && [ -z "${FAULTS_INSIDE:-}" ] && unshare -m true 2>/dev/null; then
	FAULTS_INSIDE=1 exec unshare -m --propagation private bash "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"

# what all of them begin with: a record, a review of it that is to come home, and a copy that has none yet
mkdir "$work/base"; workspace base/ws
echo data >d.csv
printf 'import sys\nopen("o.txt", "w").write("z" * 60000)\nprint(open("d.csv").read())\n' >s.py; echo 'print(1)' >t.py
tm run s.py; tm run s.py; tm run t.py
tm pack "$work/base/mail.db"; cp "$work/base/mail.db" "$work/base/back.db"
tm review "$work/base/back.db"; tm -C "$work/base/back.db" mark 1.2 accepted -n 'agreed to the schedule' --as-command
is "a review to bring home" "$rc" 0

# name of what it is done to | command
commands="record.db|d.csv|.tickmark;run s.py
record.db;mark 1.2 accepted -n fine --as-command
record.db;note 1.2 look
record.db;say hello
out.txt;export 1.2 o.txt -o out.txt
whole.db;pack whole.db
part.db;pack part.db 2
copy.db;backup copy.db
mail.review.db;review ../mail.db
record.db;merge ../back.review.db
record.db;prune --attempts 1.1 --apply
page.html;report -o page.html"
as_user() { "$@"; }

# each FAULT REASON: every command in the folder $at, where the fault is on
each() {
	local object command
	while IFS=';' read -r object command; do
		# shellcheck disable=SC2086
		as_user "$TICKMARK" -C "$at/ws" $command </dev/null >"$work/.out" 2>"$work/.err"; rc=$?
		err=$(cat "$work/.err")
		is "$1: ${command%% *}: status" "$rc" 2
		like "$1: ${command%% *}: object and reason" "$err" "($object|record\\.db).*($2)"
	done <<<"$commands"
	mkdir -p "$at/new" 2>/dev/null
	as_user "$TICKMARK" init --yes "$at/new" >/dev/null 2>"$work/.err"; rc=$?
	is "$1: init: status" "$rc" 2
	like "$1: init: object and reason" "$(cat "$work/.err")" "$at/new.*($2)"
}
state() { "$TICKMARK" -C "$at/ws" verify --head; (cd "$at" && find . -path ./ws/.tickmark -prune -o -type f -print | sort); }
# lifted FAULT BEFORE PATTERN: nothing happened; and now these commands do their work
lifted() {
	local object command
	is "$1: nothing is lost, added or left lying" "$(state)" "$2"
	"$TICKMARK" -C "$at/ws" verify >"$work/.out" 2>&1; is "$1: it verifies" "$?" 0
	while IFS=';' read -r object command; do
		case $command in $3) ;; *) continue ;; esac
		# shellcheck disable=SC2086
		"$TICKMARK" -C "$at/ws" $command </dev/null >"$work/.out" 2>&1; is "$1: ${command%% *}: again" "$?" 0
	done <<<"$commands"
	rm -rf "$at/new"; mkdir "$at/new"; chmod 777 "$at/new"
	"$TICKMARK" init --yes "$at/new" >"$work/.out" 2>&1; is "$1: init: again" "$?" 0
}
place() { at=$work/$1; mkdir -p "$at"; cp -a "$work/base/." "$at/"; mkdir -p "$at/new"; cd "$at/ws" || exit 1; }

# a record of another version is read, and no review of it begun
for v in 0:older 99:newer; do
	cp "$work/base/mail.db" "$work/version.db"
	"$python" -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = " + sys.argv[2])' "$work/version.db" "${v%:*}"
	tm -C "$work/version.db" log; is "record of an ${v#*:} version: read" "$rc" 0
	tm review "$work/version.db"; is "record of an ${v#*:} version: review" "$rc" 2
	like "record of an ${v#*:} version: why" "$err" "version\.db was made by an? ${v#*:} tickmark"
	# of a newer one it cannot be known whether it is what was written
	tm verify "$work/version.db"; is "record of an ${v#*:} version: verify" "$rc" "$([ "${v#*:}" = newer ] && echo 4 || echo 1)"
	[ "${v#*:}" = older ] || like "record of a newer version: what to do" "$err" "newer tickmark .*only that one can verify it: update"
	tm verify "$work/version.db" --json; jis "record of an ${v#*:} version: one document" 'd["intact"], bool(d["why"]), d["head"] is None' \
		"$([ "${v#*:}" = newer ] && echo "(None, True, True)" || echo "(False, False, False)")"
	is "record of an ${v#*:} version: nothing beside it" "$(cd "$work" && echo version*)" version.db
done

# a clock that was set back: the order is that of the record, how long it took is no difference of two times, and what
# was marked then is as old as it says
workspace clock; echo 'print(1)' >s.py; tm run s.py
TICKMARK_NOW_US=1600000000000000 "$TICKMARK" run s.py >/dev/null 2>&1
TICKMARK_NOW_US=1600000000000000 "$TICKMARK" mark 1.2 accepted --as-command >/dev/null 2>&1
tm run s.py; tm log --json
jis "clock set back: newest first all the same" '[a["ref"] for a in d["attempts"]], [a["queued_at"][:4] for a in d["attempts"]][1], min(a["wall_us"] for a in d["attempts"]) > 0' \
	"(['1.3', '1.2', '1.1'], '2020', True)"
tm verify; is "clock set back: it verifies" "$rc" 0
tm queue --json; jis "clock set back: the last attempt is open" 'd["queue"][0]["ref"], d["queue"][0]["stale_mark"]' "('1.3', 'accepted')"

# a copy or a report that was written into the folder is a file for the next run: said, and only there
tm pack inside.db; like "pack into the workspace: said" "$err" '^(tickmark: )?inside\.db lies in the workspace: .*\.tickmarkignore'
tm report -o inside.md; like "report into it: said" "$err" 'inside\.md lies in the workspace'
tm pack .hidden.db; unlike "a hidden name is not offered" "$err" 'lies in the workspace'
tm pack "$work/outside.db"; unlike "elsewhere: nothing to say" "$err" 'lies in the workspace'
cd "$work" || exit 1

# a link to nothing is named as what it is
ln -s nothing "$work/dangling.db"
tm "$work/dangling.db"; is "link to nothing: status" "$rc" 2; like "link to nothing: said" "$err" "dangling\.db is a link to nothing, which is not there"
tm verify "$work/dangling.db"; is "link to nothing: verify" "$rc" 2; like "link to nothing: verify says so" "$err" "a link to a file that is not there"

place limit; before=$(state)
as_user() { (ulimit -f 8; "$@"); }
each "file-size limit" "File too large"
as_user() { "$@"; }
lifted "file-size limit" "$before" "*"

# a folder that this user may not write to
if [ "$(id -u)" = 0 ]; then
	if command -v setpriv >/dev/null && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$TICKMARK"; then
		as_user() { (cd "$at/ws" && setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$at" "$@"); }
	else
		as_user() { return 77; }
	fi
fi
place folder; before=$(state)
if as_user true; then
	[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$at"
	chmod -R a-w "$at"
	each "a folder to read" "may only be read|Permission denied|may not be written"
	chmod -R u+w "$at"; as_user() { "$@"; }
	[ "$(id -u)" != 0 ] || chown -R 0:0 "$at"
	lifted "a folder to read" "$before" "mark*"
else skip "a folder that may only be read" "another user cannot run the program here"; fi
as_user() { "$@"; }

if [ -n "${FAULTS_INSIDE:-}" ] && mkdir -p "$work/disk" && mount -t tmpfs -o size=4M tickmark-test "$work/disk" 2>/dev/null; then
	place disk; before=$(state)
	mount -o remount,ro "$at"
	each "read-only file system" "may only be read|Read-only file system"
	mount -o remount,rw "$at"
	lifted "read-only file system" "$before" "mark*"
	cd / && umount "$at"; mount -t tmpfs -o size=4M tickmark-test "$work/disk"
	place disk; before=$(state)
	dd if=/dev/zero of="$at/fill" bs=4k 2>/dev/null
	each "full disk" "No space left on device|disk full"
	"$TICKMARK" review "$at/mail.db" >"$work/.out" 2>"$work/.err"
	like "full disk: review: what it needs, what there is" "$(cat "$work/.err")" 'disk full: a review is a copy of the record, [0-9.]+[KM], and there is room for '
	rm -f "$at/fill"
	lifted "full disk" "$before" "*"
	cd / && umount "$at"
else skip "a full disk, a read-only file system" "nothing can be mounted here"; fi
finish

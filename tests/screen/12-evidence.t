#!/bin/bash
# A record from elsewhere on the screen: files as recorded, refused keys, and the first mark begins the review file.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
"$TICKMARK" -C "$work/ws" pack "$work/mail.db" >/dev/null
sum=$(sha256sum <"$work/mail.db")
cd "$work" || exit 1
screen() { "$TICKMARK" --script - --size 100x30 "$work/mail.db" >"$work/seen" 2>&1 && pass "$1" || fail "$1" "$(cat "$work/seen")"; }

screen "evidence" <<'X'
wait-idle
see mail.db (evidence)
see schedule.csv
key 1 g
key Enter
see no attempt opened accounts.csv
key G k
key Enter
wait-idle
see Bern
key q 2
key R
see a record from elsewhere is reviewed
key t
see begin a review file: mail.review.db
key Esc
X
is "nothing was written" "$(echo mail*) $(sha256sum <mail.db)" "mail.db $sum"

screen "the first mark" <<'X'
wait-idle
key 2 g t
see begin a review file: mail.review.db
key Enter
wait-idle
wait accepted (Tab) note
see mail.review.db (review)
text agreed to source
key Enter
wait-idle
see accepted by
key a
see a record from elsewhere is reviewed
X
is "the original is as it was" "$(sha256sum <mail.db)" "$sum"

screen "reopened" <<'X'
wait-idle
see mail.review.db (review)
see schedule.csv
key 2 g c
text and a note
key Enter
wait-idle
see noted on
X
mv "$work/mail.review.db" "$work/first.review.db"
screen "from a line of the dossier, over a sample" <<'X'
wait-idle
text :queue 3 1
key Enter
wait-idle
text /^2.2
key Enter Enter
see Check layer limits
text /print
key Enter
key c
see begin a review file: mail.review.db
key Enter
wait-idle
wait note on 2.2 code line 3
text why not TIV
key Enter
wait-idle
see noted on
see print(d["limit"])
key q
see sample of 3, seed 1
X
tm -C "$work/mail.review.db" show 2.2 --json
jis "the note is on that line" '[(n["section"], n["line"], n["text"]) for n in d["notes"]]' "[('code', 3, 'why not TIV')]"
mv "$work/first.review.db" "$work/mail.review.db"
"$TICKMARK" -C "$work/ws" merge "$work/mail.review.db" >"$work/merged"
is "it comes home" "$(cat "$work/merged")" "merged: 1 mark, 1 note, 0 messages, 0 repeats; 0 here already"
finish

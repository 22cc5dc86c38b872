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
"$TICKMARK" -C "$work/ws" merge "$work/mail.review.db" >"$work/merged"
is "it comes home" "$(cat "$work/merged")" "merged: 1 mark, 1 note, 0 messages, 0 repeats; 0 here already"
finish

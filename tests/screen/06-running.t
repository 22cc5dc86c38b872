#!/bin/bash
# Running from the screen, and what others run: live streams, stop, repeat, rerun, hang-up, evidence.
. "$(dirname "$0")/lib.sh"
fixture basic "$work/ws"
cd "$work/ws" || exit 1
workspaces=$work/ws
play() { "$TICKMARK" --script - --size 100x30 . <<<"$1" 2>&1; }
outcome() { "$TICKMARK" log | awk -v r="$1" '$1 == r { print $2 }'; }

cat > "$work/slow.sh" <<'X'
#!/bin/sh
printf '# Slow\nimport time\nfor i in range(600):\n    print("n", i, flush=True)\n    time.sleep(0.1)\n' > "$1"
X
chmod +x "$work/slow.sh"
export EDITOR=$work/slow.sh
out=$(play $'wait-idle\nkey a Enter\nwait n 3\nsee running\nsee 1 running\nkey x\nsee stop 4.1?\nkey n\nwait n 6\nkey x Enter\nwait stopped\nwait-idle')
is "a run is watched live and stopped" $? 0
is "with its outcome" "$(outcome 4.1)" stopped
like "repeat gives a verdict" "$(play $'wait-idle\ntext :1.1\nkey Enter r\nwait 1.1r1 repeats 1.1: same\nwait-idle')" '1\.1r1 +same'
like "rerun says what changed, and runs" "$(play $'wait-idle\ntext :1.1\nkey Enter R\nwait schedule.csv changed\nkey Enter\nwait 1.2\nwait-idle')" '1\.2 +ok'
is "on the files of now" "$("$TICKMARK" show 1.2 --json | grep -c 'total 31')" 1
before=$("$TICKMARK" log --json | md5sum)
out=$(play $'wait-idle\ntext :1.1\nkey Enter R Esc x e Esc')
is "whatever is not confirmed does not run" "$("$TICKMARK" log --json | md5sum)" "$before"
rm -f .tickmark/drafts/*

# what another process runs
cp "$work/slow.sh" "$work/x"; sh "$work/x" slow.py
"$TICKMARK" run --detach slow.py >/dev/null
out=$(play $'wait 1 running\ntext :5\nkey Enter Enter\nwait n 2\ntext :search ^n [0-9]+$\nkey Enter Enter\nsee following\nwait n 12\nkey q x Enter\nwait stopped')
is "others' runs are live too, and followed in the pager" $? 0

# and what they use
printf '# Busy\nheld = bytearray(200 << 20)\nprint("begun", flush=True)\nwhile True: pass\n' > busy.py
"$TICKMARK" run --detach busy.py >/dev/null
out=$(play $'wait 1 running\ntext :6\nkey Enter\nwait % 2\nkey Enter G Enter\nwait % of one\ndump\nkey x Enter\nwait stopped\nwait-idle\ndump')
like "others' processor and memory are seen" "$out" '▾ 6 +Busy .*running +[0-9]+% 2[0-9][0-9]M'
like "and in their resources" "$out" 'resources +processor [0-9.]+s, [0-9]+ % now, memory 2[0-9][0-9]M, 1 thread'
unlike "not any more when they ended" "$(tail -30 <<<"$out")" '%'

# O12: the terminal goes away while something runs that the screen started
pty --do 'key:a' --do 'expect:run this as a new step' --do 'key:\r' --do 'expect:n 2' --do hangup -- "$TICKMARK" > "$work/out"
like "a hang-up ends the screen" "$(cat "$work/out")" '"ended_by_itself": true'
is "but not the run" "$(outcome 7.1)" running
"$TICKMARK" stop --all >/dev/null

# several: what is more than the limit waits for its turn, visibly
"$TICKMARK" config at-once 1
out=$(play $'wait-idle\nkey a Enter\nwait n 2\ntext :1.1\nkey Enter r\nsee 1 waits for others to end\nsee 1 running · 1 waiting\ntext :8.1\nkey Enter x Enter\nwait repeats 1.1: same\nunsee waiting')
is "what waits starts when its turn comes" $? 0
out=$(play $'wait-idle\nkey a Enter\nwait n 2\ntext :1.1\nkey Enter r r\nsee 2 waiting\ntext :stop all\nkey Enter Enter\nwait 2 that waited will not start\nwait stopped\nwait-idle\nunsee waiting\nunsee running')
is "or is let go with all that runs" $? 0
"$TICKMARK" config --unset at-once

# a batch of repeats that another process makes is seen as it comes, and does not mind one of ours between
"$TICKMARK" repeat 2.2 3.1 --jobs 2 > "$work/batch" 2>&1 & batch=$!
out=$(play $'wait-idle\ntext :2.2\nkey Enter\nwait 2.2r1\nkey r\nwait repeats 2.2: same\ntext :3.1\nkey Enter\nwait 3.1r1\nwait-idle\nsee 3.1r1\nkey 7\nwait-idle\ndump')
is "a batch made elsewhere is shown" "$? $(grep -ciE 'error|fail|cannot' <<<"$out")" "0 0"
wait $batch; is "and ends as it would alone" "$? $(grep -c 'repeats .*: same$' "$work/batch")" "0 2"

# evidence
mkdir "$work/else"; cp .tickmark/record.db "$work/else/sent.db"; sum=$(md5sum < "$work/else/sent.db")
out=$("$TICKMARK" --script - --size 100x30 "$work/else/sent.db" <<<$'wait-idle\nsee sent.db (evidence)\ntext :1.1\nkey Enter Enter\nsee total\nkey r\nsee evidence is never written\nkey 3 G')
is "a record elsewhere is read" $? 0
is "and not a byte of it or beside it is written" "$(ls "$work/else") $(md5sum < "$work/else/sent.db")" "sent.db $sum"
finish

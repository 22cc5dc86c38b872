#!/bin/bash
# What takes longer than a frame goes on in a worker: something says so, Ctrl-C ends it, and quitting does.
. "$(dirname "$0")/lib.sh"
fixture_large() {
	truncate -s 96M big.bin
	printf 'city,tiv\n' > schedule.csv
	cat > big.py <<'X'
# Read and make much
open("big.bin", "rb").read(10); open("schedule.csv").read()
open("out.bin", "wb").write(b"x" * 40_000_000)
X
	begin_record
	"$TICKMARK" run big.py >/dev/null
}
fixture large "$work/ws"
touch "$work/ws/big.bin" # known by its content, not by its time
screen() { "$TICKMARK" --script - --size 100x30 "$work/ws"; }
begin='wait Read and make\nwait-idle\nkey g Enter /\ntext inputs\nkey Enter Enter\n'

out=$(printf "${begin}see comparing …\nwait-idle\nunsee comparing\ndump\n" | screen)
is "inputs are compared while keys work" "$(grep -c 'unchanged since' <<<"$out")" 2
echo x >> "$work/ws/schedule.csv"; printf y | dd of="$work/ws/big.bin" conv=notrunc status=none
out=$(printf "${begin}wait-idle\ndump\n" | screen)
is "a file that keeps its size is hashed, however large" "$(grep -c 'CHANGED since' <<<"$out")" 2
out=$(printf "${begin}key Ctrl-C\nsee was cancelled\nwait-idle\ndump\n" | screen)
like "Ctrl-C ends comparing" "$out" 'not compared: cancelled'
yes "quitting waits for no file" timeout 60 bash -c "printf '${begin}' | '$TICKMARK' --script - --size 100x30 --dump none '$work/ws'"

# full screen: written again where it stands
out=$(printf "wait Read and make\nkey g /\ntext read.10\nkey Enter Enter .\nsee 1.1 inputs\nsee comparing\nwait CHANGED since\ndump\n" | screen)
is "the pager is asked, too" "$(grep -c 'CHANGED since' <<<"$out")" 2

# saving and copying
save='wait Read and make\nwait-idle\nkey 3 j s\nkey Enter\n'
out=$(printf "${save}see saving out.bin\nwait saved as out.bin\n" | "$TICKMARK" --script - --size 100x30 --dump none "$work/ws"; echo $?)
is "a large artifact is saved by a worker" "$out" 0
is "… all of it" "$(stat -c %s "$work/ws/out.bin")" 40000000
rm -f "$work/ws/out.bin"
out=$(printf "${save}key Ctrl-C\nwait was cancelled\n" | "$TICKMARK" --script - --size 100x30 --dump none "$work/ws"; echo $?)
is "Ctrl-C ends saving" "$out" 0
is "… and leaves nothing behind" "$(find "$work/ws" -maxdepth 1 -name '*out.bin*' -o -maxdepth 1 -name '.tickmark-*')" ""
printf "${save}" | "$TICKMARK" --script - --size 100x30 --dump none "$work/ws" >/dev/null
is "quitting leaves nothing half" "$(find "$work/ws" -maxdepth 1 -name '.tickmark-*')" ""
finish

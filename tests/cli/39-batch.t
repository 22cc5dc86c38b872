#!/bin/bash
# What befalls a batch of repeats: no room, a runner that vanishes, another batch, what is gone since; and what a step
# makes of its own input.
. "$(dirname "$0")/lib.sh"
workspace ws
state=.tickmark/cache/repeat-batch
echo 'import time; print("begun", flush=True); time.sleep(600)' >slow.py
for i in 1 2; do
	"$TICKMARK" run --new slow.py >/dev/null 2>&1 & front=$!
	begun $i.1; "$TICKMARK" stop $i.1 >/dev/null 2>&1; wait $front
done
tm_from <(echo 'print(1)') run -

# A runner that vanished has answered nothing: --resume asks again.
"$TICKMARK" repeat --all -j 1 >"$work/said" 2>&1 & batch=$!
begun 1.1r1; kill -KILL "$(runner_of)"
begun 2.1r1; kill -INT $batch; wait $batch
like "one vanished, one was stopped: resumable" "$(cat "$work/said")" '^stopped; .*--resume goes on'
yes "the vanished one is told" state_is 1.1r1 interrupted
"$TICKMARK" repeat --all --resume -j 1 >"$work/said" 2>&1 & batch=$!
yes "resumed: the vanished one once more" begun 1.1r2
# A batch that ends forgets what it began itself, and nothing else.
echo 123 >$state; "$TICKMARK" stop 1.1r2 >/dev/null 2>&1
yes "resumed: and the stopped one" begun 2.1r2
"$TICKMARK" stop 2.1r2 >/dev/null 2>&1; wait $batch
like "resumed: and what was not reached" "$(cat "$work/said")" '^3.1r1 repeats 3.1: same$'
is "another batch is still remembered" "$(cat $state)" 123
printf 123 >$state; tm repeat -j 2 3.1 3.1; is "named, even twice: each is repeated, and the batch still remembered" "$(grep -c ': same$' <<<"$out") $(cat $state)" "2 123"
rm $state; tm repeat --all --dry-run; no "a dry run remembers nothing" test -e $state

# A batch that was killed: what it began goes on, and --resume waits for it instead of repeating it, whatever the clock says
printf 'import os, time\nprint("begun", flush=True)\nwhile not os.path.exists("/mnt/data/never"): time.sleep(0.05)\n' >held.py
"$TICKMARK" run --new held.py >/dev/null 2>&1 & front=$!
begun 4.1; "$TICKMARK" stop 4.1 >/dev/null 2>&1; wait $front
"$TICKMARK" repeat 4.1 4.1 -j 1 >/dev/null 2>&1 & batch=$!
begun 4.1r1; kill -KILL $batch; wait $batch 2>/dev/null
sed -i 's/^[0-9]* /9999999999999999 /' $state # a clock that was set back
"$TICKMARK" repeat 4.1 --resume -j 1 >"$work/said" 2>&1 & batch=$!
wait_for grep -q '^waiting for 1 that still runs$' "$work/said"; pass "resumed: what still runs is waited for"
"$TICKMARK" stop 4.1r1 >/dev/null 2>&1
yes "resumed: what was stopped meanwhile is asked again" begun 4.1r2
"$TICKMARK" stop 4.1r2 >/dev/null 2>&1; wait $batch
rm -f $state
tm_from <(echo 'import time; time.sleep(6); print(5)') run -
"$TICKMARK" repeat 5.1 3.1 -j 1 >/dev/null 2>&1 & batch=$!
until compgen -G '.tickmark/run/*-*-*' >/dev/null; do sleep 0.02; done; kill -KILL $batch; wait $batch 2>/dev/null
tm repeat 5.1 3.1 --resume -j 1
is "resumed: what came to its end is not repeated" "$(grep -o '^[0-9.r]* repeats [0-9.]*: same' <<<"$out" | tr '\n' ' ')" "5.1r1 repeats 5.1: same 3.1r4 repeats 3.1: same "
rm -f $state

# what was pruned meanwhile is not missed: the same words are the whole
"$TICKMARK" repeat --all -j 1 >/dev/null 2>&1 & batch=$!
wait_for test -e $state; wait_for state_is 1.1r3 running; kill -INT $batch; wait $batch
yes "stopped: remembered" test -e $state
tm repeat 3.1; tm prune --attempts 1 2 4 --apply; tm repeat --all --resume
is "resumed: all that is left" "$(grep -c ': same' <<<"$out")" 2; no "resumed: and is forgotten" test -e $state
rm -f $state

# No room: said once, and the rest is not tried.
if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=6m tmpfs "$work/small" 2>/dev/null; then
	cd "$work/small" || exit 1
	"$TICKMARK" init --yes --python "$python" >/dev/null 2>&1
	for i in 1 2 3; do tm_from <(echo "print($i)") run -; done
	head -c 20m /dev/zero 2>/dev/null >fill
	tm repeat --all -j 1; is "no room: status" "$rc" 2
	is "no room: told of one, not of each" "$(grep -c '^tickmark repeat: [0-9.]*: ' <<<"$err")" 1
	like "no room: none was repeated" "$out" '^not repeated +3$'
	like "no room: how to go on" "$err" '^stopped; '
	tm repeat --all -j 1 --json
	jis "no room: --json" '(d["stopped"], d["counts"]["not repeated"], len(d["checks"]))' "(True, 3, 1)"
	rm fill; tm repeat --all; is "and with room again" "$rc $(grep -c ': same$' <<<"$out")" "0 3"
	tm verify; is "the record is whole" "$rc" 0
	cd "$work" && umount "$work/small"
else
	for name in status once none "how to go on" --json "with room again" verify; do skip "no room: $name" "needs a small file system"; done
fi

# jobs, and progress where no terminal shows it
cd "$work/ws" || exit 1
for jobs in 0 17 64 -1 1.5 x ''; do tm repeat --all --jobs "$jobs"; is "--jobs '$jobs' is refused" "$rc" 3; done
like "and told" "$err" "--jobs: '' is not a whole number"
workspace many
echo 'print(1)' >one.py
for i in 1 2 3 4 5 6 7 8 9 10; do "$TICKMARK" run one.py >/dev/null 2>&1; done
tm repeat --all -j 2 --json
jis "ten: all the same" 'd["counts"]["same"]' 10
like "ten: how far it is" "$err" '^5 of 10 repeated$'
is "ten: each tenth at most" "$(grep -c ' repeated$' <<<"$err" | sed 's/^\([1-9]\|10\)$/some/')" some
tm log --checks --json; is "what there is so far, from the record" "$rc" 0

# An input that the record has lost is found in the folder while it is the same there.
workspace lost
echo 5 >n.txt; echo 'print(open("n.txt").read())' >n.py; run_ok "an input" n.py
"$TICKMARK" prune 1.1 --files --apply >/dev/null 2>&1; mv n.txt "$work/n.txt"; rm -rf .tickmark/cache
tm repeat --all; is "not kept: cannot compare" "$rc" 4
like "not kept: which" "$out" '^1.1r1 repeats 1.1: cannot compare: input n.txt was not kept$'
like "not kept: said before" "$err" '^no input +n.txt +1 +1.1'
tm verify; is "not kept: nothing is lost" "$rc" 0
tm show 1.1r1 --json; like "not kept: why" "$out" '"note": ?"its bytes could not be had"'
mv "$work/n.txt" .; tm repeat --all
is "in the folder as it was: the same" "$rc $(head -1 <<<"$out")" "0 1.1r2 repeats 1.1: same"
unlike "and not missed before" "$err" 'no input'

# The interpreter is gone: of those with its version the one that lacks the fewest of its packages takes its place.
if "$python" -m venv --without-pip "$work/gone" 2>/dev/null; then
	workspace venvs
	package() { # VENV VERSION
		local site; site=$(echo "$1"/lib/python3.*/site-packages)
		mkdir "$site/tmpack-$2.dist-info" && printf 'Metadata-Version: 2.1\nName: tmpack\nVersion: %s\n' "$2" >"$site/tmpack-$2.dist-info/METADATA"
		echo "V = '$2'" >"$site/tmpack.py"
	}
	for v in a b c; do "$python" -m venv --without-pip $v; done
	package "$work/gone" 1.0; package a 2.0; package b 1.0
	echo 'import tmpack; print(tmpack.V)' >p.py
	tm run --python "$work/gone/bin/python3" p.py; mv "$work/gone" "$work/away"
	tm repeat --all; is "a substitute with the same packages: the same, without a word" "$rc $(head -1 <<<"$out")" "0 1.1r1 repeats 1.1: same"
	like "and named before" "$err" '^substitute .*/gone/bin/python3 +1 +1.1 +.*/venvs/b/bin/python3: the same version and packages$'
	tm repeat --all --python a/bin/python3
	like "another version of a package qualifies" "$out" '^1.1r2 repeats 1.1: differs, tmpack 2.0 for 1.0: stdout'
	tm repeat --all --python /nowhere/python3; is "no such interpreter: status" "$rc" 2
	like "no such interpreter: said before" "$err" '^no interpreter .*/nowhere/python3: No such file'
else
	for name in run same named qualifies status said; do skip "a substitute: $name" "no venv"; done
fi

# A step that goes on from its own result: told as that, and rerun --changed comes to rest.
workspace own
echo 1 >n.txt
printf 'n = int(open("n.txt").read())\nopen("n.txt", "w").write(str(n + 1))\nprint(n)\n' >up.py
run_ok "it updates its input" up.py; tm rerun 1
is "and goes on from there" "$out" 2
tm show 1 --inputs; like "show says whose change it is" "$out" '^n.txt +updated +1 +changed by the step itself '
tm show 1 --json; jis "show --json" '[i["since"] for i in d["inputs"] if i["path"] == "n.txt"]' "['own']"
tm rerun 1 --dry-run; like "rerun says it" "$err" '^n.txt: changed by the step itself$'
tm rerun --changed; is "nothing changed" "$rc $out $err" "0  no input of any step changed"
tm queue; unlike "no reason to review" "$out" 'changed since'
sleep 0.01; echo 70 >n.txt
tm rerun --changed --dry-run; like "changed by hand is changed" "$err" '^n.txt: changed since$'
tm rerun --changed; is "and read" "$out" 70
finish

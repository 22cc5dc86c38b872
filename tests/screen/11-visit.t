#!/bin/bash
# What comes back at the next visit, and themes that are tried on.
. "$(dirname "$0")/lib.sh"
fixture review "$work/ws"
visit() { TICKMARK_SCREEN_STATE=1 "$TICKMARK" --script - --size 90x20 "$work/ws"; }
visit >/dev/null <<<$'wait-idle\nkey 2 g Enter\ntext :filter outcome:ok\nkey Enter j j\nwait-idle'
out=$(visit <<<$'wait-idle\nsee Execution · outcome:ok\nsee ▾ 1 \ndump'); is "folds and filter come back" $? 0
like "so does the place" "$out" '>  *2 # Roll up|> .*import|>.*code|>.*1 # '
like "kept where everything may be deleted" "$(ls "$work/ws/.tickmark/cache")" '^screen$'
out=$("$TICKMARK" --script - --size 90x20 "$work/ws" <<<$'wait-idle\nunsee outcome:ok'); is "a key script begins afresh" $? 0
(cd "$work/ws" && "$TICKMARK" run rollup.py >/dev/null 2>&1)
out=$(visit <<<$'wait-idle\ntext :filter\nkey Enter Ctrl-U Enter\ndump'); like "what ran meanwhile is where one lands" "$out" '^.*>. 5 |>▸ 5|>.*Fetch'
printf 'filter outcome:nonsense\ncursor x\nunfolded -1 0 0 0\ncursor 99999 1 2 3\n\x00\xff\n' >"$work/ws/.tickmark/cache/screen"
out=$(visit <<<$'wait-idle\nsee Roll up'); is "nonsense there does no harm" $? 0
for t in colour-blind gruvbox nord solarized light mono high-contrast; do
	"$TICKMARK" --theme $t --script - --dump none "$work/ws" <<<'wait-idle'; is "theme $t" $? 0; done
yes "at least eight themes" test "$(ls "$here"/../../themes/*.theme | wc -l)" -ge 8
out=$("$TICKMARK" --script - "$work/ws" <<<$'wait-idle\ntext :theme\nkey Enter Tab\nsee theme for now (Tab\nkey Tab Tab Esc\nunsee theme for now (Tab\ntext :theme\nkey Enter\ntext nord\nkey Enter\nsee theme nord; to keep it')
is "themes are tried on" $? 0
NO_COLOR=1 pty --raw "$work/raw" --do key:Q -- "$TICKMARK" --theme gruvbox "$work/ws" >/dev/null 2>&1
unlike "NO_COLOR: none is sent" "$(cat "$work/raw" 2>/dev/null)" $'\x1b\\[[0-9;]*(3|4|9|10)[0-9][;m]'
finish

#!/bin/bash
# Runners killed with -9 at any moment of runs with streams and files: what was acknowledged is there, what
# ended is whole, what did not is `interrupted` with its streams up to the last flush, the ledger verifies.
. "$(dirname "$0")/lib.sh"
kills=36; [ -z "${SOAK:-}" ] || kills=400
workspace ws
cat >busy.py <<'EOF'
import os, sys, time
for i in range(int(sys.argv[1])):
    print(f"line {i}", flush=True)
    open(f"f{i % 5}.bin", "wb").write(os.urandom(40000))
    time.sleep(0.004)
EOF
RANDOM=7
acknowledged=0 met=0
for ((i = 0; i < kills; i++)); do
	# every other one lives until it is killed, however slow this machine is; the others end near that time
	ref=$("$TICKMARK" run --detach busy.py $((i % 2 ? 40 : 4000)) 2>/dev/null) || continue
	acknowledged=$((acknowledged + 1))
	sleep "0.$(printf '%03d' $((RANDOM % 330)))"
	for f in .tickmark/run/*; do
		pid=$(sed -n 's/^pid //p' "$f" 2>/dev/null) || continue
		[ -n "$pid" ] && kill -9 "$pid" 2>/dev/null && met=$((met + 1))
	done
done
echo "# $kills runs, $met runners killed, last $ref"
yes "most kills met a runner" [ "$met" -gt $((kills / 3)) ]
tm verify; is "it verifies" "$rc" 0
like "no acknowledged attempt is lost" "$out" "^$acknowledged attempts"
is "integrity" "$(sqlite3 .tickmark/record.db 'PRAGMA integrity_check')" ok
is "every attempt has an end" "$(sqlite3 .tickmark/record.db 'SELECT count(*) FROM attempt WHERE id NOT IN (SELECT attempt FROM attempt_end)')" 0
is "each is ok or interrupted" "$(sqlite3 .tickmark/record.db "SELECT count(*) FROM attempt_end WHERE outcome NOT IN ('ok', 'interrupted')")" 0
is "what ended is whole" "$(sqlite3 .tickmark/record.db "SELECT count(*) FROM attempt_end e WHERE outcome = 'ok' AND (SELECT sum(length(bytes)) FROM stream_chunk WHERE id >> 32 = e.attempt) IS NOT e.out_bytes")" 0
is "what did not has its streams up to the last flush" "$(sqlite3 .tickmark/record.db "SELECT count(*) FROM attempt_end e WHERE outcome = 'interrupted' AND coalesce((SELECT sum(length(bytes)) FROM stream_chunk WHERE id >> 32 = e.attempt), 0) <> e.out_bytes")" 0
is "streams begin at their begin" "$(sqlite3 .tickmark/record.db "SELECT count(*) FROM attempt_end e WHERE e.out_bytes > 0 AND NOT EXISTS (SELECT 1 FROM stream_chunk WHERE id = e.attempt << 32 AND CAST(bytes AS TEXT) LIKE 'line 0%')")" 0
is "nothing runs on" "$(pgrep -fc "$work/ws/busy.py" || true)" 0
is "no run file is left" "$(find .tickmark/run -type f | wc -l)" 0
run_ok "and it goes on" busy.py 40
finish

# What the tests of the command line share; sourced, with bash. Each test gets a folder of its own
# ($work, removed at the end), a HOME in it, and prints TAP. Waiting is for conditions, never for a
# time; the limit of wait_for only keeps a broken program from hanging the suite.
[ -x "${TICKMARK:-}" ] || { echo "Bail out! TICKMARK is to be the path of the program"; exit 1; }
TICKMARK=$(realpath "$TICKMARK")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shared=${TICKMARK_SHARED:-$here/../../../shared}
work=$(mktemp -d "${TMPDIR:-/tmp}/tickmark-cli.XXXXXX") || exit 1
work=$(realpath "$work")
python=/usr/bin/python3
export HOME=$work/home PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 TZ=UTC TERM=xterm
unset NO_COLOR COLUMNS VIRTUAL_ENV XDG_CONFIG_HOME PYTHONPATH TICKMARK_LOG ${!PYENV_*} ${!CONDA_*} ${!UV_*}
mkdir -p "$HOME"
umask 022
count=0

at_exit() {
	cd / || return
	for ws in $workspaces; do "$TICKMARK" -C "$ws" stop --all >/dev/null 2>&1; done
	[ -z "$answerer" ] || kill "$answerer" 2>/dev/null
	chmod -R u+rwX "$work" 2>/dev/null
	rm -rf "$work"
}
workspaces='' answerer=''
trap at_exit EXIT

pass() { count=$((count + 1)); echo "ok $count - $1"; }
fail() { # NAME [WHAT WAS SEEN]
	count=$((count + 1)); echo "not ok $count - $1"; shift
	[ $# = 0 ] || printf '%s\n' "$@" | head -40 | cat -v | sed 's/^/#   /'
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
finish() { echo "1..$count"; exit 0; }

# is NAME GOT WANTED
is() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got:    $2" "wanted: $3"; fi; }
# fits TEXT PATTERN: an extended regular expression fits one line of it. What grep -E says, without starting it where
# the text is short: most tests ask for this, and a process takes longer than the answer.
fits() {
	local rest=$1 line
	case $2 in *[!A-Za-z0-9_\ :,/=-]*) ;; *) [[ $1 = *"$2"* ]]; return ;; esac # as it is
	while [ ${#1} -le 4000 ]; do
		line=${rest%%$'\n'*}
		[[ $line =~ $2 ]]
		case $? in 0) return 0 ;; 2) break ;; esac # 2: a pattern that only grep takes
		[ ${#line} -lt ${#rest} ] || return 1
		rest=${rest:${#line}+1}
	done
	grep -qE -- "$2" <<<"$1"
}
# like NAME GOT PATTERN
like() { if fits "$2" "$3"; then pass "$1"; else fail "$1" "got:    $2" "wanted: $3"; fi; }
unlike() { if fits "$2" "$3"; then fail "$1" "got:    $2" "not:    $3"; else pass "$1"; fi; }
# yes NAME COMMAND...: the command succeeds
yes() { local name=$1; shift; if "$@"; then pass "$name"; else fail "$name" "failed: $*"; fi; }
no() { local name=$1; shift; if "$@"; then fail "$name" "succeeded: $*"; else pass "$name"; fi; }
same_bytes() { if cmp -s "$2" "$3"; then pass "$1"; else fail "$1" "$(cmp "$2" "$3" 2>&1)"; fi; }

# tm ARG...: runs tickmark without a terminal; $out, $err, $rc, and the bytes in $work/.out, .err
tm() { tm_from /dev/null "$@"; }
tm_from() { # FILE ARG...
	local from=$1; shift
	case " $* " in *' --json '*) [ -n "$answerer" ] || start_answerer ;; esac
	"$TICKMARK" "$@" <"$from" >"$work/.out" 2>"$work/.err"; rc=$?
	{ out=$(<"$work/.out") err=$(<"$work/.err"); } 2>/dev/null # which says that NUL is left out
}
# run_ok NAME ARG...: a run that must be ok
run_ok() { local name=$1; shift; tm run "$@"; if [ "$rc" = 0 ]; then pass "$name"; else fail "$name" "status $rc" "$err"; fi; }

# begin_record: the current folder becomes a workspace. The first of a test file is the copy of one that prove.sh made,
# where it did: asking the interpreter what it is takes longer than most tests.
begin_record() {
	if [ -d "${TICKMARK_TEMPLATE:-}" ] && [ ! -e "$work/.begun" ]; then
		: >"$work/.begun" # a second one would be the same record
		cp -a "$TICKMARK_TEMPLATE" .tickmark
	else
		"$TICKMARK" init --yes --python "$python"
	fi
}
# workspace NAME: makes one and goes there
workspace() {
	mkdir -p "$work/$1" && cd "$work/$1" || exit 1
	begin_record >"$work/.init" 2>&1 || { echo "Bail out! init: $(cat "$work/.init")"; exit 1; }
	case $1 in *[!a-z0-9-]*) ;; *) workspaces="$workspaces $work/$1" ;; esac
}
has_modules() { "$python" -I -c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "$@" 2>/dev/null; }
# sampled: may this file leave out what is no other for the sanitizers?
sampled() { case $TICKMARK${SOAK:+soak} in */asan/tickmark) ;; *) false ;; esac; }
# json EXPRESSION: of the document in $work/.out, as Python sees it under the name d
json() { ask_json "$1"; echo "$answer"; }
# jis NAME EXPRESSION WANTED
jis() { ask_json "$2"; is "$1" "$answer" "$3"; }
ask_json() { # sets $answer
	if [ -z "$answerer" ]; then
		# what a subshell starts its parent would not know
		[ "$BASHPID" = $$ ] || { answer=$("$python" -I -S "$here/../cli/answer.py" "$work/.out" "$1"); return; }
		start_answerer
	fi
	printf '%s' "$1" >"$work/.ask"
	answer=$(<"$work/.answer")
}
start_answerer() { # not as a job of ours, which `wait` would wait for
	mkfifo "$work/.ask" "$work/.answer"
	answerer=$(cd "$work" && exec "$python" -I -S "$here/../cli/answer.py" </dev/null >/dev/null 2>&1 & echo $!)
}

# wait_for COMMAND...: until it succeeds
wait_for() {
	local i
	for ((i = 0; i < 1200; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}
state_is() { case $("$TICKMARK" show "$1" --json 2>/dev/null) in *'"asker":{'*'},"state":"'"$2"'",'*) ;; *) false ;; esac; }
begun() { wait_for state_is "$1" running && wait_for stdout_has "$1" begun; } # and has said so
stdout_has() { "$TICKMARK" show "$1" --stdout 2>/dev/null | grep -q -- "$2"; }
runner_of() { # pid of the runner of the one attempt that runs in this workspace
	cat .tickmark/run/*-*-* 2>/dev/null | sed -n 's/^pid //p'
}
pty() { "$python" "$here/terminal.py" "$@"; }

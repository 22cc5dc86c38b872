#!/bin/bash
# tests/prove.sh VARIANT...: runs the tests of build/VARIANT, everything in one prove, so that its
# closing line counts them all. Started by root it runs them as a plain user, in a copy of the tests that
# user can reach; what can be different for root (files that say "# both users", some units; with SOAK
# everything) also as root. Variants other than release run the units and a sample of the rest. ONLY=PATTERN: just
# those whose names (release-plain-cli-04-run) fit. TIMES=FOLDER: gets a file for each with the CPU time of the shell and
# of what it started (the times that prove prints are those of all that ran meanwhile).
set -u
# Inherited by every test, or not there at all: what is set to nothing counts as set in C.
[ -n "${SOAK:-}" ] || unset SOAK
[ -n "${SANDBOX_MUST_WORK:-}" ] || unset SANDBOX_MUST_WORK
cd "$(dirname "$0")/.." || exit 1
top=$PWD
plain=${CHECK_UID:-12321}
jobs=${JOBS:-$(($(nproc) * 2))} # tests wait, too
work=$(mktemp -d /tmp/tickmark-check.XXXXXX) || exit 1
trap 'chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT
chmod 711 "$work"
mkdir "$work/t"
shared=${TICKMARK_SHARED:-$top/../shared}
# Sanitizers keep 256 MB that were freed from use again, so that most of what is allocated are new pages, each a fault.
quarantine=:quarantine_size_mb=16
[ -z "${SOAK:-}" ] || quarantine=

# wrapper NAME USER VARIANT COMMAND…: one file that prove starts with bash
wrapper() {
	local name=$1 user=$2 variant=$3; shift 3
	local home="$work/home-$user" as=
	[ "$user" = plain ] && as="setpriv --reuid=$plain --regid=$plain --clear-groups --inh-caps=-all"
	{
		echo "cd '$work/tree' && umask 022"
		echo "export HOME='$home' TICKMARK='$work/tree/build/$variant/tickmark' TICKMARK_SHARED='$work/tree/shared'"
		echo "export LC_ALL=C.UTF-8 TZ=UTC CMOCKA_MESSAGE_OUTPUT=TAP"
		echo "export ASAN_OPTIONS=detect_leaks=1$quarantine UBSAN_OPTIONS=print_stacktrace=1"
		[ ! -d "$work/begun-$variant-$user" ] || echo "export TICKMARK_TEMPLATE='$work/begun-$variant-$user/.tickmark'"
		echo "unset XDG_CONFIG_HOME VIRTUAL_ENV MAKEFLAGS MAKELEVEL TICKMARK_LOG ONLY SAMPLE"
		# cmocka says "not ok … # SKIP" of what TAP calls "ok … # SKIP"
		echo 'set -o pipefail'
		# whoever started us may ignore signals that tests send
		printf '%s env --default-signal' "$as"
		printf " '%s'" "$@"
		echo " | sed -u 's/^not ok \\(.*# SKIP\\)/ok \\1/'"
		[ -z "${TIMES:-}" ] || echo "status=\$?; times > '$TIMES/$variant-$user-$name'; exit \$status"
	} > "$work/t/$variant-$user-$name.t"
}

mkdir -p "$work/tree/build" "$work/home-root" "$work/home-plain"
cp -r tests themes README.md sample-workspaces "$work/tree/"
# it may be a link to what is not ours
[ -d "$shared" ] && mkdir "$work/tree/shared" && cp -r "$shared/." "$work/tree/shared" && chmod -R u+w "$work/tree/shared"
users=self
if [ "$(id -u)" = 0 ]; then users="root plain"; chown "$plain:$plain" "$work/home-plain"; else mkdir -p "$work/home-self"; fi
# A workspace at its beginning for each user, of which the tests of the program take copies.
begin() { # USER
	local begun="$work/begun-release-$1" as=
	mkdir "$begun"
	if [ "$1" = plain ]; then
		chown "$plain:$plain" "$begun"
		as="setpriv --reuid=$plain --regid=$plain --clear-groups --inh-caps=-all"
	fi
	(cd "$begun" && env -u VIRTUAL_ENV -u XDG_CONFIG_HOME HOME="$work/home-$1" PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 TZ=UTC TERM=xterm \
		$as "$work/tree/build/release/tickmark" init --yes --python /usr/bin/python3 >/dev/null 2>&1) || rm -rf "$begun"
}
# what files say of themselves
says() { case $2 in *"$1"*) ;; *) false ;; esac; }
alone=$(grep -lx '# sanitizers alone' tests/cli/*.t tests/screen/*.t)
sample=$(grep -lx '# sanitizer sample' tests/cli/*.t tests/screen/*.t)
both=$(grep -lx '# both users' tests/cli/*.t tests/screen/*.t)
for variant in "$@"; do
	# sanitizers once: as root what the release build does there is enough
	[ "$variant" = release ] || [ -n "${SOAK:-}" ] || users=${users#root }
	mkdir -p "$work/tree/build/$variant/tests/bench"
	cp "build/$variant/tickmark" "$work/tree/build/$variant/"
	cp "build/$variant/tests/bench/generate" "$work/tree/build/$variant/tests/bench/" # makes large records
	if [ "$variant" = release ]; then for user in $users; do begin "$user"; done; fi # the sanitizers see init itself
	for kind in unit sandbox; do
		for bin in $(make -s VARIANT="$variant" list-tests | grep "/tests/$kind/"); do
			[ -x "$bin" ] || { echo "prove.sh: $bin was not built"; exit 1; }
			cp "$bin" "$work/tree/build/$variant/tests/"
			name=${bin##*/} as=${users##* }
			case $name in
			probes) [ "$variant" != release ] || as=${users%% *} ;; # as root it tries everything as a plain user as well
			test_base_fs|test_model_attach|test_model_offer|test_model_run|test_model_workspace|test_sandbox_*) as=$users ;;
			esac
			for user in $as; do wrapper "$kind-$name" "$user" "$variant" "$work/tree/build/$variant/tests/$name"; done
		done
	done
	for script in tests/cli/*.t tests/screen/*.t; do
		# Sanitizer builds are slow: they get the files that name themselves a sample, and those that look for nothing but crashes.
		case $variant${SOAK:+soak} in
		release) [ $# = 1 ] || ! says "$script" "$alone" || continue ;;
		*soak) ;;
		*) says "$script" "$alone$sample" || continue ;;
		esac
		as=${users##* }
		[ -z "${SOAK:-}" ] && ! says "$script" "$both" || as=$users
		name=${script#tests/}
		name=${name%.t}
		for user in $as; do wrapper "${name//\//-}" "$user" "$variant" bash "$script"; done
	done
done
chmod -R a+rX "$work/tree" "$work/t"
for script in tests/lint/*.t; do
	printf 'exec bash %q\n' "$top/$script" > "$work/t/lint-$(basename "$script")"
done
# clients that we did not write, once, where npm can be reached
if [ -x build/release/tickmark ] && command -v npm >/dev/null && timeout 20 npm ping >/dev/null 2>&1; then
	[ -n "${SOAK:-}" ] || export INTEROP_SAMPLE=1
	printf 'TAP=1 exec bash %q %q\n' "$top/tests/interop/run.sh" "$top/build/release/tickmark" > "$work/t/interop.t"
else
	echo 'echo "1..0 # SKIP npm cannot be reached: make check-interop"' > "$work/t/interop.t"
fi
# What takes longest begins first, so that nobody works alone at the end.
long="sandbox-probes interop screen-07-random store_tamper cli-06-files cli-18-sandbox cli-04-run screen-02-terminal cli-17-cases store_contention"
first() { for name in $long; do printf '%s\n' "$work"/t/*"$name"*.t; done; }
mapfile -t files < <({ first; printf '%s\n' "$work"/t/*.t; } | awk '!seen[$0]++' | while read -r f; do [ ! -f "$f" ] || echo "$f"; done | grep -E -- "${ONLY:-.}")
prove -f -o -j"$jobs" --timer --merge -e bash "${files[@]}" 2>&1 || prove_failed=1
exit "${prove_failed:-0}"

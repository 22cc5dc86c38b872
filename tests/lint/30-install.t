#!/bin/bash
# make install puts everything where it belongs, what was installed works from there, make uninstall removes
# just that; the Debian package holds the same.
cd "$(dirname "$0")/../.." || exit 1
n=0
ok() { n=$((n + 1)); echo "ok $n - $1"; }
no() { n=$((n + 1)); echo "not ok $n - $1"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else no "$1"; printf '%s\n' "got: $2" "wanted: $3" | sed 's/^/#   /'; fi; }
yes() { local name=$1; shift; if "$@" >/dev/null 2>&1; then ok "$name"; else no "$name"; fi; }
[ -f Makefile ] && [ -x build/release/tickmark ] || { echo "1..0 # SKIP no build here"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
quiet() { make -s "$@" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"; }

mkdir -p "$tmp/root/usr/local/share/man/man1" "$tmp/root/usr/local/bin"
echo other >"$tmp/root/usr/local/bin/other"
before=$(cd "$tmp/root" && find . -type f | sort)
quiet install DESTDIR="$tmp/root"
at=$tmp/root/usr/local
for f in bin/tickmark share/man/man1/tickmark.1 share/bash-completion/completions/tickmark share/zsh/site-functions/_tickmark \
	share/fish/vendor_completions.d/tickmark.fish share/tickmark/themes/default.theme \
	share/tickmark/samples/ledger-dump/01-parse.py share/tickmark/samples/ledger-dump/.demo ../../etc/apparmor.d/tickmark; do
	yes "$f" [ -s "$at/$f" ]
done
is "what is installed may be read by all" "$(find "$at/share/tickmark" ! -perm -o=r | wc -l)" 0
is "it runs" "$("$at/bin/tickmark" --version | cut -d' ' -f1)" tickmark
is "it finds its samples" "$(env -u TICKMARK_SAMPLES "$at/bin/tickmark" demo --list | wc -l)" "$(find sample-workspaces -mindepth 1 -maxdepth 1 -type d | wc -l)"
yes "the man page is one" mandoc -T lint -W error "$at/share/man/man1/tickmark.1"
has() { command -v "$1" >/dev/null; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP no $2"; }
if has man; then
	is "man has nothing to warn of" "$(MANWIDTH=80 man --warnings -l "$at/share/man/man1/tickmark.1" 2>&1 >/dev/null)" ""
else skip "man has nothing to warn of" man; fi
# the real shells load what was installed, and know a command and an option by it
# shellcheck disable=SC2016
is "bash completes" "$(cd "$at/share/bash-completion/completions" && bash --norc -c '. ./tickmark
	f=$(complete -p tickmark | sed -n "s/.*-F \([^ ]*\) .*/\1/p")
	try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)) COMPREPLY=(); "$f" tickmark "${!#}" "${COMP_WORDS[-2]}"; echo "${COMPREPLY[*]}"; }
	try tickmark veri; try tickmark verify --exp' 2>&1)" $'verify\n--expect'
if has zsh; then
	# shellcheck disable=SC2016
	is "zsh loads its completion" "$(cd "$at/share/zsh/site-functions" && zsh -fc 'fpath=($PWD $fpath)
		autoload -Uz compinit && compinit -D -u && autoload +X _tickmark && print $_comps[tickmark]' 2>&1)" _tickmark
else skip "zsh loads its completion" zsh; fi
if has fish; then
	is "fish completes" "$(HOME=$tmp fish -N -c "source '$at/share/fish/vendor_completions.d/tickmark.fish'
		complete -C 'tickmark veri'; complete -C 'tickmark verify --exp'" 2>&1 | cut -f1)" $'verify\n--expect'
else skip "fish completes" fish; fi
quiet uninstall DESTDIR="$tmp/root"
is "uninstall removes just that" "$(cd "$tmp/root" && find . -type f | sort)" "$before"

if command -v dpkg-deb >/dev/null; then
	cp -r Makefile LICENSE include src tests themes sample-workspaces "$tmp/" && mkdir "$tmp/build" && cp -r build/release "$tmp/build/"
	(cd "$tmp" && touch -r build/release/tickmark Makefile && quiet deb)
	deb=$(echo "$tmp"/build/*.deb)
	yes "a package" [ -s "$deb" ]
	is "its name" "$(dpkg-deb -f "$deb" Package)" tickmark
	mkdir "$tmp/x" && dpkg-deb -x "$deb" "$tmp/x"
	for f in usr/bin/tickmark usr/share/man/man1/tickmark.1.gz usr/share/tickmark/samples/ledger-dump/01-parse.py usr/share/doc/tickmark/copyright etc/apparmor.d/tickmark; do
		yes "package: $f" [ -s "$tmp/x/$f" ]
	done
	is "package: runs" "$("$tmp/x/usr/bin/tickmark" --version | cut -d' ' -f1)" tickmark
	if [ "$(id -u)" = 0 ] && command -v dpkg >/dev/null; then
		mkdir -p "$tmp/r/var/lib/dpkg"/{info,updates} && touch "$tmp/r/var/lib/dpkg"/{status,available}
		dpkg --root="$tmp/r" --force-depends --force-script-chrootless -i "$deb" >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
		yes "package: installs" [ -x "$tmp/r/usr/bin/tickmark" ]
		dpkg --root="$tmp/r" --force-script-chrootless --purge tickmark >"$tmp/log" 2>&1 || sed 's/^/# /' "$tmp/log"
		is "package: removes everything" "$(find "$tmp/r" -type f -path '*tickmark*' | wc -l)" 0
	fi
fi
echo "1..$n"

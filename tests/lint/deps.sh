#!/bin/sh
# Installs what of the named Debian packages is missing; says so first, does nothing otherwise.
missing=
for p in "$@"; do
	# the sanitizer run time carries the version of the distribution's clang
	case $p in libclang-rt-*)
		p=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p' | head -1)
		[ -n "$p" ] || p=libclang-rt-14-dev
		case $p in libclang-rt-1[0-3]-dev) continue ;; esac ;;
	esac
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then sudo=; elif command -v sudo >/dev/null; then sudo=sudo; else
	echo "make deps: these packages are missing, and neither root nor sudo is at hand:" >&2
	echo "  apt-get install$missing" >&2
	exit 1
fi
echo "make deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq || echo "make deps: apt-get update failed, trying with the lists that are there" >&2
# shellcheck disable=SC2086
exec $sudo apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing </dev/null

#!/bin/bash
# run.sh [SUITE [MIRROR]]: the two commands of the README on a machine that has nothing: a root made by debootstrap,
# in it `apt-get install git make`, a clone, `make demo`, the Debian package, `make check`, as root and as a plain
# user who may use sudo. Needs root, the network and 6 GB below $TMPDIR. Part of `make soak`; by itself `make fresh`.
#
#   FRESH_STEPS="demo package check"   what is done      FRESH_USERS="root jm"   who does it, in this order
#   FRESH_CHECK="make check"           the command that checks
#   FRESH_KEEP=DIR   the root is DIR and stays there; one that is there already is used as it is, with what earlier
#                    tries installed and built, and gets the tree as it is committed now
#
# SUITE is what debootstrap knows: bookworm (Debian 12, the reference), trixie (Debian 13), jammy and noble (Ubuntu
# 22.04 and 24.04) where Ubuntu's mirror can be reached and its keys are installed, which Debian 12 does not carry:
# nothing unsigned is run here. Elsewhere trixie stands nearest to noble.
set -eu
suite=${1:-bookworm} mirror=${2:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "fresh: $suite: $*"; }
[ "$(id -u)" = 0 ] || { say "needs root, for debootstrap and mounts"; exit 2; }
command -v debootstrap >/dev/null || { say "needs debootstrap (apt-get install debootstrap)"; exit 2; }
if [ -z "$mirror" ]; then
	case $suite in jammy | noble) mirror=http://archive.ubuntu.com/ubuntu ;; *) mirror=http://deb.debian.org/debian ;; esac
fi

root=${FRESH_KEEP:-$(mktemp -d "${TMPDIR:-/var/tmp}/tickmark-fresh.XXXXXX")}
mkdir -p "$root"
root=$(realpath "$root")
tidy() {
	umount -R -l "$root" 2>/dev/null || true
	if [ -n "${FRESH_KEEP:-}" ]; then say "the root stays in $root"; else rm -rf --one-file-system "$root"; fi
}
trap tidy EXIT

make_root() {
	local script=$suite components=main keyring='' log
	log=$(mktemp)
	[ -e "/usr/share/debootstrap/scripts/$suite" ] || script=sid
	case $mirror in *ubuntu*)
		components=main,universe keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
		[ -e "$keyring" ] || { say "needs the keys that Ubuntu signs with, $keyring (package ubuntu-keyring)"; exit 2; } ;;
	esac
	say "making a root from $mirror"
	debootstrap --variant=minbase --include=ca-certificates --components="$components" ${keyring:+--keyring="$keyring"} \
		"$suite" "$root" "$mirror" "/usr/share/debootstrap/scripts/$script" >"$log" 2>&1 ||
		{ tail -5 "$log"; rm -f "$log"; say "cannot make a root from $mirror"; exit 2; }
	rm -f "$log"
	# what is thrown away need not survive a power cut
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
	touch "$root/made"
}
[ -e "$root/made" ] || make_root
cp /etc/resolv.conf "$root/etc/resolv.conf"

# as on a machine of its own: a mount that everybody may enter, and no chroot, in which the kernel makes no
# user namespaces
chmod 755 "$root"
mount --bind "$root" "$root"; mount --make-private "$root"
mkdir -p "$root/old"
mount --rbind /dev "$root/dev"; mount --make-rslave "$root/dev"
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys" -o ro
rm -rf "$root/srv/tickmark.git" "$root/srv/shared"
git clone -q --bare "$top" "$root/srv/tickmark.git"
[ ! -d "$top/../shared" ] || cp -r "$top/../shared" "$root/srv/shared"
chmod -R a+rX "$root/srv"

# inside USER COMMAND: a line of shell, as that user at home, with nothing of our environment
# shellcheck disable=SC2016
inside() {
	local home=/home/$1
	[ "$1" != root ] || home=/root
	unshare --mount bash -euc 'cd "$1"; pivot_root . old; cd /; umount -l /old; user=$2 home=$3 line=$4
		exec setpriv --reuid="$user" --regid="$user" --init-groups env -i HOME="$home" USER="$user" \
		  PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 bash -euc "cd; $line" </dev/null' \
		inside "$root" "$1" "$home" "$2"
}

prepare() {
	inside root 'apt-get -qq update; apt-get -qq install -y --no-install-recommends git make sudo >/dev/null'
	inside root "git config --system --replace-all safe.directory '*'" # the clone's origin is root's
	inside root 'id jm >/dev/null 2>&1 || useradd -m -s /bin/bash jm'
	echo 'jm ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/jm"
}

clone() { # USER
	inside "$1" 'ln -sfn /srv/shared shared; [ -d tickmark ] || git clone -q /srv/tickmark.git tickmark
		cd tickmark; git fetch -q origin HEAD; git reset -q --hard FETCH_HEAD'
}

demo() { # USER
	inside "$1" 'rm -rf tickmark-demo; cd tickmark; make demo; test -z "$(git status --porcelain)"'
	say "$1: make demo: passed in $((SECONDS - since)) s"
}

check() { # USER
	inside "$1" "cd tickmark; ${FRESH_CHECK:-make check}; test -z \"\$(git status --porcelain)\""
	say "$1: ${FRESH_CHECK:-make check}: passed in $((SECONDS - since)) s"
}

# The package: a user builds it, root installs it, a plain user runs it, purging leaves nothing.
package() { # USER
	inside "$1" 'cd tickmark; make -s deb >/dev/null; cp build/tickmark_*.deb /tmp/tickmark.deb'
	inside root 'apt-get -qq install -y --no-install-recommends /tmp/tickmark.deb >/dev/null; rm /tmp/tickmark.deb'
	inside jm 'rm -rf packaged; tickmark demo ledger-dump --to packaged; cd packaged; tickmark verify'
	inside root 'apt-get -qq purge -y tickmark >/dev/null'
	inside root 'left=$(find / -xdev -path "*tickmark*" -not -path "/root/*" -not -path "/home/*" -not -path "/srv/*" -not -path "/tmp/*" -not -path "/proc/*")
		[ -z "$left" ] || { echo "purging left: $left"; exit 1; }'
	say "$1: the package: built, installed, used, purged in $((SECONDS - since)) s"
}

# step FUNCTION [USER]: all are tried, so that one run tells everything
failed=0
step() {
	local status
	since=$SECONDS
	set +e
	(set -e; "$@")
	status=$?
	set -e
	[ "$status" = 0 ] || { say "$*: FAILED with status $status"; failed=1; }
}
users=${FRESH_USERS:-root jm}
step prepare
[ "$failed" = 0 ] || exit 1
for user in $users; do step clone "$user"; done
for what in ${FRESH_STEPS:-demo package check}; do
	for user in $users; do
		# one package is enough
		[ "$what $user" != "package ${users##* }" ] || [ "$user" = "$users" ] || continue
		step "$what" "$user"
	done
done
exit "$failed"

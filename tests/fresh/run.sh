#!/bin/bash
# run.sh [SUITE [MIRROR]]: the two commands of the README in a root that has nothing: debootstrap, git and make,
# clone, `make demo`, `make check`, as root and as a plain user (with sudo). Needs root, network and some GB
# below $TMPDIR; part of `make soak`. FRESH_DEMO_ONLY=1 leaves `make check` out.
set -eu
suite=${1:-bookworm} mirror=${2:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "fresh: needs root for chroot"; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh: needs debootstrap (apt-get install debootstrap)"; exit 2; }
if [ -z "$mirror" ]; then
	case $suite in jammy|noble) mirror=http://archive.ubuntu.com/ubuntu ;; *) mirror=http://deb.debian.org/debian ;; esac
fi
root=$(mktemp -d "${TMPDIR:-/var/tmp}/tickmark-fresh.XXXXXX")
tidy() {
	umount -R -l "$root" 2>/dev/null || true
	rm -rf --one-file-system "$root"
}
trap tidy EXIT
script=$suite
[ -e "/usr/share/debootstrap/scripts/$suite" ] || script=sid
components=main; case $mirror in *ubuntu*) components=main,universe ;; esac
debootstrap --variant=minbase --include=ca-certificates --components="$components" "$suite" "$root" "$mirror" "/usr/share/debootstrap/scripts/$script" >"$root.log" 2>&1 ||
	{ tail -5 "$root.log"; rm -f "$root.log"; echo "fresh: cannot make a root of $suite from $mirror"; exit 2; }
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# as on a machine of its own: a mount that everybody may enter, and no chroot, in which the kernel makes no
# user namespaces
chmod 755 "$root"
mount --bind "$root" "$root"; mount --make-private "$root"
mkdir -p "$root/old"
mount --rbind /dev "$root/dev"; mount --make-rslave "$root/dev"
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys" -o ro
git clone -q --bare "$top" "$root/srv/tickmark.git"
[ ! -d "$top/../shared" ] || cp -r "$top/../shared" "$root/srv/shared"
chmod -R a+rX "$root/srv"
# shellcheck disable=SC2016
inside() {
	unshare --mount bash -euc 'cd "$1"; pivot_root . old; cd /; umount -l /old
		exec env -i HOME="$2" PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 "${@:3}"' inside "$root" "$@"
}
inside /root apt-get -qq update
inside /root apt-get -qq install -y --no-install-recommends git make sudo >/dev/null
inside /root git config --system --add safe.directory '*' # the clone's origin is root's
inside /root useradd -m -s /bin/bash jm
echo 'jm ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/jm"

two_commands() { # USER HOME
	local as=(setpriv --reuid="$1" --regid="$1" --init-groups)
	inside "$2" "${as[@]}" bash -euc 'cd; ln -sfn /srv/shared shared; git clone -q /srv/tickmark.git tickmark; cd tickmark; make demo </dev/null'
	[ -n "${FRESH_DEMO_ONLY:-}" ] || inside "$2" "${as[@]}" bash -euc 'cd ~/tickmark; make check </dev/null'
}
two_commands root /root
echo "fresh: $suite: root: done"
two_commands jm /home/jm
echo "fresh: $suite: plain user: done"

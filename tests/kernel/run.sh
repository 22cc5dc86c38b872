#!/bin/bash
# make check-kernel: boots Debian 12's own kernel under qemu, without KVM, on a small disk made of files of
# this machine, and runs probes of tests/sandbox there: those who build have newer kernels than those who
# use. Prints the TAP of the probes. SOAK=1 runs all of them (a quarter of an hour and more).
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
work=$top/build/kernel
probes=$top/build/release/tests/sandbox/probes
package=${KERNEL_PACKAGE:-$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -1)}
limit=${KERNEL_TIMEOUT:-1500}
mkdir -p "$work"

# Without KVM a Python program takes seconds, so by default a few: what this kernel does otherwise than ours.
first=("mounting" "ways around the filter" "the keeper cannot be read or traced" "daemons that hold the pipes"
       "files removed and renamed" "shared memory that is not resident" "groups of a killed launcher" "memory of one process" "bytes in sockets" "sqlite" "fork bomb")
disk=("files read" "a folder removed" "bytes without a name")
root=("files read" "mounting" "a folder removed")

# ---- the kernel and its modules, from the package, unpacked and not installed
if [ ! -d "$work/$package" ]; then
	(cd "$work" && rm -f ./*.deb && apt-get download "$package" >&2)
	rm -rf "$work/unpacked" && mkdir "$work/unpacked"
	dpkg-deb -x "$work"/"$package"_*.deb "$work/unpacked"
	rm -f "$work"/*.deb
	mv "$work/unpacked" "$work/$package"
fi
kernel=$(echo "$work/$package"/boot/vmlinuz-*)
version=${kernel##*/vmlinuz-}
modules=$work/$package/lib/modules/$version
[ -f "$modules/modules.dep" ] || depmod -b "$work/$package" "$version"

# ---- the first file system: a shell and the modules that reach the disk
rm -rf "$work/first" && mkdir -p "$work/first/bin" "$work/first/lib/modules/$version" "$work/first/new"
cp "$(command -v busybox)" "$work/first/bin/busybox"
cp "$modules"/modules.{dep,order,builtin,alias,symbols} "$work/first/lib/modules/$version/" 2>/dev/null || :
needs() { # MODULE: its file and what it depends on
	local line
	line=$(grep "/$1\.ko" "$modules/modules.dep" | head -1) || return 0
	for f in ${line/:/ }; do
		mkdir -p "$work/first/lib/modules/$version/$(dirname "$f")"
		cp "$modules/$f" "$work/first/lib/modules/$version/$f"
	done
}
for m in virtio_pci virtio_blk ext4 crc32c_generic libcrc32c overlay unix_diag; do needs "$m"; done
cat >"$work/first/init" <<'SH'
#!/bin/busybox sh
b=/bin/busybox
$b mkdir -p /proc /sys /dev
$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
for m in virtio_pci virtio_blk crc32c_generic ext4 overlay unix_diag; do $b modprobe $m; done
n=0; while [ ! -b /dev/vda ] && [ $n -lt 50 ]; do $b sleep 0.1; n=$((n + 1)); done
$b mount -t ext4 /dev/vda /new || $b poweroff -f
$b mount --move /proc /new/proc; $b mount --move /sys /new/sys; $b mount --move /dev /new/dev
exec $b switch_root /new /init
SH
chmod +x "$work/first/init"
(cd "$work/first" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/first.gz"

# ---- the disk: Python, a few tools, the probes, with the libraries that they need
tree=$work/root
rm -rf "$tree" && mkdir -p "$tree"/{usr/bin,usr/sbin,usr/lib,usr/lib64,etc,proc,sys,dev,tmp,root,var/tmp,home}
for d in bin sbin lib lib64; do ln -s "usr/$d" "$tree/$d"; done
chmod 1777 "$tree/tmp" "$tree/var/tmp"
put() { # FILE: at the same place below usr, and its libraries
	local real to
	real=$(realpath "$1"); to=$1
	case $to in /bin/* | /lib/* | /lib64/*) to=/usr$to ;; esac
	mkdir -p "$tree/$(dirname "$to")"
	[ -e "$tree/$to" ] || cp -L "$real" "$tree/$to"
	ldd "$real" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
		local at=$lib
		case $at in /lib/* | /lib64/*) at=/usr$at ;; esac
		[ -e "$tree/$at" ] || { mkdir -p "$tree/$(dirname "$at")"; cp -L "$lib" "$tree/$at"; }
	done
}
for t in sh ls cat head tail sort paste wc echo sleep true seq id stat env awk grep setsid dd yes test rm mkdir mv cp touch; do
	f=$(type -P "$t") || continue; put "$f"
done
python=$(realpath /usr/bin/python3)
put "$python" && ln -sf "${python##*/}" "$tree/usr/bin/python3"
cp -a "/usr/lib/${python##*/}" "$tree/usr/lib/"
rm -rf "$tree/usr/lib/${python##*/}"/{test,config-*,ensurepip,idlelib,tkinter,dist-packages}
find "$tree/usr/lib/${python##*/}" -name '*.so' | while read -r so; do
	ldd "$so" | grep -o '/[^ ]*' | while read -r lib; do
		at=$lib; case $at in /lib/* | /lib64/*) at=/usr$at ;; esac
		[ -e "$tree/$at" ] || { mkdir -p "$tree/$(dirname "$at")"; cp -L "$lib" "$tree/$at"; }
	done
done
cp "$probes" "$tree/usr/bin/probes"; put "$probes" 2>/dev/null || :
cp /etc/ld.so.cache "$tree/etc/"
cp "$(command -v busybox)" "$tree/usr/sbin/busybox"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$tree/etc/passwd"
{
	echo '#!/bin/sh'
	echo 'export PATH=/usr/bin:/usr/sbin HOME=/root LC_ALL=C.UTF-8 TZ=UTC'
	echo 'mount() { busybox mount "$@"; }'
	echo 'mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm; mount -t cgroup2 cgroup /sys/fs/cgroup'
	# as systemd leaves it: a group of the plain user's whose children have the controllers, and we in one of them
	echo 'cd /sys/fs/cgroup && echo "+memory +pids" >cgroup.subtree_control && mkdir -p user/session'
	echo 'echo "+memory +pids" >user/cgroup.subtree_control && echo $$ >user/session/cgroup.procs'
	echo 'busybox chown 12345 user user/cgroup.procs; cd /'
	echo 'busybox ip link set lo up'
	echo 'echo "# Linux $(busybox uname -r)"'
	if [ -n "${SOAK:-}" ]; then echo 'probes || bad=1'; else
		printf 'TICKMARK_TEST_TIER=A probes'; printf " '%s'" "${first[@]}"; echo ' || bad=1'
		printf 'TICKMARK_TEST_TIER=A TICKMARK_TEST_SCRATCH=disk probes'; printf " '%s'" "${disk[@]}"; echo ' || bad=1'
		printf 'TICKMARK_TEST_TIER=A-root probes'; printf " '%s'" "${root[@]}"; echo ' || bad=1'
	fi
	echo 'echo "# status ${bad:-0}"'
	echo 'busybox poweroff -f'
} >"$tree/init"
chmod +x "$tree/init"
rm -f "$work/disk"
mke2fs -q -t ext4 -O ^has_journal -d "$tree" -E root_owner=0:0 "$work/disk" 700M >/dev/null

# ---- the machine
log=$work/log
timeout "$limit" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -m 1500 -smp 2 -nographic -no-reboot -nodefaults \
	-serial stdio -kernel "$kernel" -initrd "$work/first.gz" -append "console=ttyS0 quiet panic=-1 loglevel=3" \
	-drive "file=$work/disk,if=virtio,format=raw,cache=unsafe" </dev/null 2>&1 | sed -u 's/\r//' | tee "$log" |
	grep --line-buffered -E '^(ok|not ok|#|1\.\.|Bail)' || :
if ! grep -q '^# status 0' "$log" || grep -q '^not ok\|^Bail' "$log" || ! grep -q '^ok ' "$log"; then
	echo "# the probes did not all pass on $version; see build/kernel/log"
	exit 1
fi

# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by what tries things in a bare Debian system, after pipelines/lib/setup.sh.

skip() { say "skipped: $*"; exit 77; }

# Ends the script with 77 where no system can be made; mirror is then the machine's own source of Debian's packages.
check_bare() {
  [ "$(id -u)" -eq 0 ] || skip "only root can make a system"
  command -v apt-get >/dev/null || skip "this is not Debian or Ubuntu"
  install_packages 'mmdebstrap: makes a bare system
debian-archive-keyring: the keys of its packages
git: clones the tree'
  unshare --mount true 2>/dev/null || skip "nothing may be mounted here"
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 == "main" && $3 !~ /security/ { print $3; exit }')
  [ -n "$mirror" ] || skip "this machine has no Debian package source"
}

# make_bare RELEASE FOLDER LOG [CACHE]: the system, out of CACHE if it is there, which is otherwise filled, with new lists of
# packages
make_bare() {
  local release=$1 root=$2 log=$3 base=${4:+$4/$1.tar} file
  if [ -n "$base" ] && [ -s "$base" ]; then
    tar -xf "$base" -C "$root"
  else
    say "Making a bare system of Debian $release"
    mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' "$release" "$root" "$mirror" \
      >"$log" 2>&1 || { tail -n 5 "$log" >&2; skip "no bare system of $release can be made from $mirror ($log)"; }
    if [ -n "$base" ]; then
      mkdir -p "${base%/*}"
      tar -cf "$base.part" -C "$root" --exclude=./dev --exclude=./proc . && mv "$base.part" "$base"
    fi
  fi
  mkdir -p "$root/proc" "$root/dev"
  for file in resolv.conf hosts; do
    if [ -e /etc/$file ]; then cat /etc/$file >"$root/etc/$file"; fi
  done
  apt-config dump | grep -E '^Acquire::(http|https)::Proxy ' >"$root/etc/apt/apt.conf.d/99proxy" || true
  inside "$root" apt-get update -q >"$log" 2>&1 || die "apt-get update failed: $log"
}

# inside FOLDER COMMAND...: in the system, with /proc and /dev that go when it ends; nothing of this machine's environment
inside() {
  unshare --mount --propagation private bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    exec env -i CUDASHAPES_YES=1 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      chroot "$root" "$@"' bash "$@"
}

# megabytes of packages that the system has downloaded
downloaded() { find "$1/var/cache/apt/archives" -name '*.deb' -printf '%s\n' | awk '{ s += $1 } END { printf "%.0f", s / 1e6 }'; }

# report FOLDER WHAT SECONDS MEGABYTES: a line, and into FOLDER/report
report() { printf '%-42s %2d:%02d min %5s MB\n' "$2" $(($3 / 60)) $(($3 % 60)) "$4" | tee -a "$1/report"; }

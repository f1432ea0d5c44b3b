# shellcheck shell=sh disable=SC2034,SC2154  # a part of tools/devcontainer and tools/classroom
# Containers on a machine that may have no registry of images, and limits that it may not raise.
#
# Enters: $folder, and $0 with its arguments; root, Debian's packages. Leaves: CONTAINERS_CONF, `image_of`, `shown` with $log and $status.
[ "$(id -u)" = 0 ] || { echo "${0##*/}: root is needed, for Podman and debootstrap" >&2; exit 3; }

# A container wants one tree of cgroups; where a machine has both, this process and its children see the second alone.
if [ -d /sys/fs/cgroup/unified ] && [ -z "${LAB_ONE_TREE:-}" ]; then
  # shellcheck disable=SC2016  # for that shell
  LAB_ONE_TREE=1 exec unshare --mount sh -c 'umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' sh "$0" "$folder"
fi

lacking=
for pair in podman:podman crun:crun buildah:buildah debootstrap:debootstrap git:git; do
  command -v "${pair%:*}" >/dev/null || lacking="$lacking ${pair#*:}"
done
# shellcheck disable=SC2086  # a list of words
[ -z "$lacking" ] || apt-get install -y -q --no-install-recommends $lacking

# Limits that this machine may not raise are taken as they are.
files=$(sed -n 's/^Max open files  *[0-9]*  *\([0-9]*\) .*/\1/p' /proc/self/limits)
cat >"$folder/containers.conf" <<END_OF_CONF
[containers]
cgroups = "disabled"
netns = "host"
default_ulimits = ["nofile=$files:$files", "nproc=32768:32768"]
END_OF_CONF
export CONTAINERS_CONF="$folder/containers.conf" BUILDAH_ISOLATION=chroot

# $1: image, $2: distribution, $3: its mirror, the rest: options of debootstrap. Fetched, or laid by debootstrap.
image_of() {
  image=$1 distribution=$2 mirror=$3
  shift 3
  podman image exists "$image" && return 0
  podman pull -q "$image" 2>/dev/null && return 0
  if [ ! -e "$folder/$distribution/etc/os-release" ]; then
    like=/usr/share/debootstrap/scripts/$distribution  # a debootstrap that is older than Ubuntu's release: they are all alike
    [ -e "$like" ] || like=/usr/share/debootstrap/scripts/gutsy
    debootstrap --variant=minbase "$@" "$distribution" "$folder/$distribution" "$mirror" "$like" >"$folder/debootstrap.log"
  fi
  tar -C "$folder/$distribution" -c . | podman import -q --change 'CMD ["bash"]' - "$image" >/dev/null
}

# $1: the exit code that is right, $2: what a person types, the rest: what is run. All goes into the log, without colours and folders.
status=0
shown() {
  wanted=$1 typed=$2 code=0
  shift 2
  printf '$ %s\n' "$typed" | tee -a "$log"
  began=$(date +%s)
  "$@" >"$folder/step.log" 2>&1 </dev/null || code=$?
  sed -e 's/\x1b\[[0-9;]*m//g' -e "s|$folder/||g" -e '/^+ podman/d' "$folder/step.log" | cut -c1-200 | sed 's/ *$//' >>"$log"
  printf '(exit %s, %s s)\n\n' $code $(($(date +%s) - began)) | tee -a "$log"
  [ $code = "$wanted" ] || status=1
}

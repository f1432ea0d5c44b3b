# shellcheck shell=bash disable=SC2154  # run and lab stand above, as this machine has them
shard=$SLURM_ARRAY_TASK_ID
[ -f "$run/plan.json" ] || exit 41  # this node does not see the folder
[ -w "$run/logs" ] || exit 42
exec >"$run/logs/$shard.log" 2>&1
stop() {
  echo "lab: shard $shard on $(uname -n): $*"
  exit 43
}
"$lab" --version >/dev/null || stop "$lab does not start here. The lab must lie, built, where every node sees it, and fit the node's processor."
LAB_CACHE_DIR=$(mktemp -d "${TMPDIR:-/tmp}/lab-shard.XXXXXX") || stop "no folder for temporary files can be made in ${TMPDIR:-/tmp}."
export LAB_CACHE_DIR
trap 'rm -rf "$LAB_CACHE_DIR"' EXIT
trap : TERM  # lab gets it too, and writes down how far it came
"$lab" grade --slurm-shard "$shard" --out "$run"

#!/usr/bin/env bash
# Gradescope runs this once, while it builds the image: installs the kernel compiler, builds the grader.
# AUTOGRADER_ROOT stands in for /autograder where this is tried out by hand.
# shellcheck disable=SC2086  # lists of words
set -e
root=${AUTOGRADER_ROOT:-/autograder}
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends bubblewrap || true # a stronger sandbox
fi
cd "$root/source"
chmod +x lab
./lab $LAB_ARGUMENTS grade rubric >/dev/null # builds what grading needs: each submission gets a fresh copy of this image

#!/usr/bin/env bash
# Gradescope runs this for each submission: grades it, leaves results/results.json.
# shellcheck disable=SC2086  # lists of words
root=${AUTOGRADER_ROOT:-/autograder}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir -p "$root/results"
# Each submission has this container to itself: that is its wall.
"$root/source/lab" $LAB_ARGUMENTS grade --no-sandbox --one "$root/submission" --format gradescope --out "$out" \
  --rubric "$root/source/gradescope-rubric.toml" $GRADE_ARGUMENTS
status=$?
for file in "$out"/gradescope/*.json; do
  [ -f "$file" ] && cp "$file" "$root/results/results.json" && exit 0
done
# No verdict: that is the grader's fault, never a zero for the student.
printf '{"output": "The grader itself failed (exit code %s). Please tell your instructor.", "tests": [], "stdout_visibility": "hidden"}\n' \
  "$status" >"$root/results/results.json"
exit 1

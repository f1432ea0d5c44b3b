#!/usr/bin/env bash
# Gradescope runs this for each submission: grades it, leaves results/results.json.
# shellcheck disable=SC2086  # lists of words
root=${AUTOGRADER_ROOT:-/autograder}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir -p "$root/results"
# When it was handed in decides what lateness costs: the rubric's [late] reads it from a list.
submitted=$(grep -o '"created_at": *"[^"]*"' "$root/submission_metadata.json" 2>/dev/null | head -n 1 | cut -d '"' -f 4)
if [ -n "$submitted" ]; then
  printf 'student,file,time\nsubmission,,%s\n' "$submitted" >"$out/submitted.csv"
  set -- --submitted "$out/submitted.csv"
fi
# Each submission has this container to itself: that is its wall.
"$root/source/lab" $LAB_ARGUMENTS grade --no-sandbox --one "$root/submission" --format gradescope --out "$out" \
  --rubric "$root/source/gradescope-rubric.toml" "$@" $GRADE_ARGUMENTS
status=$?
for file in "$out"/gradescope/*.json; do
  [ -f "$file" ] && cp "$file" "$root/results/results.json" && exit 0
done
# No verdict: that is the grader's fault, never a zero for the student.
printf '{"output": "The grader itself failed (exit code %s). Please report it to your instructor.", "tests": [], "stdout_visibility": "hidden"}\n' \
  "$status" >"$root/results/results.json"
exit 1

#!/bin/sh
# The debug adapter of the clone that this extension lies in: .vscode/extensions/transpose-lab.
# Enters: the Debug Adapter Protocol on standard input. Leaves: `./lab dap` in this one's place.
set -eu
exec "$(dirname "$(readlink -f "$0")")/../../../lab" dap

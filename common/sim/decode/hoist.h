// Finds the values of a kernel that are the same however often an instruction executes, and takes them out of
// its straight runs.
//
// Enters: the entry, decoded, each register in a row of its own. Leaves: ProgramData::hoisted, and
// instructions that step over those that compute such a value. A register is hoisted when one instruction
// without a guard writes it, all that it reads is constant, the place of the thread, or hoisted, and no
// instruction reads it further up in the text. Whatever lanes execute it, and whenever, they find the same.
#pragma once

#include <vector>

#include "common/sim/decode/share_rows.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

void hoist(ProgramData& data, const FunctionTables& tables, const std::vector<ListedRows>& lists);

}  // namespace lab::sim

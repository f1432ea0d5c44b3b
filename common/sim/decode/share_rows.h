// Lets registers that live for only a few instructions share one row.
//
// Enters: a decoded function, each register in a row of its own. Leaves: the same function with fewer rows.
// Compilers write each value into a new register; with a row for each, a warp's registers would fill the host's
// caches and take longer to clear than a small launch takes to run.
// A register is *short-lived* when all its uses are in one straight run and the first is an unguarded write. No
// other warp executes during a straight run, so instructions may write such a row for all 32 lanes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/sim/program/program_data.h"

namespace lab::sim {

// Where the tables of a function begin in ProgramData; it is the last one, so they go on to their ends.
struct FunctionTables {
  std::size_t code = 0, vectors = 0, calls = 0, async_copies = 0, bulk_copies = 0, async_stores = 0,
              unset = 0;
};

// Every row that calls and asynchronous copies of the function name, and that may have no value when it begins.
template <class Act>
void for_rows_of_tables(ProgramData& data, const FunctionTables& tables, const Act& act) {
  for (CallSite& call : std::span(data.calls).subspan(tables.calls)) act(call.pointer);
  for (AsyncCopyInfo& copy : std::span(data.async_copies).subspan(tables.async_copies)) {
    for (RowRef* row : {&copy.from, &copy.source_bytes, &copy.ignore}) act(*row);
  }
  for (BulkCopyInfo& copy : std::span(data.bulk_copies).subspan(tables.bulk_copies)) {
    for (RowRef* row : {&copy.far, &copy.bytes, &copy.barrier, &copy.mask}) act(*row);
    for (RowRef& row : copy.coordinates) act(row);
  }
  for (AsyncStoreInfo& store : std::span(data.async_stores).subspan(tables.async_stores)) act(store.barrier);
  for (RowRef& row : std::span(data.unset).subspan(tables.unset)) act(row);
}

// These, and every row of a list that no instruction of `lists` is known to read or write: whoever renames
// registers cannot know what happens there.
template <class Act>
void for_unlisted_rows(ProgramData& data, const FunctionTables& tables, const std::vector<ListedRows>& lists,
                       const Act& act) {
  std::vector<bool> known(data.vectors.size() - tables.vectors);
  for (const ListedRows& list : lists) known[list.list - tables.vectors] = true;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (known[k]) continue;
    for (RowRef& row : data.vectors[tables.vectors + k]) act(row);
  }
  for_rows_of_tables(data, tables, act);
}

// `lists`: all instructions whose lists are known, in the order of their pc. Rows that other lists, calls or
// asynchronous copies name stay what they are.
void share_rows(ProgramData& data, FunctionInfo& function, const FunctionTables& tables,
                const std::vector<ListedRows>& lists);

}  // namespace lab::sim

// Finds the short-lived registers and moves them together. See the header.
//
// Two steps: one walk over the code notes where each row is mentioned first and last, then rows are handed
// out anew, those that live long first, behind them the shared ones.
#include "common/sim/decode/share_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "common/sim/execute/exec.h"

namespace lab::sim {
namespace {

constexpr std::array kSharedFiles = {RowFile::Reg16, RowFile::Reg32, RowFile::Reg64, RowFile::Reg128};

std::uint32_t bytes_of_row(RowFile file) {
  switch (file) {
    case RowFile::Reg16:
      return row_bytes(2);
    case RowFile::Reg32:
      return row_bytes(4);
    case RowFile::Reg64:
      return row_bytes(8);
    default:
      return row_bytes(16);
  }
}

bool is_shared_file(RowFile file) {
  return std::find(kSharedFiles.begin(), kSharedFiles.end(), file) != kSharedFiles.end();
}

struct Life {
  std::uint32_t first = kNoPc, last = 0, run_end = 0;  // run_end names the straight run
  bool is_short = true;
  std::uint32_t new_index = 0;
};

class Sharing {
 public:
  Sharing(ProgramData& data, FunctionInfo& function, const FunctionTables& tables,
          const std::vector<ListedRows>& lists)
      : data_(data), function_(function), tables_(tables), lists_(lists) {
    for (const RowFile file : kSharedFiles) {
      lives_[static_cast<std::size_t>(file)].resize(function.frame_bytes[static_cast<int>(file)] /
                                                    bytes_of_row(file));
    }
  }

  void run() {
    note_mentions();
    for (const RowFile file : kSharedFiles) hand_out(file);
    for (Inst& inst : std::span(data_.code).subspan(tables_.code)) {
      // No instruction reads the idle lanes of a short-lived row, so they need not be put back.
      const bool guards_idle_lanes = inst.masked == &masked_row && !inst.has_guard;
      if (guards_idle_lanes && is_short(inst.dst)) inst.enter_masked = inst.full;
      for (RowRef* row : {&inst.dst, &inst.dst2, &inst.a, &inst.b, &inst.c, &inst.d}) move(*row);
    }
    move_tables();
  }

 private:
  Life& life(const RowRef& row) {
    return lives_[static_cast<std::size_t>(row.file)][row.offset_bytes / bytes_of_row(row.file)];
  }

  void mention(const RowRef& row, const Inst& inst, bool is_write) {
    if (!is_set(row) || !is_shared_file(row.file)) return;
    Life& l = life(row);
    const bool plain = inst.control == Control::Plain;
    const std::uint32_t run_end = inst.pc + inst.run;
    if (l.first == kNoPc) {
      l.first = inst.pc;
      l.run_end = run_end;
      l.is_short &= is_write && !inst.has_guard;
    }
    l.is_short &= plain && run_end == l.run_end;
    l.last = inst.pc;
  }

  void keep(const RowRef& row) {
    if (is_set(row) && is_shared_file(row.file)) life(row).is_short = false;
  }

  void note_mentions() {
    auto list = lists_.begin();
    for (std::size_t pc = tables_.code; pc < data_.code.size(); ++pc) {
      const Inst& inst = data_.code[pc];
      for (const RowRef& row : {inst.a, inst.b, inst.c, inst.d}) mention(row, inst, false);
      for (; list != lists_.end() && list->pc == pc; ++list) {
        for (const RowRef& row : data_.vectors[list->list]) mention(row, inst, !list->are_sources);
      }
      for (const RowRef& row : {inst.dst, inst.dst2}) mention(row, inst, true);
    }
    for_unlisted_rows(data_, tables_, lists_, [&](const RowRef& row) { keep(row); });
  }

  void hand_out(RowFile file) {
    std::vector<Life>& lives = lives_[static_cast<std::size_t>(file)];
    std::vector<Life*> short_ones;
    std::uint32_t rows = 0;
    for (Life& l : lives) {
      if (l.is_short && l.first == kNoPc) continue;  // hoisted
      if (l.is_short) {
        short_ones.push_back(&l);
      } else {
        l.new_index = rows++;
      }
    }
    std::sort(short_ones.begin(), short_ones.end(), [](const Life* x, const Life* y) {
      return std::pair(x->first, x->last) < std::pair(y->first, y->last);
    });
    std::vector<std::uint32_t> last_use;  // of each shared row
    for (Life* l : short_ones) {
      // A row is free again behind its last mention, not in it: an instruction may write before it has read.
      const auto free =
          std::find_if(last_use.begin(), last_use.end(), [&](std::uint32_t last) { return last < l->first; });
      l->new_index = rows + static_cast<std::uint32_t>(free - last_use.begin());
      if (free == last_use.end()) {
        last_use.push_back(l->last);
      } else {
        *free = l->last;
      }
    }
    rows += static_cast<std::uint32_t>(last_use.size());
    function_.frame_bytes[static_cast<int>(file)] = rows * bytes_of_row(file);
  }

  void move(RowRef& row) {
    if (is_set(row) && is_shared_file(row.file))
      row.offset_bytes = life(row).new_index * bytes_of_row(row.file);
  }

  void move_tables() {
    for (std::vector<RowRef>& list : std::span(data_.vectors).subspan(tables_.vectors)) {
      for (RowRef& row : list) move(row);
    }
    for_rows_of_tables(data_, tables_, [&](RowRef& row) { move(row); });
  }

  [[nodiscard]] bool is_short(const RowRef& row) {
    return is_set(row) && is_shared_file(row.file) && life(row).is_short;
  }

  ProgramData& data_;
  FunctionInfo& function_;
  const FunctionTables tables_;
  const std::vector<ListedRows>& lists_;
  std::array<std::vector<Life>, kRowFiles> lives_;
};

}  // namespace

void share_rows(ProgramData& data, FunctionInfo& function, const FunctionTables& tables,
                const std::vector<ListedRows>& lists) {
  Sharing(data, function, tables, lists).run();
}

}  // namespace lab::sim

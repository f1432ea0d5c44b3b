// The coverage page: every instruction that the simulated GPU knows, one row an opcode.
//
// Enters: all_forms() and the table of opcodes. Leaves: Markdown. Thousands of forms become one row an opcode
// with the types and modifiers that occur, so a row promises no single combination; the table does.
#include "common/sim/coverage_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "common/sim/instructions/forms.h"

namespace lab::sim {
namespace {

constexpr std::string_view kHead = R"(# What the simulated GPU knows

Made from the table of forms by `build/tests/sim/print_coverage > docs/coverage.md`; a test fails when this page is
stale. An instruction that is not here is a named fault when its kernel is decoded; nothing is skipped in
silence.

A row names an opcode with the types and modifiers that occur in its forms, for `cvt` the types of both sides. Not
every combination exists: PTX itself has no `add.sat.u32`. *Exact* means bit for bit what a GPU gives; the golden
tests compare with an NVIDIA H200. Otherwise the row says how far a result may be from the GPU's: so many units in
the last place, or an absolute distance where that is more generous. *Since* is the first architecture that has the
opcode; nothing: all that CUDA 12 compiles for.
)";

constexpr std::string_view kMissing = R"(
## Not supported

Each of these is refused by name, with the PTX line:

- of tensor cores: `tcgen05`, sparse products (`mma.sp`, `wgmma.mma_async.sp`)
- of the TMA: the im2col, gather and scatter modes, `tensormap.replace`, `multimem`
- of textures and surfaces: layers of cubes, offsets, `sust.p`, `sured`, `txq`, `suq`
- video instructions: `vadd`, `vabsdiff4`, `vset` and the others that start with `v`, save `vote`
- 128-bit atomics, minimum and maximum of floats in memory
- `alloca` of the stack; graphs, attributes and occupancy asked for by kernels (launches by kernels run under `lab run`)
)";

// What the forms of one opcode have in common.
struct Summary {
  std::vector<std::string> types, modifiers;  // in the order in which they first occur
  std::size_t forms = 0;
  double max_ulp = 0, max_absolute = 0;
  std::size_t approximate = 0;
};

void add_once(std::vector<std::string>& list, std::string_view word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.emplace_back(word);
}

void add(Summary& summary, const Form& form) {
  ++summary.forms;
  std::string_view rest = form.text;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    const std::string_view word = rest.substr(0, rest.find('.'));
    add_once(ptx::type_named(word) != ptx::Type::None ? summary.types : summary.modifiers, word);
  }
  summary.max_ulp = std::max(summary.max_ulp, form.max_ulp);
  summary.max_absolute = std::max(summary.max_absolute, form.max_absolute);
  if (form.max_ulp > 0 || form.max_absolute > 0) ++summary.approximate;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string number(double value) {
  int exponent = 0;
  if (value > 1e6 && std::frexp(value, &exponent) == 0.5) return "2^" + std::to_string(exponent - 1);
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string accuracy(const Summary& s) {
  if (s.approximate == 0) return "exact";
  std::string out = number(s.max_ulp) + " ulp";
  if (s.max_absolute > 0) out += " or " + number(s.max_absolute);
  if (s.approximate != s.forms) out += "; " + std::to_string(s.forms - s.approximate) + " forms exact";
  return out;
}

// Consecutive rows of one family under one heading.
void lane_wise(std::string& page) {
  std::vector<std::string> families;
  std::map<std::string, std::map<std::string, Summary>> table;
  std::size_t forms = 0;
  for (const Form* form : all_forms()) {
    add_once(families, form->family);
    add(table[std::string(form->family)][form->text.substr(0, form->text.find('.'))], *form);
    ++forms;
  }
  page += "\n## Lane by lane: " + std::to_string(forms) + " forms\n";
  for (const std::string& family : families) {
    page +=
        "\n### " + family + "\n\n| opcode | types | modifiers | forms | accuracy |\n|---|---|---|--:|---|\n";
    for (const auto& [opcode, s] : table[family]) {
      page += "| `" + opcode + "` | " + joined(s.types) + " | " + joined(s.modifiers) + " | " +
              std::to_string(s.forms) + " | " + accuracy(s) + " |\n";
    }
  }
}

void structural(std::string& page) {
  constexpr int kOldest = 20;
  page += "\n## Memory, warps, barriers, control\n";
  std::vector<std::string> families;
  for (const ptx::OpcodeRow& row : ptx::opcode_rows())
    if (row.covers != ptx::kVariant) add_once(families, row.family);
  for (const std::string& family : families) {
    page += "\n### " + family + "\n\n| opcode | since | what of it |\n|---|---|---|\n";
    for (const ptx::OpcodeRow& row : ptx::opcode_rows()) {
      if (row.family != family || row.covers == ptx::kVariant) continue;
      const std::string since = row.since_sm <= kOldest ? "" : "sm_" + std::to_string(row.since_sm);
      page += "| `" + std::string(row.text) + "` | " + since + " | " + std::string(row.covers) + " |\n";
    }
  }
}

}  // namespace

std::string coverage_page() {
  std::string page(kHead);
  lane_wise(page);
  structural(page);
  page += kMissing;
  return page;
}

}  // namespace lab::sim

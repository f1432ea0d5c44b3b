// The coverage page: every instruction that the simulated GPU knows; opcodes with the same forms share a row.
//
// Enters: all_forms() and the table of opcodes. Leaves: Markdown. Thousands of forms become a row
// with the types and modifiers that occur, so a row promises no single combination; the table does.
#include "tests/sim/coverage_page.h"

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

Made by `build/tests/sim/print_coverage > docs/coverage.md`. An instruction that is not here is a named fault when its
kernel is decoded.

A row names an opcode with the types and modifiers that occur in its forms; not every combination exists. *Exact* means
bit for bit what a GPU gives; otherwise the row says how far a result may be from the GPU's, in units in the last place or
as a distance. *Measured*: so many of the forms were compared with an NVIDIA H200; the others follow PTX's text. *Since*
is the first architecture that has the opcode; nothing: all that CUDA 12 compiles for.
)";

constexpr std::string_view kBesidePtxas = R"(
## Beside `ptxas`

What `ptxas` 13.0 takes for sm_75 to sm_90 and for sm_100a runs, and what it refuses is refused
(`tools/golden/statements.py`). It takes these, which PTX does not have, and they do not run:

)";

constexpr std::string_view kAgainstText = R"(
## Where an H200 differs from PTX's text

These do what an H200 does:

- `bfe` and `bfi` of 64 bits take all bits of a position and a length in registers, not the lowest eight
- `cvt` to f16 with `.ftz` keeps subnormals of its source
- a result that is NaN is the GPU's own, whatever the payloads of the operands; so is `rcp.approx.ftz.f64` of a signalling NaN
- `rcp` of f64 with a rounding and `.ftz` flushes nothing
- `fma` with `.oob`: the NaN that stands outside of a tensor is 0x7ff7 or 0xfff7, of f16 and bf16 alike, in one of the factors; with `.sat` nothing
  looks for it
- `madc.hi.sat.s32`, which no manual has, wraps
- video instructions: unsigned words are saturated at zero alone, unsigned parts of words above alone (what is negative is large there), shifts as
  words; a destination's `.h1` takes the upper half of the result; signed sums and differences are cut to 32 bits before `.min` and `.max`, which
  compare 64 bits; `vset` compares its third source with the sign of the first one; `vmad` takes whole words, the third source too, for signed

These follow the text, which gives other values than an H200: `.min` and `.max` after `vadd` and `vsub` to u32 and after a saturated `vshr`, `.sat` of
`vshl`. `istypep` is false: no address is one of a texture's, sampler's or surface's variable here.
)";

// An example is one instruction, where its operands can be written down; a test holds that none of them is known.
constexpr Unsupported kUnsupported[] = {
    {"`tcgen05`: its tensor memory is sm_100's alone, and no such GPU was there to measure",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;"},
    {"`clusterlaunchcontrol`, by which a block takes over the work of one that has not begun: it is sm_100's "
     "alone",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];"},
    {"sparse products of a warpgroup (`wgmma.mma_async.sp`) and the TMA's im2col, gather and scatter modes: "
     "none was measured",
     ""},
    {"`multimem`: one address for the memory of several GPUs, which the simulated ones do not have",
     "multimem.ld_reduce.global.add.u32 %r1, [%i];"},
    {"layers of cubes and offsets of textures: none was measured. `txq` and `suq` of an object: an H200 "
     "refuses to launch a kernel with them",
     "txq.width.b32 %r1, [%i];"},
    {"", "suq.width.b32 %r1, [%i];"},
    {"`alloca`: local memory is laid out before a kernel runs", "alloca.u64 %o, 16;"},
    {"graphs, attributes and occupancy asked for by kernels: the driver decides them (launches by kernels "
     "run under `lab run`)",
     ""},
};

// A word that ends in `*` stands for all that begin so, `a/b` for a or b.
constexpr KnownDifference kDifferences[] = {
    {"`fma` of bf16 with another rounding than `.rn`", "fma bf16 rz/rm/rp"},
    {"a sum in place of an operand whose register has fewer bits, or has more and stands for a number of "
     "16 bits, in a conversion or what is called: `popc.b32 %r1, %h1+1` reads bits of other registers",
     "h1+1/r1+1/d1+8/tab+4"},
    {"the name of a function in place of a number, where it is no plain value: in `bfe`, `bfi` and `cvt`",
     "plus"},
    {"the words of `testp` and `istypep`, as in `abs.texref.f32`, behind any opcode: they say nothing",
     "texref/samplerref/surfref/finite/infinite/number/notanumber/normal/subnormal"},
    {"the address of a variable in 128 bits", "mov b128"},
    {"one value in place of a vector of real numbers or of four numbers of 16 bits, or an address there: "
     "`mov.v2.f32 {%f1, %f2}, %f3`",
     "mov v2/v4"},
    {"a vector in place of a number or a destination of bf16, and a predicate that is turned round",
     "add/sub/mul/fma/min/max/abs/neg/set/setp bf16* y/w/{/!p1"},
    {"a register of 16 bits without brackets in place of an address of `cp.async.bulk`", "bulk h1"},
    {"predicates and numbers in place of the register of `movmatrix`", "movmatrix"},
    {"a destination of 64 bits of `cvt.pack`, or any register of 128, and any vector as destination of `cvt`",
     "cvt pack d1/pg/g1/q1"},
    {"", "cvt y"},
    {"a predicate as a number of `cvt.ue8m0x2`", "cvt ue8m0x2 !p*/p1/0f3F800000"},
    {"a variable's name as the address of `st.bulk.shared::cta`, which the manual has and `ptxas` 13.0 "
     "refuses",
     "st bulk shared::cta [sh*", true},
    {"a number as the narrow operand of `add`, `sub` and `fma` of f32 and bf16 or f16",
     "f32 bf16/f16 (*/1?2:3"},
    {"a vector of `sust` with another length, or a number", "sust r1/WARP_SZ/0f3F800000"},
    {"a vector, a predicate or a real number as the metadata of `mma.sp`", "mma sp* r1/p1/!p1/0f3F800000"},
    {"a number of other bits than the registers beside it in a list of `mma`, but 0.0: of `{1.5, %r2}` it "
     "passes on "
     "half of the bits",
     "mma/wmma 1.5/0d3FF8000000000000/0f3F800000"},
    {"a load of a `.param` variable of the body that no call gives back, which `ptxas` refuses and which "
     "runs here",
     "ld param/param::func [pa*", true},
};

constexpr int kMeasuredSm = 90;  // of the H200

// What the forms of one opcode have in common.
struct Summary {
  std::vector<std::string> types, modifiers;  // in the order in which they first occur
  std::size_t forms = 0, measured = 0;
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
void lane_wise(std::string& page, const std::set<std::string, std::less<>>& measured) {
  std::vector<std::string> families;
  std::map<std::string, std::map<std::string, Summary>> table;
  std::size_t forms = 0, compared = 0;
  for (const Form* form : all_forms()) {
    add_once(families, form->family);
    Summary& row = table[std::string(form->family)][form->text.substr(0, form->text.find('.'))];
    add(row, *form);
    ++forms;
    const std::vector<std::string> modifiers = ptx::modifiers_of(form->text);
    const ptx::Architecture first =
        ptx::first_architecture(ptx::opcode_row(form->text), modifiers, form->operand_count());
    if (!measured.contains(form->text) || first.sm > kMeasuredSm) continue;
    ++row.measured;
    ++compared;
  }
  page +=
      "\n## Lane by lane: " + std::to_string(forms) + " forms, " + std::to_string(compared) + " measured\n";
  for (const std::string& family : families) {
    page += "\n### " + family +
            "\n\n| opcode | types | modifiers | forms of each | measured | accuracy "
            "|\n|---|---|---|--:|--:|---|\n";
    std::vector<std::pair<std::string, std::string>> rows;  // cells, and the opcodes that have them
    for (const auto& [opcode, s] : table[family]) {
      const std::string cells = joined(s.types) + " | " + joined(s.modifiers) + " | " +
                                std::to_string(s.forms) + " | " + std::to_string(s.measured) + " | " +
                                accuracy(s);
      auto row =
          std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.first == cells; });
      if (row == rows.end()) row = rows.insert(row, {cells, ""});
      row->second += " `" + opcode + "`";
    }
    for (const auto& [cells, opcodes] : rows) page += "|" + opcodes + " | " + cells + " |\n";
  }
}

void structural(std::string& page) {
  page += "\n## Memory, warps, barriers, control\n";
  std::vector<std::string> families;
  for (const ptx::OpcodeRow& row : ptx::opcode_rows())
    if (row.covers != ptx::kVariant) add_once(families, row.family);
  for (const std::string& family : families) {
    page += "\n### " + family + "\n\n| opcode | since | what of it |\n|---|---|---|\n";
    for (const ptx::OpcodeRow& row : ptx::opcode_rows()) {
      if (row.family != family || row.covers == ptx::kVariant) continue;
      const int sm = row.since.opcode.sm;
      const std::string since = sm <= ptx::kOldestSm ? "" : "sm_" + std::to_string(sm);
      page += "| `" + std::string(row.text) + "` | " + since + " | " + std::string(row.covers) + " |\n";
    }
  }
}

}  // namespace

std::span<const Unsupported> unsupported() { return kUnsupported; }
std::span<const KnownDifference> known_differences() { return kDifferences; }

bool KnownDifference::covers(std::string_view statement) const {
  const std::size_t operands = std::min(statement.find(' '), statement.size());  // a number has a dot, too
  const auto any_of = [](std::string_view text, std::string_view between, const auto& body) {
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t to = std::min(text.find_first_of(between, from), text.size());
      if (body(text.substr(from, to - from))) return true;
      from = to + 1;
    }
    return false;
  };
  const auto occurs = [&](std::string_view wanted) {
    const auto is = [&](std::string_view word) {
      return word == wanted ||
             (wanted.ends_with('*') && word.starts_with(wanted.substr(0, wanted.size() - 1)));
    };
    return (wanted == "{" && statement.find(wanted) != statement.npos) ||
           any_of(statement.substr(0, operands), ".;", is) || any_of(statement.substr(operands), " ,;{}", is);
  };
  return !any_of(words, " ", [&](std::string_view all) { return !any_of(all, "/", occurs); });
}

std::string coverage_page(const std::set<std::string, std::less<>>& measured) {
  std::string page(kHead);
  lane_wise(page, measured);
  structural(page);
  page += "\n## Not supported\n\nEach of these is refused by name, with the PTX line:\n\n";
  for (const Unsupported& row : kUnsupported)
    if (!row.what.empty()) page += "- " + std::string(row.what) + "\n";
  page += kBesidePtxas;
  for (const KnownDifference& row : kDifferences)
    if (!row.what.empty()) page += "- " + std::string(row.what) + "\n";
  page += kAgainstText;
  return page;
}

}  // namespace lab::sim

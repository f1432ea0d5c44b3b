// Video instructions: sums, differences, averages and extremes of words, halves and bytes of mixed signs.
//
// A family of the table of forms (forms.h). One handler serves all: which parts, signs and second operation
// an instruction has stands in its variant. Values follow PTX's text, whose tables have the same names, but where an
// H200 has others (tests/golden/statement_values.txt.gz): unsigned words are saturated at zero alone, and signed sums
// are cut to 32 bits before `.min` and `.max`.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>

#include "common/sim/base/lanes.h"
#include "common/sim/instructions/forms_build.h"

namespace lab::sim {
namespace {

enum class First : std::uint8_t { Add, Sub, AbsDiff, Min, Max, Average };
enum class Second : std::uint8_t { None, Add, Min, Max };
struct Video {
  First first : 3 = First::Add;
  Second second : 2 = Second::None;
  std::uint8_t parts : 3 = 1;  // of a register: 1 word, 2 halves, 4 bytes
  bool signed_d : 1 = false, signed_a : 1 = false, signed_b : 1 = false, saturates : 1 = false;
  std::uint16_t unused = 0;
};
static_assert(sizeof(Video) == sizeof(std::uint32_t));

std::int64_t part_of(std::uint32_t word, int part, int bits, bool is_signed) {
  const std::uint64_t at_top = std::uint64_t{word} >> (part * bits) << (64 - bits);
  return is_signed ? static_cast<std::int64_t>(at_top) >> (64 - bits)
                   : static_cast<std::int64_t>(at_top >> (64 - bits));
}

std::int64_t first(First which, std::int64_t a, std::int64_t b) {
  switch (which) {
    case First::Add:
      return a + b;
    case First::Sub:
      return a - b;
    case First::AbsDiff:
      return std::abs(a - b);
    case First::Min:
      return std::min(a, b);
    case First::Max:
      return std::max(a, b);
    case First::Average:  // away from zero above it, down below it
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  }
  return 0;  // no such operation
}

std::int64_t saturated(std::int64_t x, int bits, bool is_signed) {
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp<std::int64_t>(x, is_signed ? -most - 1 : 0, most);
}

std::int64_t second(Second which, std::int64_t x, std::int64_t c) {
  return which == Second::Add   ? x + c
         : which == Second::Min ? std::min(x, c)
         : which == Second::Max ? std::max(x, c)
                                : x;
}

std::uint32_t video(const Video& v, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const int bits = 32 / v.parts;
  std::uint32_t packed = 0;
  std::int64_t sum = part_of(c, 0, 32, v.signed_d);
  for (int part = 0; part < v.parts; ++part) {
    std::int64_t x = first(v.first, part_of(a, part, bits, v.signed_a), part_of(b, part, bits, v.signed_b));
    if (v.saturates)
      x = v.parts > 1 || v.signed_d ? saturated(x, bits, v.signed_d) : std::max<std::int64_t>(x, 0);
    if (v.parts == 1 && v.signed_d && v.first <= First::Sub) x = static_cast<std::int32_t>(x);
    if (v.parts == 1) return static_cast<std::uint32_t>(second(v.second, x, sum));
    sum += x;
    packed |= (static_cast<std::uint32_t>(x) & ((1u << bits) - 1)) << (part * bits);
  }
  return v.second == Second::Add ? static_cast<std::uint32_t>(sum) : packed;
}

void video_row(WarpContext& w, const Inst& i) {
  const auto v = std::bit_cast<Video>(i.extra);
  auto* d = w.row<std::uint32_t>(i.dst);
  const auto *a = w.row<std::uint32_t>(i.a), *b = w.row<std::uint32_t>(i.b);
  const std::uint32_t* const c =
      is_set(i.c) ? w.row<std::uint32_t>(i.c) : b;  // left out where it says nothing
  for (int k = 0; k < kWarpLanes; ++k) d[k] = video(v, a[k], b[k], c[k]);
}

struct Name {
  std::string_view name;
  First first;
};

// The types of d, a and b by the bits of `signs`.
void add_rows(Rows& rows, const Name& name, int parts, unsigned signs) {
  const auto type = [&](unsigned bit) { return (signs >> bit & 1) != 0 ? Type::S32 : Type::U32; };
  std::string stem(name.name);
  if (parts > 1) stem += std::to_string(parts);
  const std::string text = stem + "." + type(2) + "." + type(1) + "." + type(0);
  Video v{name.first,           Second::None,         static_cast<std::uint8_t>(parts),
          type(2) == Type::S32, type(1) == Type::S32, type(0) == Type::S32};
  const auto add = [&](const std::string& more, Second second, bool saturates) {
    v.second = second;
    v.saturates = saturates;
    Form& form = rows.add(text + more, {type(2), type(1), type(0), Type::B32}, &video_row, &masked_row);
    form.variant = std::bit_cast<std::uint32_t>(v);
    form.last_may_lack = parts == 1 && second == Second::None;
  };
  for (const bool saturates : {false, true}) {
    const std::string sat = saturates ? ".sat" : "";
    add(sat, Second::None, saturates);
    if (parts > 1 && saturates) continue;
    add(sat + ".add", Second::Add, saturates);
    if (parts > 1) continue;
    add(sat + ".min", Second::Min, saturates);
    add(sat + ".max", Second::Max, saturates);
  }
}

}  // namespace

void add_video_forms(std::vector<Form>& forms) {
  Rows rows(forms, "video");
  constexpr std::array<Name, 6> kNames{{{"vadd", First::Add},
                                        {"vsub", First::Sub},
                                        {"vabsdiff", First::AbsDiff},
                                        {"vmin", First::Min},
                                        {"vmax", First::Max},
                                        {"vavrg", First::Average}}};
  for (const Name& name : kNames)
    for (const int parts : {1, 2, 4})
      for (unsigned signs = 0; signs < 8; ++signs)
        if (parts > 1 || name.first != First::Average) add_rows(rows, name, parts, signs);
}

}  // namespace lab::sim

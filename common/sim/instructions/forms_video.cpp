// Video instructions: sums, differences, averages, extremes, comparisons, shifts and products of words, halves and
// bytes of mixed signs.
//
// A family of the table of forms (forms.h). One handler serves all: what an instruction computes stands in its
// variant, and which parts of its words it reads and writes in VideoParts. Values follow PTX's text, whose tables have
// the same names, but where an H200 has others (docs/coverage.md says where, tests/golden/statement_values.txt.gz what).
#include "common/sim/instructions/forms_video.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "common/sim/base/lanes.h"
#include "common/sim/instructions/forms_build.h"

namespace lab::sim {
namespace {

enum class First : std::uint8_t { Add, Sub, AbsDiff, Min, Max, Average, Set, ShiftLeft, ShiftRight, Product };
enum class Second : std::uint8_t { None, Add, Min, Max };
enum class Relation : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
struct Video {
  First first : 4 = First::Add;
  Second second : 2 = Second::None;
  bool signed_d : 1 = false, signed_a : 1 = false;
  bool signed_b : 1 = false, saturates : 1 = false;
  std::uint8_t parts : 3 = 1;  // of a register: 1 word, 2 halves, 4 bytes
  Relation relation : 3 = Relation::Equal;
  std::uint8_t scale : 4 = 0;  // of a product: it is shifted right
  bool plus_one : 1 = false;
  bool wraps : 1 = false;  // a shift by more than 31
  std::uint8_t unused : 2 = 0;
  std::uint8_t free = 0;
};
static_assert(sizeof(Video) == sizeof(std::uint32_t) && sizeof(VideoParts) == sizeof(std::int64_t));

std::int64_t part_of(std::uint64_t words, int part, int bits, bool is_signed) {
  const std::uint64_t at_top = words >> (part * bits) << (64 - bits);
  return is_signed ? static_cast<std::int64_t>(at_top) >> (64 - bits)
                   : static_cast<std::int64_t>(at_top >> (64 - bits));
}

bool holds(Relation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case Relation::Equal:
      return a == b;
    case Relation::NotEqual:
      return a != b;
    case Relation::Less:
      return a < b;
    case Relation::LessEqual:
      return a <= b;
    case Relation::Greater:
      return a > b;
    case Relation::GreaterEqual:
      return a >= b;
  }
  return false;  // no such relation
}

std::int64_t first(const Video& v, std::int64_t a, std::int64_t b) {
  const int places = static_cast<int>(v.wraps ? b & 31 : std::min<std::int64_t>(b, 32));
  switch (v.first) {
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
    case First::Set:
      return holds(v.relation, a, b) ? 1 : 0;
    case First::ShiftLeft:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << places);
    case First::ShiftRight:
      return a >> places;
    case First::Product:
      break;  // product()
  }
  return 0;
}

std::int64_t saturated(std::int64_t x, int bits, bool is_signed) {
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp<std::int64_t>(x, is_signed ? -most - 1 : 0, most);
}

// One word or a part of it saturates as on an H200: unsigned words at zero alone, their parts above alone, where what
// is negative is large.
std::int64_t saturated_word(std::int64_t x, int bits, bool is_signed) {
  if (is_signed) return saturated(x, bits, true);
  if (bits == 32) return std::max<std::int64_t>(x, 0);
  return x < 0 ? (std::int64_t{1} << bits) - 1 : saturated(x, bits, false);
}

std::int64_t second(const Video& v, std::int64_t x, std::int64_t c) {
  if (v.second == Second::None) return x;
  if (v.second == Second::Add) return x + c;
  const bool less = v.signed_d ? x < c : static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(c);
  return less == (v.second == Second::Min) ? x : c;
}

// a × b + c, with signs and a shift.
std::uint32_t product(const Video& v, const VideoParts& parts, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c) {
  const auto factor = [](std::uint32_t word, int bits, int part, bool is_signed) {
    return bits == 0 ? std::int64_t{static_cast<std::int32_t>(word)} : part_of(word, part, bits, is_signed);
  };
  const bool is_signed = v.signed_a || v.signed_b || parts.minus_product || parts.minus_c;
  std::uint64_t x = static_cast<std::uint64_t>(factor(a, parts.a_bits, parts.a, v.signed_a) *
                                               factor(b, parts.b_bits, parts.b, v.signed_b));
  std::uint32_t addend = c;
  if (parts.minus_product) x = ~x;
  if (parts.minus_c) addend = ~addend;
  x += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(addend)});
  x += v.plus_one || parts.minus_product || parts.minus_c ? 1 : 0;
  std::int64_t result = is_signed || v.scale == 0 ? static_cast<std::int64_t>(x) >> v.scale
                                                  : static_cast<std::int64_t>(x >> v.scale);
  if (v.saturates) result = saturated(result, 32, is_signed);
  return static_cast<std::uint32_t>(result);
}

std::uint32_t word(const Video& v, const VideoParts& parts, std::uint32_t a, std::uint32_t b,
                   std::uint32_t c) {
  const auto whole = [](int bits) { return bits == 0 ? 32 : bits; };
  std::int64_t x = first(v, part_of(a, parts.a, whole(parts.a_bits), v.signed_a),
                         part_of(b, parts.b, whole(parts.b_bits), v.signed_b));
  const int bits = whole(parts.d_bits);
  const bool shifts = v.first == First::ShiftLeft || v.first == First::ShiftRight;
  if (v.saturates) x = saturated_word(x, shifts ? 32 : bits, v.signed_d);
  if (v.signed_d && v.first <= First::Sub) x = static_cast<std::int32_t>(x);
  if (bits == 32) return static_cast<std::uint32_t>(second(v, x, part_of(c, 0, 32, v.signed_d)));
  const bool upper = bits == 16 && parts.d == 1;  // an H200 takes the upper half of the result, too
  const int place = upper ? 0 : parts.d * bits;
  const std::uint32_t mask = ((1u << bits) - 1) << (parts.d * bits);
  return (static_cast<std::uint32_t>(x) << place & mask) | (c & ~mask);
}

std::uint32_t packed(const Video& v, const VideoParts& parts, std::uint32_t a, std::uint32_t b,
                     std::uint32_t c) {
  const int bits = 32 / v.parts;
  const std::uint64_t both = a | std::uint64_t{b} << 32;
  std::uint32_t result = 0, sum = c;
  for (int part = 0; part < v.parts; ++part) {
    const std::uint32_t mask = ((1u << bits) - 1) << (part * bits);
    const int from_a = part ^ (parts.a >> (4 * part) & 7),
              from_b = (v.parts + part) ^ (parts.b >> (4 * part) & 7);
    std::int64_t x =
        first(v, part_of(both, from_a, bits, v.signed_a), part_of(both, from_b, bits, v.signed_b));
    if (v.saturates) x = saturated(x, bits, v.signed_d);
    const bool kept = (parts.d >> part & 1) != 0;
    if (!kept) sum += static_cast<std::uint32_t>(x);
    result |= (kept ? c : static_cast<std::uint32_t>(x) << (part * bits)) & mask;
  }
  return v.second == Second::Add ? sum : result;
}

void video_row(WarpContext& w, const Inst& i) {
  const auto v = std::bit_cast<Video>(i.extra);
  const auto parts = std::bit_cast<VideoParts>(i.immediate);
  auto* d = w.row<std::uint32_t>(i.dst);
  const auto *a = w.row<std::uint32_t>(i.a), *b = w.row<std::uint32_t>(i.b);
  const std::uint32_t* const c =
      is_set(i.c) ? w.row<std::uint32_t>(i.c) : b;  // left out where it says nothing
  const auto each = [&](auto&& compute) {
    for (int k = 0; k < kWarpLanes; ++k) d[k] = compute(v, parts, a[k], b[k], c[k]);
  };
  if (v.first == First::Product) return each(product);
  v.parts == 1 ? each(word) : each(packed);
}

// The rows of one operation: signs, and what stands behind.
class Adder {
 public:
  Adder(Rows& rows, std::string_view name, First first, int parts = 1) : rows_(rows), text_(name) {
    v_.first = first;
    v_.parts = static_cast<std::uint8_t>(parts);
    if (parts > 1) text_ += std::to_string(parts);
  }

  // The types of d, a and b.
  void sums() {
    for (unsigned signs = 0; signs < 8; ++signs) {
      types({type(signs, 2), type(signs, 1), type(signs, 0)});
      for (const bool saturates : {false, true}) {
        v_.saturates = saturates;
        seconds(saturates ? ".sat" : "", v_.parts == 1 || !saturates);
      }
    }
  }
  // The types of a and b; that of a is the one of d.
  void comparisons() {
    constexpr std::array<std::string_view, 6> kNames{".eq", ".ne", ".lt", ".le", ".gt", ".ge"};
    for (unsigned signs = 0; signs < 4; ++signs) {
      types({type(signs, 1), type(signs, 0)});
      for (std::size_t k = 0; k < kNames.size(); ++k) {
        v_.relation = static_cast<Relation>(k);
        seconds(std::string(kNames.at(k)), true);
      }
    }
  }
  void shifts() {
    for (unsigned signs = 0; signs < 4; ++signs) {
      types({type(signs, 1), type(signs, 0), Type::U32});
      for (unsigned how = 0; how < 4; ++how) {
        v_.saturates = (how & 1) != 0, v_.wraps = (how & 2) != 0;
        seconds(std::string(v_.saturates ? ".sat" : "") + (v_.wraps ? ".wrap" : ".clamp"), true);
      }
    }
  }
  void products() {
    for (unsigned signs = 0; signs < 8; ++signs) {
      types({type(signs, 2), type(signs, 1), type(signs, 0)});
      for (unsigned how = 0; how < 4; ++how)
        for (const int scale : {0, 7, 15}) {
          v_.plus_one = (how & 1) != 0, v_.saturates = (how & 2) != 0;
          v_.scale = static_cast<std::uint8_t>(scale);
          add(std::string(v_.plus_one ? ".po" : "") + (v_.saturates ? ".sat" : "") +
                  (scale == 0 ? "" : ".shr" + std::to_string(scale)),
              Second::Add);
        }
    }
  }

 private:
  static Type type(unsigned signs, unsigned bit) { return (signs >> bit & 1) != 0 ? Type::S32 : Type::U32; }
  void types(std::vector<Type> named) {
    types_ = text_;
    for (const Type one : named) types_ = types_ + "." + one;
    d_ = named.front(), a_ = named[named.size() - 2], b_ = named.back();
    v_.signed_d = d_ == Type::S32, v_.signed_a = a_ == Type::S32, v_.signed_b = b_ == Type::S32;
  }
  void seconds(const std::string& more, bool has_sum) {
    add(more, Second::None);
    if (has_sum) add(more + ".add", Second::Add);
    if (v_.parts > 1) return;
    add(more + ".min", Second::Min);
    add(more + ".max", Second::Max);
  }
  void add(const std::string& more, Second second) {
    v_.second = second;
    Form& form = rows_.add(types_ + more, {d_, a_, b_, Type::U32}, &video_row, &masked_row);
    form.variant = std::bit_cast<std::uint32_t>(v_);
    form.last_may_lack = v_.parts == 1 && second == Second::None;
    form.parts = v_.parts;
    form.signs = v_.first == First::Product;
  }

  Rows& rows_;
  Video v_;
  std::string text_, types_;  // the name, and the types behind it
  Type d_ = Type::U32, a_ = Type::U32, b_ = Type::U32;
};

}  // namespace

void add_video_forms(std::vector<Form>& forms) {
  Rows rows(forms, "video");
  for (const int parts : {1, 2, 4}) {
    Adder(rows, "vadd", First::Add, parts).sums();
    Adder(rows, "vsub", First::Sub, parts).sums();
    Adder(rows, "vabsdiff", First::AbsDiff, parts).sums();
    Adder(rows, "vmin", First::Min, parts).sums();
    Adder(rows, "vmax", First::Max, parts).sums();
    if (parts > 1) Adder(rows, "vavrg", First::Average, parts).sums();
    Adder(rows, "vset", First::Set, parts).comparisons();
  }
  Adder(rows, "vshl", First::ShiftLeft).shifts();
  Adder(rows, "vshr", First::ShiftRight).shifts();
  Adder(rows, "vmad", First::Product).products();
}

}  // namespace lab::sim

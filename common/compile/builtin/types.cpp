// See types.h.
#include "common/compile/builtin/types.h"

#include <algorithm>
#include <array>

namespace lab::cucc {
namespace {

struct ScalarFacts {
  const char* name;
  int bytes;
  bool is_signed;
};
// By TypeKind, up to Double.
constexpr std::array<ScalarFacts, 15> kScalars = {{{"void", 1, false},
                                                   {"bool", 1, false},
                                                   {"char", 1, true},
                                                   {"signed char", 1, true},
                                                   {"unsigned char", 1, false},
                                                   {"short", 2, true},
                                                   {"unsigned short", 2, false},
                                                   {"int", 4, true},
                                                   {"unsigned int", 4, false},
                                                   {"long", 8, true},
                                                   {"unsigned long", 8, false},
                                                   {"long long", 8, true},
                                                   {"unsigned long long", 8, false},
                                                   {"float", 4, true},
                                                   {"double", 8, true}}};

const ScalarFacts& facts(const Type* t) { return kScalars[static_cast<std::size_t>(held_as(t))]; }
bool in(TypeKind kind, TypeKind first, TypeKind last) { return kind >= first && kind <= last; }

std::string plain_name(const Type& t) {
  switch (t.kind) {
    case TypeKind::Pointer:
      return t.of->name + "*";
    case TypeKind::Reference:
      return t.of->name + "&";
    case TypeKind::Array: {  // float[2][3]: an array of 2 arrays
      const std::string& of = t.of->name;
      const std::size_t at = std::min(of.find('['), of.size());
      return of.substr(0, at) + "[" + (t.count == kUnknownCount ? "" : std::to_string(t.count)) + "]" +
             of.substr(at);
    }
    case TypeKind::Struct:
      return t.structure->name;
    case TypeKind::Enum:
      return t.name;
    case TypeKind::NullPointer:
      return "nullptr_t";
    case TypeKind::Auto:
      return "auto";
    default:
      return kScalars[static_cast<std::size_t>(t.kind)].name;
  }
}

void add_parts(const Type* t, std::int64_t offset, std::vector<Part>& out) {
  if (t->kind == TypeKind::Array) {
    for (std::int64_t n = 0; n < t->count; ++n) add_parts(t->of, offset + n * size_of(t->of), out);
  } else if (t->kind == TypeKind::Struct && t->structure->held != nullptr) {
    add_parts(t->structure->held, offset, out);
  } else if (t->kind == TypeKind::Struct) {
    for (const Field& f : t->structure->fields) add_parts(f.type, offset + f.offset, out);
  } else if (t->kind != TypeKind::Void) {
    out.push_back({t, offset});
  }
}

}  // namespace

const Type* Types::unique(Type t) {
  std::string name = plain_name(t);
  const std::string qualifiers = std::string(t.is_const ? "const " : "") + (t.is_volatile ? "volatile " : "");
  if (t.kind == TypeKind::Pointer)
    name += qualifiers.empty() ? "" : " " + qualifiers.substr(0, qualifiers.size() - 1);
  else
    name = qualifiers + name;
  const std::string key = t.kind == TypeKind::Enum     ? "enum " + name
                          : t.kind == TypeKind::Struct ? "struct " + name
                                                       : name;
  const auto [found, is_new] = all_.try_emplace(key, t);
  if (is_new && t.kind != TypeKind::Enum) found->second.name = name;
  return &found->second;
}

const Type* Types::enumeration(const std::string& name, const Type* underlying, bool is_scoped) {
  Type t(TypeKind::Enum, underlying);
  t.name = name;
  t.is_scoped = is_scoped;
  return unique(t);
}

const Type* Types::qualified(const Type* t, bool is_const, bool is_volatile) {
  if (t->kind == TypeKind::Array) return array_of(qualified(t->of, is_const, is_volatile), t->count);
  Type q = *t;
  q.is_const |= is_const, q.is_volatile |= is_volatile;
  return unique(q);
}

const Type* Types::plain(const Type* t) {
  if (t->kind == TypeKind::Array) return array_of(plain(t->of), t->count);
  if (!t->is_const && !t->is_volatile) return t;
  Type q = *t;
  q.is_const = q.is_volatile = false;
  return unique(q);
}

const Type* Types::promoted(const Type* t) {
  if (t->kind == TypeKind::Enum) t = t->of;
  return in(t->kind, TypeKind::Bool, TypeKind::UnsignedShort) ? scalar(TypeKind::Int) : plain(t);
}

const Type* Types::common(const Type* a, const Type* b) {
  const TypeKind x = promoted(a)->kind, y = promoted(b)->kind;
  const auto [low, high] = std::minmax(x, y);
  // The signed one has the higher rank and cannot hold all of the other.
  if (low == TypeKind::UnsignedLong && high == TypeKind::LongLong) return scalar(TypeKind::UnsignedLongLong);
  return scalar(high);
}

TypeKind held_as(const Type* t) { return t->kind == TypeKind::Enum ? t->of->kind : t->kind; }
bool is_integer(const Type* t) { return in(t->kind, TypeKind::Bool, TypeKind::UnsignedLongLong); }
bool is_float(const Type* t) { return t->kind == TypeKind::Float || t->kind == TypeKind::Double; }
bool is_arithmetic(const Type* t) { return in(t->kind, TypeKind::Bool, TypeKind::Double); }
bool is_numeric(const Type* t) { return is_arithmetic(t) || (t->kind == TypeKind::Enum && !t->is_scoped); }
bool is_pointer(const Type* t) { return t->kind == TypeKind::Pointer || t->kind == TypeKind::NullPointer; }
bool is_scalar(const Type* t) { return is_arithmetic(t) || is_pointer(t) || t->kind == TypeKind::Enum; }
bool is_signed(const Type* t) {
  return in(held_as(t), TypeKind::Bool, TypeKind::Double) && facts(t).is_signed;
}
bool is_const_all_over(const Type* t) {
  while (t->kind == TypeKind::Array) t = t->of;
  return t->is_const;
}

std::int64_t size_of(const Type* t) {
  if (t->kind == TypeKind::Array) return t->count < 0 ? 0 : t->count * size_of(t->of);
  if (t->kind == TypeKind::Struct) return t->structure->size;
  if (t->kind == TypeKind::Auto) return 0;
  return in(held_as(t), TypeKind::Void, TypeKind::Double) ? facts(t).bytes : 8;
}
std::int64_t align_of(const Type* t) {
  if (t->kind == TypeKind::Array) return align_of(t->of);
  return t->kind == TypeKind::Struct ? t->structure->align : std::max<std::int64_t>(size_of(t), 1);
}

std::vector<Part> parts_of(const Type* t) {
  std::vector<Part> out;
  add_parts(t, 0, out);
  return out;
}
std::size_t part_count(const Type* t) {
  if (t->kind == TypeKind::Array)
    return t->count < 0 ? 0 : static_cast<std::size_t>(t->count) * part_count(t->of);
  if (t->kind != TypeKind::Struct) return t->kind == TypeKind::Void ? 0 : 1;
  if (t->structure->held != nullptr) return part_count(t->structure->held);
  std::size_t n = 0;
  for (const Field& f : t->structure->fields) n += part_count(f.type);
  return n;
}
bool has_standards(const Type* t) {
  while (t->kind == TypeKind::Array) t = t->of;
  return t->kind == TypeKind::Struct && (t->structure->has_standards || t->structure->fields.empty());
}
bool has_constructors(const Type* t) {
  return t->kind == TypeKind::Struct && !t->structure->tree->constructors.empty();
}
std::optional<TypeKind> scalar_named(const std::string& name) {
  if (name == "auto") return TypeKind::Auto;
  for (std::size_t i = 0; i < kScalars.size(); ++i)
    if (name == kScalars[i].name) return static_cast<TypeKind>(i);
  return std::nullopt;
}
std::string shown(const Type* t) { return "'" + t->name + "'"; }

std::int64_t wrapped(const Type* t, std::int64_t i) {
  const TypeKind kind = held_as(t);
  if (kind == TypeKind::Bool) return i != 0 ? 1 : 0;
  if (!in(kind, TypeKind::Char, TypeKind::UnsignedInt)) return i;
  const int bits = 8 * facts(t).bytes;
  const std::uint64_t low = static_cast<std::uint64_t>(i) & ((std::uint64_t{1} << bits) - 1);
  const bool negative = facts(t).is_signed && (low >> (bits - 1)) != 0;
  return static_cast<std::int64_t>(negative ? low | (~std::uint64_t{0} << bits) : low);
}

const char* register_class(const Type* t) {
  if (held_as(t) == TypeKind::Bool) return "%p";
  if (t->kind == TypeKind::Float) return "%f";
  if (t->kind == TypeKind::Double) return "%fd";
  return size_of(t) == 8 ? "%rd" : "%r";
}
std::string register_suffix(const Type* t) {
  if (is_float(t)) return t->kind == TypeKind::Float ? "f32" : "f64";
  return std::string(is_signed(t) ? "s" : "u") + (size_of(t) == 8 ? "64" : "32");
}
std::string memory_suffix(const Type* t) {
  return is_float(t) ? register_suffix(t) : (is_signed(t) ? "s" : "u") + std::to_string(8 * size_of(t));
}
std::string bits_suffix(const Type* t) { return size_of(t) == 8 ? "b64" : "b32"; }

}  // namespace lab::cucc

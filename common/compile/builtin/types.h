// Types as CUDA C++ has them on a GPU, and what PTX calls them.
//
// A Type is one object for the whole compilation, so two are the same type where their pointers are equal. A
// value of any type is a row of parts, its scalars: a float4 has four, an array of 8 shorts eight.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/compile/builtin/tree.h"

namespace lab::cucc {

// Arithmetic ones in the order of their conversions: the larger is what a pair becomes.
enum class TypeKind {
  Void,
  Bool,
  Char,
  SignedChar,
  UnsignedChar,
  Short,
  UnsignedShort,
  Int,
  UnsignedInt,
  Long,
  UnsignedLong,
  LongLong,
  UnsignedLongLong,
  Float,
  Double,
  Pointer,
  Reference,
  Array,
  Struct,
  Enum,
  NullPointer,
  Auto,
};

struct StructType;
struct Type {
  explicit Type(TypeKind k = TypeKind::Void, const Type* o = nullptr, std::int64_t n = 0,
                const StructType* s = nullptr)
      : kind(k), of(o), count(n), structure(s) {}
  TypeKind kind;
  const Type* of;      // what it points to, its elements; of an enum the integers that hold it
  std::int64_t count;  // of an array; kUnknownCount where it is not said
  const StructType* structure;
  bool is_const = false, is_volatile = false;
  bool is_scoped = false;  // enum class
  std::string name;
};
constexpr std::int64_t kUnknownCount = -1;

struct Field {
  std::string name;
  const Type* type;
  Node* standard;
  std::int64_t offset;
  std::size_t first_part;
  bool is_reference = false;  // held as a pointer
};
struct Scope;
struct StructType {
  std::string name, space, primary;  // primary: the template's name
  const Struct* tree = nullptr;      // the template, or what it was specialised to
  Scope* scope = nullptr;            // with its templates' arguments, its types and constants
  std::vector<Field> fields;
  const Type* held = nullptr;  // of a union: as what it lies in registers; members are views of that
  std::int64_t size = 0, align = 1;
  bool has_standards = false;  // members that begin with a value
};

// A scalar inside of a value, and where.
struct Part {
  const Type* type;
  std::int64_t offset;
};

// All types of a compilation.
class Types {
 public:
  const Type* unique(Type t);
  const Type* scalar(TypeKind kind) { return unique(Type(kind)); }
  const Type* pointer_to(const Type* of) { return unique(Type(TypeKind::Pointer, of)); }
  const Type* reference_to(const Type* of) { return unique(Type(TypeKind::Reference, of)); }
  const Type* array_of(const Type* of, std::int64_t count) {
    return unique(Type(TypeKind::Array, of, count));
  }
  const Type* enumeration(const std::string& name, const Type* underlying, bool is_scoped);
  const Type* qualified(const Type* t, bool is_const, bool is_volatile);
  const Type* plain(const Type* t);  // without const and volatile
  const Type* promoted(const Type* t);
  const Type* common(const Type* a, const Type* b);  // of the usual arithmetic conversions

  std::map<std::string, StructType> structs;

 private:
  std::map<std::string, Type> all_;
};

[[nodiscard]] TypeKind held_as(const Type* t);  // of an enum the kind of its integers, else its own
[[nodiscard]] bool is_integer(const Type* t);   // enums are none
[[nodiscard]] bool is_float(const Type* t);
[[nodiscard]] bool is_arithmetic(const Type* t);
[[nodiscard]] bool is_numeric(const Type* t);  // arithmetic, or an enum that becomes an integer by itself
[[nodiscard]] bool is_signed(const Type* t);
[[nodiscard]] bool is_scalar(const Type* t);
[[nodiscard]] bool is_pointer(const Type* t);
[[nodiscard]] bool is_const_all_over(const Type* t);  // of an array: its elements
[[nodiscard]] std::int64_t size_of(const Type* t);
[[nodiscard]] std::int64_t align_of(const Type* t);
[[nodiscard]] std::vector<Part> parts_of(const Type* t);
[[nodiscard]] std::size_t part_count(const Type* t);
[[nodiscard]] bool has_standards(const Type* t);
[[nodiscard]] bool has_constructors(const Type* t);
[[nodiscard]] std::optional<TypeKind> scalar_named(const std::string& name);  // "unsigned int"
[[nodiscard]] std::string shown(const Type* t);                               // 'const float*', in messages
[[nodiscard]] inline std::string word(const Type* t) { return shown(t); }

// ---- values that are known while compiling
[[nodiscard]] std::int64_t wrapped(const Type* t, std::int64_t i);  // as a value of that type has it

// ---- in PTX
[[nodiscard]] const char* register_class(const Type* t);  // "%rd"
[[nodiscard]] std::string register_suffix(
    const Type* t);                                      // "s32": integers have at least 32 bits in registers
[[nodiscard]] std::string memory_suffix(const Type* t);  // "u8"
[[nodiscard]] std::string bits_suffix(const Type* t);    // "b32"

}  // namespace lab::cucc

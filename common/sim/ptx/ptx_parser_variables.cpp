// Reads declarations of variables and parameters, and initial values. See ptx_parser.h.
//
// Enters: `.align 4 .b8 table[3][4] = {{1, 2}, {3}}`. Leaves: a Variable with its size, its first bytes, and
// a relocation wherever the address of a symbol stands.
#include <algorithm>
#include <bit>

#include "common/sim/ptx/ptx_parser.h"

namespace lab::sim::ptx {
namespace {

constexpr std::uint64_t kMostAlign = 1u << 20;

// The bits of a number as a value of `type` holds them. Integers are left as they are.
std::uint64_t float_as(Type type, const Constant& value) {
  const double number = as_double(value);
  if (type == Type::F64) return std::bit_cast<std::uint64_t>(number);
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

// -2^(n-1) … 2^n - 1: PTX writes the bytes of both signed and unsigned values.
bool fits(const Constant& value, int size) {
  if (size >= 8) return true;
  const int bits = 8 * size;
  if (value.literal == Type::S64 && value.bits >> 63) {
    return static_cast<std::int64_t>(value.bits) >= -(std::int64_t{1} << (bits - 1));
  }
  return value.bits >> bits == 0;
}

}  // namespace

std::optional<Space> Parser::space_named(std::string_view text) {
  if (text == "global") return Space::Global;
  if (text == "shared" || text == "shared::cta") return Space::Shared;
  if (text == "const") return Space::Const;
  if (text == "local") return Space::Local;
  if (text == "param") return Space::Param;
  return std::nullopt;
}

// Everything between the space and the name: alignment, vector, type, and what concerns the driver only.
void Parser::attributes(Variable& variable) {
  variable.type = Type::None;
  std::uint64_t align = 0;
  bool pointer = false;  // behind .ptr, space and alignment are those of the memory pointed to
  while (lexer_.at_directive()) {
    const Token token = lexer_.take();
    const std::string_view text = token.text;
    if (text == "align") {
      const std::uint64_t value = parse_count(lexer_, kMostAlign, "an alignment");
      if (!std::has_single_bit(value)) lexer_.fail(token, "an alignment must be a power of two");
      if (!pointer) align = value;
    } else if (text == "ptr") {
      pointer = true;
    } else if (pointer && (space_named(text) || text == "generic")) {
      continue;
    } else if (text == "v2" || text == "v4") {
      variable.vector = text[1] - '0';
    } else if (text == "attribute") {
      lexer_.expect('(', "after `.attribute`");
      while (!lexer_.at(')')) {
        if (lexer_.at_end() || lexer_.at(';'))
          lexer_.fail(msg("expected ')' after the attributes, found {}", shown(lexer_.peek())));
        if (lexer_.take().text == "managed") variable.is_managed = true;
      }
      lexer_.take();
    } else if (const Type type = type_named(text); type != Type::None) {
      variable.type = type;
    } else {
      lexer_.fail(token, msg("{} is no type or attribute of a variable that is simulated", shown(token)));
    }
  }
  variable.align_bytes = static_cast<std::uint32_t>(align);
}

Variable Parser::variable(Space space, const Linkage& link, const Variable& first, bool may_have_value,
                          Token& name) {
  Variable made = first;
  name = lexer_.expect_word("the name of a variable");
  if (name.text.find('.') != std::string_view::npos)
    lexer_.fail(name, msg("{} is no name for a variable: it has a dot", shown(name)));
  made.name = name.text;
  made.space = space;
  made.is_extern = link.is_extern;
  made.is_visible = link.is_visible;
  made.ptx_line = name.line;
  Shape shape = array_shape(made);
  set_size(made, shape, name);
  if (lexer_.at('=')) {
    if (!may_have_value) lexer_.fail("this variable cannot have an initial value");
    initial_value(made, shape);
  } else if (shape.open && !made.is_extern && space != Space::Param) {
    lexer_.fail(name, msg("the array {} has neither a size nor an initial value", shown(name)));
  }
  return made;
}

// `(.param .b64 a, .reg .b32 b)`. `names` receives the name of each; "_" is nameless.
std::vector<Variable> Parser::parameter_list(std::vector<Token>* names) {
  std::vector<Variable> list;
  lexer_.expect('(', "before the parameters");
  if (lexer_.accept(')')) return list;
  do {
    if (list.size() >= kMostListed) lexer_.fail("too many parameters");
    Token name;
    list.push_back(parameter(name));
    if (names != nullptr) names->push_back(name);
  } while (lexer_.accept(','));
  lexer_.expect(')', "after the parameters");
  return list;
}

Variable Parser::parameter(Token& name) {
  const bool in_register = lexer_.accept_directive("reg");
  if (!in_register && !lexer_.accept_directive("param")) {
    lexer_.fail(msg("expected `.param` or `.reg` before a parameter, found {}", shown(lexer_.peek())));
  }
  Variable common;
  attributes(common);
  Variable made = variable(in_register ? Space::Register : Space::Param, {}, common, false, name);
  made.in_register = in_register;
  made.space = Space::Param;
  if (made.type == Type::Pred) made.size_bytes = made.align_bytes = 2;  // 1 or 0
  return made;
}

Parser::Shape Parser::array_shape(Variable& variable) {
  Shape shape;
  while (lexer_.accept('[')) {
    variable.is_array = true;
    if (shape.extents.size() >= kMostDimensions) lexer_.fail("an array may have 8 dimensions at most");
    if (lexer_.at(']')) {
      if (!shape.extents.empty()) lexer_.fail("only the first dimension of an array may be left open");
      shape.open = true;
      shape.extents.push_back(0);
    } else {
      shape.extents.push_back(parse_count(lexer_, kMostDeclaredBytes, "the size of an array"));
    }
    lexer_.expect(']', "after the size of an array");
  }
  if (variable.vector > 1) shape.extents.push_back(static_cast<std::uint64_t>(variable.vector));
  return shape;
}

void Parser::set_size(Variable& variable, const Shape& shape, const Token& name) {
  if (variable.type == Type::None) lexer_.fail(name, msg("the variable {} has no type", shown(name)));
  const int scalar = size_bytes(variable.type);
  if (scalar == 0 && variable.space != Space::Register) {
    lexer_.fail(name, msg("a predicate is no value that memory can hold: give {} another type", shown(name)));
  }
  std::uint64_t size = static_cast<std::uint64_t>(scalar);
  for (const std::uint64_t extent : shape.extents) {
    if (extent != 0 && size > kMostDeclaredBytes / extent)
      lexer_.fail(name, msg("the variable {} is too large", shown(name)));
    size *= extent;
  }
  variable.size_bytes = size;
  declared_bytes_ += size;
  if (declared_bytes_ > kMostDeclaredBytes)
    lexer_.fail(name, "the variables of this module are too large: over 1 TiB");
  const auto natural = static_cast<std::uint32_t>(scalar * variable.vector);
  if (variable.align_bytes == 0) variable.align_bytes = std::max(natural, 1u);
}

void Parser::initial_value(Variable& variable, Shape& shape) {
  lexer_.expect('=', "before an initial value");
  if (!lexer_.at('{')) {
    if (!shape.extents.empty()) lexer_.fail("the initial value of an array stands in braces");
    return element(variable, 0);
  }
  if (shape.extents.empty()) shape.extents.push_back(1);
  const std::uint64_t end = braces(variable, shape, 0, 0);
  if (shape.open) {
    variable.size_bytes = end;
    declared_bytes_ += end;
  }
}

// `{…}` at `level` dimensions down; each inner brace fills one row and leaves the rest of it zero.
// Returns the offset behind the last row or element.
std::uint64_t Parser::braces(Variable& variable, const Shape& shape, std::size_t level, std::uint64_t start) {
  const auto scalar = static_cast<std::uint64_t>(size_bytes(variable.type));
  std::uint64_t row = scalar;  // bytes of what an inner brace fills
  for (std::size_t i = level + 1; i < shape.extents.size(); ++i) row *= shape.extents[i];
  const bool open = shape.open && level == 0;
  const std::uint64_t limit = open ? kMostInitialBytes : row * shape.extents[level];

  lexer_.expect('{', "before initial values");
  std::uint64_t at = 0;
  while (!lexer_.accept('}')) {
    const bool inner = lexer_.at('{');
    if (inner && level + 1 >= shape.extents.size())
      lexer_.fail("these braces are nested deeper than the array has dimensions");
    if (inner && row != 0) at = (at + row - 1) / row * row;
    const std::uint64_t size = inner ? row : scalar;
    if (at + size > limit)
      lexer_.fail(
          msg("there are more initial values than the variable {} has room for", shown(variable.name)));
    if (inner) {
      braces(variable, shape, level + 1, start + at);
    } else {
      element(variable, start + at);
    }
    at += size;
    if (!lexer_.accept(',') && !lexer_.at('}'))
      lexer_.fail(msg("expected ',' or '}}' between initial values, found {}", shown(lexer_.peek())));
  }
  if (open && row != 0) at = (at + row - 1) / row * row;
  return start + at;
}

// One value: a number, `symbol + 4`, `generic(symbol)`, or `0xFF00(symbol)` for a single byte of an address.
void Parser::element(Variable& variable, std::uint64_t offset) {
  const Token at = lexer_.peek();
  Relocation relocation;
  if (symbol_value(relocation)) return store_symbol(variable, std::move(relocation), offset, at);
  if (at.kind == TokenKind::Number) {
    const Lexer number = lexer_;
    const Constant mask = parse_number(lexer_);
    if (lexer_.accept('(')) {
      if (!symbol_value(relocation))
        lexer_.fail(msg("expected a symbol behind a byte mask, found {}", shown(lexer_.peek())));
      lexer_.expect(')', "after the symbol behind a byte mask");
      return store_masked(variable, mask.bits, std::move(relocation), offset, at);
    }
    lexer_ = number;
  }
  store_number(variable, parse_constant(lexer_), offset, at);
}

// Reads `name`, `generic(name)` and what is added to it; false when no symbol stands here.
bool Parser::symbol_value(Relocation& relocation) {
  if (!lexer_.at_word() || lexer_.peek().text == "WARP_SZ") return false;
  Token name = lexer_.take();
  if (name.text == "generic" && lexer_.accept('(')) {
    relocation.generic = true;
    name = lexer_.expect_word("a symbol");
    if (lexer_.at('+') || lexer_.at('-')) relocation.addend = address_offset();
    lexer_.expect(')', "after generic(symbol");
  }
  relocation.symbol = name.text;
  used_symbols_.push_back(name);
  if (lexer_.at('+') || lexer_.at('-')) relocation.addend += address_offset();
  return true;
}

void Parser::store_symbol(Variable& variable, Relocation relocation, std::uint64_t offset, const Token& at) {
  relocation.size_bytes = size_bytes(variable.type);
  if (relocation.size_bytes != 8 && relocation.size_bytes != 4) {
    lexer_.fail(at, msg("an address does not fit in a value of type .{}", name(variable.type)));
  }
  relocation.offset_bytes = offset;
  store_bytes(variable, 0, relocation.size_bytes, offset, at);
  variable.relocations.push_back(std::move(relocation));
}

// `0xFF(s), 0xFF00(s), …`: packed structures spell an address byte by byte. The bytes of one address are
// put together again.
void Parser::store_masked(Variable& variable, std::uint64_t mask, Relocation relocation, std::uint64_t offset,
                          const Token& at) {
  const int shift = std::countr_zero(mask);
  if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff || size_bytes(variable.type) != 1) {
    lexer_.fail(at, "a byte mask must select one byte, as 0xFF00 does, and stand in an array of bytes");
  }
  store_bytes(variable, 0, 1, offset, at);
  const auto byte = static_cast<std::size_t>(shift / 8);
  if (byte == 0) {
    relocation.size_bytes = 1;
    relocation.offset_bytes = offset;
    variable.relocations.push_back(std::move(relocation));
    return;
  }
  Relocation* last = variable.relocations.empty() ? nullptr : &variable.relocations.back();
  if (last == nullptr || static_cast<std::size_t>(last->size_bytes) != byte ||
      last->offset_bytes + byte != offset || last->symbol != relocation.symbol ||
      last->addend != relocation.addend || last->generic != relocation.generic) {
    lexer_.fail(at, "the bytes of an address must follow each other, from 0xFF upwards");
  }
  ++last->size_bytes;
}

void Parser::store_number(Variable& variable, const Constant& value, std::uint64_t offset, const Token& at) {
  const int size = size_bytes(variable.type);
  if (variable.type == Type::F32 || variable.type == Type::F64) {
    return store_bytes(variable, float_as(variable.type, value), size, offset, at);
  }
  if (value.is_float() && size != size_bytes(value.literal)) {
    lexer_.fail(at, msg("a floating-point number does not fit in a value of type .{}", name(variable.type)));
  }
  if (!value.is_float() && !fits(value, size)) {
    lexer_.fail(at, msg("{} does not fit in a value of type .{}", shown(at), name(variable.type)));
  }
  store_bytes(variable, value.bits, size, offset, at);
}

void Parser::store_bytes(Variable& variable, std::uint64_t bits, int size, std::uint64_t offset,
                         const Token& at) {
  const std::uint64_t end = offset + static_cast<std::uint64_t>(size);
  if (end > variable.initial.size()) {
    const std::uint64_t more = end - variable.initial.size();
    if (end > kMostInitialBytes || initial_bytes_ + more > kMostInitialBytes) {
      lexer_.fail(at, "the initial values of this module are too large: over 256 MiB");
    }
    initial_bytes_ += more;
    variable.initial.resize(end);
  }
  for (int i = 0; i < size && i < 8; ++i)
    variable.initial[offset + static_cast<std::uint64_t>(i)] = static_cast<std::uint8_t>(bits >> (8 * i));
}

}  // namespace lab::sim::ptx

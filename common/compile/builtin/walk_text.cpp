// Texts, and printf, which is the one function that takes them. See walk.h.

#include "common/compile/builtin/walk.h"

namespace lab::cucc {

// "…": an array in global memory, one for each text.
Value Walk::text(const std::string& text) {
  const Type* t = types_.array_of(types_.qualified(scalar(TypeKind::Char), true, false),
                                  static_cast<std::int64_t>(text.size()) + 1);
  std::string bytes;
  for (const char c : text)
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(static_cast<unsigned char>(c));
  const std::string symbol = "$str$" + std::to_string(texts_.emplace(text, texts_.size()).first->second);
  define(".global", t, 1, symbol, bytes);
  return in_memory(t, Space::Global, symbol);
}

// printf("…", values): vprintf takes the text, and the address of the values, which lie one behind the other
// in memory of the thread, each at a multiple of its size.
Value Walk::print(const Node* n, Scope* scope) {
  std::vector<Value> values;
  for (const Argument& argument : arguments_of(n, scope)) {
    const Position at = argument.tree->at;
    Value v = generic(rvalue(argument.value, at));
    if (!is_scalar(v.type)) fail(at, "printf prints numbers, pointers and texts, and this is a {}", v.type);
    if (is_float(v.type))
      v = converted(v, scalar(TypeKind::Double), at);
    else if (v.type->kind != TypeKind::Pointer)
      v = converted(v, types_.promoted(v.type->kind == TypeKind::Enum ? v.type->of : v.type), at, true);
    values.push_back(std::move(v));
  }
  if (values.empty() || values[0].type->kind != TypeKind::Pointer)
    fail(n->at, "printf takes a text before all values: printf(\"%d\\n\", row)");
  const std::string symbol = "__printf_" + std::to_string(++locals_);
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::int64_t size = size_of(values[i].type);
    Value place = in_memory(values[i].type, Space::Local, symbol);
    place.offset = (bytes + size - 1) / size * size;
    bytes = place.offset + size;
    store_to_memory(place, values[i], n->at, "");
  }
  std::string buffer = "0";
  if (bytes != 0) {
    local_variables_ += "\t.local " + this->bytes(8, symbol, bytes) + ";\n";
    const Value first = in_memory(scalar(TypeKind::Char), Space::Local, symbol);
    buffer = operand(generic(pointer_at(first, first.type, n->at)));
  }
  if (defined_.insert("vprintf").second)
    globals_ += ".extern .func (.param .b32 result) vprintf (.param .b64 text, .param .b64 values);\n";
  const std::string printed = code_.new_register("%r", true);
  code_.add_assembly("{ .param .b64 text; .param .b64 values; .param .b32 result; st.param.b64 [text], " +
                         operand(values[0]) + "; st.param.b64 [values], " + buffer +
                         "; call.uni (result), vprintf, (text, values); ld.param.b32 " + printed +
                         ", [result]; }",
                     {printed}, false);
  return in_register(scalar(TypeKind::Int), printed);
}

}  // namespace lab::cucc

// Words for places.
//
// Enters: numbers. Leaves: pieces of sentences.
#include "common/sim/observe/place_text.h"

#include "common/sim/base/kernel_name.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

std::string text_of(const Dim3& index, const Dim3& extent) {
  std::string text = "(" + std::to_string(index.x) + "," + std::to_string(index.y);
  if (extent.z > 1) text += "," + std::to_string(index.z);
  return text + ")";
}

std::string text_of(std::uint64_t number, const Dim3& extent) { return text_of(extent.at(number), extent); }

Message line_text(const InstSource& source) {
  if (source.line != 0) return msg("line {}", text::Line{source.line});
  return msg("PTX line {}", source.ptx_line);
}

std::string function_of(const std::string& symbol) {
  const std::string name = demangled(symbol.substr(0, symbol.find('@')));
  std::string scope = name.substr(0, std::min(name.find_first_of("(<"), name.rfind("::")));
  if (scope.size() == name.size()) return {};
  return scope.substr(scope.find_last_of(": ") + 1);
}

Message buffer_place(const Allocation& allocation, DeviceAddress address) {
  const Big bytes = big(address - allocation.base);
  if (allocation.name.empty()) return msg("a buffer + {} bytes", bytes);
  const bool is_word = allocation.name.find(' ') == std::string::npos;  // else it is what it is called
  return is_word ? msg("`{}` + {} bytes", allocation.name, bytes)
                 : msg("{} + {} bytes", Message(allocation.name.c_str()), bytes);
}

Message shared_places(const Program& program, std::uint64_t first_bytes, std::uint64_t last_bytes) {
  const auto inside = [](const SharedVariable& v, std::uint64_t offset) {
    return offset >= v.offset_bytes && offset - v.offset_bytes < v.size_bytes;
  };
  for (const SharedVariable& v : program.data().shared_variables) {
    if (inside(v, first_bytes) && inside(v, last_bytes))
      return msg("{}", text::Place{short_name(v.name), v.offset_bytes, first_bytes - v.offset_bytes,
                                   last_bytes - v.offset_bytes});
  }
  if (first_bytes == last_bytes) return shared_place(program, first_bytes);
  return msg("{}–{}", shared_place(program, first_bytes), shared_place(program, last_bytes));
}

Message shared_name(const Program& program, std::uint64_t offset_bytes) {
  for (const SharedVariable& v : program.data().shared_variables) {
    if (offset_bytes >= v.offset_bytes && offset_bytes - v.offset_bytes < v.size_bytes)
      return msg("`{}`", short_name(v.name));
  }
  return offset_bytes >= program.static_shared_bytes() ? "dynamic shared memory" : "shared memory";
}

Message shared_place(const Program& program, std::uint64_t offset_bytes) {
  for (const SharedVariable& v : program.data().shared_variables) {
    if (offset_bytes < v.offset_bytes || offset_bytes - v.offset_bytes >= v.size_bytes) continue;
    const std::uint64_t bytes = offset_bytes - v.offset_bytes;
    return msg("{}", text::Place{short_name(v.name), v.offset_bytes, bytes, bytes});
  }
  if (offset_bytes >= program.static_shared_bytes()) {
    return msg("dynamic shared memory + {} bytes", big(offset_bytes - program.static_shared_bytes()));
  }
  return msg("shared memory + {} bytes", big(offset_bytes));
}

namespace {

// The last variable that begins at the offset or before it; null: none, or this is no place in shared memory.
const SharedVariable* variable_before(const Program& program, std::uint64_t offset_bytes) {
  const SharedVariable* before = nullptr;
  for (const SharedVariable& v : program.data().shared_variables) {
    const bool begins = v.size_bytes != 0 && v.offset_bytes <= offset_bytes;
    if (begins && (before == nullptr || v.offset_bytes > before->offset_bytes)) before = &v;
  }
  return offset_bytes > 0x7fffffff ? nullptr : before;
}

}  // namespace

void note_shared_variable(Fault& fault, const Program& program, std::uint64_t offset_bytes) {
  if (const SharedVariable* v = variable_before(program, offset_bytes)) {
    fault.array_offset_bytes = v->offset_bytes;
    fault.array_bytes = v->size_bytes;
    fault.array_name = v->name;
  }
}

Message behind_shared_variable(const Program& program, std::uint64_t offset_bytes) {
  const SharedVariable* before = variable_before(program, offset_bytes);
  if (before == nullptr || std::uint64_t{before->offset_bytes} + before->size_bytes > offset_bytes) return {};
  const std::uint64_t past = offset_bytes - before->offset_bytes - before->size_bytes;
  return past == 0 ? msg(", right behind the end of `{}`", short_name(before->name))
                   : msg(", {} bytes past the end of `{}`", big(past), short_name(before->name));
}

void name_other(Fault& fault, const InstSource& source) {
  fault.other_file = source.file, fault.other_line = source.line;
}

Fault fault_at(FaultKind kind, const InstSource& source) {
  Fault fault;
  fault.kind = kind;
  fault.file = source.file, fault.line = source.line, fault.ptx_line = source.ptx_line;
  return fault;
}

Fault fault_at(FaultKind kind, const InstSource& source, const WarpPlace& place, const Dim3& block,
               std::uint32_t lane, std::uint64_t address) {
  Fault fault = fault_at(kind, source);
  fault.block = place.block;
  fault.block_index = place.block_index;
  fault.thread = block.at(place.first_thread + lane);
  fault.address = address;
  return fault;
}

Fault fault_at(FaultKind kind, const LaunchInfo& launch, const Access& access, std::uint32_t lane,
               std::uint64_t address) {
  Fault fault = fault_at(kind, launch.program->source(access.pc), *access.place, launch.block, lane, address);
  fault.access_bytes = access.width_bytes;
  if (access.space == Space::Shared) note_shared_variable(fault, *launch.program, address);
  return fault;
}

}  // namespace lab::sim

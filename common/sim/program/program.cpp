// What the rest of the house may ask a decoded program.
#include "common/sim/program/program.h"

#include <utility>

#include "common/sim/program/program_data.h"

namespace lab::sim {

Program::Program(std::unique_ptr<ProgramData> data) : data_(std::move(data)) {}
Program::~Program() = default;

const std::string& Program::name() const { return data_->name; }
const std::vector<ParameterInfo>& Program::parameters() const { return data_->parameters; }
std::uint32_t Program::parameter_bytes() const { return data_->parameter_bytes; }
std::uint32_t Program::static_shared_bytes() const { return data_->static_shared_bytes; }
std::size_t Program::instruction_count() const { return data_->code.size(); }

ParameterKind ParameterInfo::kind() const {
  using enum ptx::Type;
  switch (is_array ? None : type) {
    case F32:
    case F64:
      return ParameterKind::Real;
    case U8:
    case U16:
    case U32:
    case U64:
    case S8:
    case S16:
    case S32:
    case S64:
      return ParameterKind::Whole;
    default:
      return ParameterKind::Bits;
  }
}

InstSource Program::source(std::uint32_t pc) const {
  if (pc >= data_->origins.size()) return {};
  const ProgramData::Origin& origin = data_->origins[pc];
  const auto file = data_->files.find(origin.source.file);
  return {file == data_->files.end() ? std::string_view() : file->second, origin.source.line,
          origin.in->ptx_line, origin.call_line};
}

const ptx::OpcodeRow& Program::opcode(std::uint32_t pc) const {
  return pc < data_->origins.size() ? data_->opcode(pc) : ptx::unknown_opcode();
}

}  // namespace lab::sim

// Reading the table, and registers by it. See step_variables.h.
#include "common/course/explore/step_variables.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

#include "common/sim/execute/block.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::explore {
namespace {

constexpr std::string_view kMark = "//@";

std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = std::min(text.find(at), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Constants stand as integers, floating ones as the bits of a double.
std::uint64_t constant_bits(std::string_view type, std::int64_t value) {
  if (type != "f32") return static_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
}

VariableStop stop_of(std::string_view line) {
  std::string_view head = cut(line, '\t');
  VariableStop stop;
  stop.statement = static_cast<int>(number(cut(head, ' ')));
  stop.line = static_cast<int>(number(head));
  while (!line.empty()) {
    VariablePart part;
    part.name = cut(line, '\t');
    part.type = cut(line, '\t');
    part.frame = stop.calls.size();
    const std::string_view where = cut(line, '\t');
    if (part.type == "call") {
      stop.calls.push_back({part.name, static_cast<int>(number(where))});
      continue;
    }
    const std::size_t plus = where.find('+');
    if (where.starts_with("="))
      part.constant = constant_bits(part.type, number(where.substr(1)));
    else if (where == "?")
      part.unwritten = true;
    else if (where.find('=') != std::string_view::npos)
      part.recipe = recipe_of(std::string(where));
    else if (!where.starts_with("%") && plus != std::string_view::npos)
      part.local = where.substr(0, plus),
      part.local_at = static_cast<std::uint32_t>(number(where.substr(plus + 1)));
    else
      part.reg = where;
    stop.parts.push_back(std::move(part));
  }
  return stop;
}

std::uint64_t bits_in(const sim::WarpContext& w, const sim::RowRef& row, std::size_t lane) {
  switch (row.lane_bytes) {
    case 0:
      return w.predicate(row) >> lane & 1u;
    case 2:
      return w.row<std::uint16_t>(row)[lane];
    case 4:
      return w.row<std::uint32_t>(row)[lane];
    default:
      return w.row<std::uint64_t>(row)[lane];
  }
}

bool are_alike(const std::array<std::uint64_t, sim::kWarpLanes>& bits, sim::Mask lanes) {
  const std::uint64_t first = lanes == 0 ? 0 : bits[static_cast<std::size_t>(std::countr_zero(lanes))];
  bool alike = true;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(lanes)) alike &= bits[lane] == first;
  return alike;
}

}  // namespace

unsigned VariablePart::bytes() const {
  if (is_pointer()) return sizeof(std::uint64_t);
  return type == "bool" ? 1 : static_cast<unsigned>(std::stoi(type.substr(1))) / 8;
}

int VariableTable::stop_at(int ptx_line) const {
  const auto behind = by_line.upper_bound(ptx_line);
  return behind == by_line.begin() ? -1 : std::prev(behind)->second;
}

VariableTable take_variables(std::string& ptx) {
  VariableTable table;
  std::size_t begin = ptx.starts_with(kMark) ? 0 : ptx.find("\n" + std::string(kMark));
  if (begin == std::string::npos) return table;
  begin += begin == 0 ? 0 : 1;
  const std::string comments = ptx.substr(begin);
  ptx.resize(begin);
  std::string_view rest = comments;
  int kernel = 0, first = 0;
  while (!rest.empty()) {
    std::string_view line = cut(rest, '\n');
    line.remove_prefix(std::min(kMark.size(), line.size()));
    const std::string_view what = cut(line, ' ');
    if (what == "kernel") {
      kernel = static_cast<int>(number(line));
      first = static_cast<int>(table.stops.size());
    } else if (what == "stop") {
      table.stops.push_back(stop_of(line));
    } else if (what == "at") {
      const auto at = static_cast<int>(number(cut(line, ' ')));
      const auto stop = static_cast<int>(number(line));
      table.by_line[kernel + at + 1] = stop < 0 ? -1 : first + stop;  // lines count from 1
    }
  }
  return table;
}

std::vector<ShownVariable> shown_variables(const VariableTable& table, const StepVariables& variables) {
  std::vector<ShownVariable> shown;
  if (variables.stop < 0) return shown;
  std::size_t next = 0, at = 0;
  for (const VariablePart& part : table.stops[static_cast<std::size_t>(variables.stop)].parts) {
    ShownVariable one;
    one.part = &part;
    one.known = part.is_known();
    one.alike = !part.is_read() || variables.alike[next++];
    for (std::size_t lane = 0; one.known && lane < sim::kWarpLanes; ++lane)
      one.bits[lane] = part.constant ? *part.constant : variables.bits[at + (one.alike ? 0 : lane)];
    if (part.is_read()) at += one.alike ? 1 : sim::kWarpLanes;
    if (part.recipe && (one.alike = are_alike(one.bits, variables.lanes)) && variables.lanes != 0)
      one.bits.fill(one.bits[static_cast<std::size_t>(std::countr_zero(variables.lanes))]);
    shown.push_back(one);
  }
  return shown;
}

std::uint32_t committed_copies(const sim::WarpContext& registers, std::size_t lane) {
  return registers.block->warp_of(registers).copy_groups[lane];
}

VariableReader::VariableReader(const VariableTable& table, const sim::Program& program)
    : table_(&table), program_(&program) {
  if (table.stops.empty()) return;
  // All returns lead to one exit, which stands on the last line and is no statement of it.
  const std::uint32_t exit = program.data().functions.front().exit_pc;
  for (std::uint32_t pc = 0; pc < program.instruction_count(); ++pc)
    stop_of_.push_back(pc == exit ? -1 : table.stop_at(program.data().text(pc).ptx_line));
}

VariableReader::Bits VariableReader::bits_of(const std::string& reg,
                                             const sim::WarpContext& registers) const {
  const sim::RowRef row = program_->data().registers.at(reg);
  Bits bits{};
  for (std::size_t lane = 0; lane < bits.size(); ++lane) bits[lane] = bits_in(registers, row, lane);
  return bits;
}

// "transpose_param_0", "transpose_param_1+4".
VariableReader::Bits VariableReader::bits_of(const Recipe::Input& input,
                                             const sim::WarpContext& registers) const {
  if (input.parameter.empty()) return bits_of(input.reg, registers);
  std::string_view rest = input.parameter;
  const std::string_view name = cut(rest, '+');
  const std::span<const std::byte> bytes = registers.block->launch().parameters;
  std::uint64_t word = 0;
  for (const sim::ParameterInfo& p : program_->parameters()) {
    const std::size_t at = p.offset_bytes + static_cast<std::size_t>(number(rest));
    if (p.name == name && at < bytes.size())
      std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
  }
  Bits bits{};
  bits.fill(word);
  return bits;
}

VariableReader::Bits VariableReader::bits_of(const VariablePart& part,
                                             const sim::WarpContext& registers) const {
  if (!part.reg.empty()) return bits_of(part.reg, registers);
  const sim::Warp& warp = registers.block->warp_of(registers);
  const std::size_t at =
      registers.local_base + program_->data().locals.at(part.local).offset_bytes + part.local_at;
  Bits bits{};
  for (std::size_t lane = 0; lane < bits.size(); ++lane)
    std::memcpy(&bits[lane], warp.local.data() + lane * warp.local_stride + at, part.bytes());
  return bits;
}

StepVariables VariableReader::read(int stop, sim::Mask lanes, const sim::WarpContext& registers,
                                   std::size_t step, Recipes& recipes) const {
  StepVariables read{stop, lanes, {}, {}};
  for (const VariablePart& part : table_->stops[static_cast<std::size_t>(stop)].parts) {
    if (!part.is_read()) continue;
    if (part.recipe) {
      std::vector<std::uint64_t> inputs;
      for (const Recipe::Input& input : part.recipe->inputs) {
        const Bits bits = bits_of(input, registers);
        inputs.insert(inputs.end(), bits.begin(), bits.end());
      }
      recipes.ask(*part.recipe, step, read.bits.size(), inputs);
      read.alike.push_back(false);
      read.bits.resize(read.bits.size() + sim::kWarpLanes);
      continue;
    }
    const Bits bits = bits_of(part, registers);
    const bool alike = are_alike(bits, lanes);
    read.alike.push_back(alike);
    if (alike)
      read.bits.push_back(lanes == 0 ? 0 : bits[static_cast<std::size_t>(std::countr_zero(lanes))]);
    else
      read.bits.insert(read.bits.end(), bits.begin(), bits.end());
  }
  return read;
}

}  // namespace lab::explore

// libFuzzer target: arbitrary text as a kernel, from text to the end of a launch.
//
// Enters: bytes. They are parsed, every entry is decoded and launched on three small blocks with a tiny
// budget. Leaves: nothing. An error or a fault is what bad text deserves; a crash, a sanitizer's complaint or
// a hang is a find. Bytes rarely make an instruction, so a mutator of our own writes statements from the
// table of forms and from a list of the others, with operands that often fit. Build and run:
// tests/fuzz/README.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/gpu.h"
#include "common/sim/instructions/forms.h"
#include "common/sim/program/program_data.h"
#include "common/sim/ptx/ptx_module.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace lab::sim;

constexpr std::uint64_t kBudget = 20'000;  // warp instructions
constexpr std::uint32_t kMostParameters = 4096;

// Every 8-byte parameter is the address of a small buffer; other bytes are small numbers.
std::vector<std::byte> parameters_for(const Program& program, DeviceAddress buffer) {
  std::vector<std::byte> packed(program.parameter_bytes());
  for (const ParameterInfo& p : program.parameters()) {
    const std::uint64_t value = p.size_bytes == 8 ? buffer : 7;
    const std::size_t size = std::min<std::size_t>(p.size_bytes, sizeof value);
    if (p.offset_bytes + size <= packed.size()) std::memcpy(packed.data() + p.offset_bytes, &value, size);
  }
  return packed;
}

void launch_entry(const ModuleImage& image, const std::string& name, DeviceAddress buffer) {
  const auto program = decode(image, name);
  if (program->parameter_bytes() > kMostParameters) return;
  LaunchConfig config;
  config.grid = {3, 1, 1};
  config.block = {33, 2, 1};
  config.dynamic_shared_bytes = 64;
  LaunchOptions options;
  options.host_threads = 1;
  options.budget_instructions = kBudget;
  options.block_budget_instructions = kBudget;
  (void)launch(image.memory, *program, config, parameters_for(*program, buffer), options);
}

void run(std::string_view text) {
  ptx::Module module = ptx::parse(text);
  std::vector<std::string> entries;
  std::uint64_t bytes = 0;
  for (const ptx::Function& f : module.functions) {
    if (f.is_entry && !f.is_declaration && entries.size() < 4) entries.push_back(f.name);
  }
  // A module of gigabytes is legal and only slow here.
  for (const ptx::Variable& v : module.variables) bytes += v.size_bytes;
  if (bytes > (16u << 20)) return;
  Memory memory;
  const DeviceAddress buffer = memory.allocate(4096, Fill::Written, "buffer");
  const ModuleImage image(std::move(module), memory, kMostVariableBytes);
  for (const std::string& name : entries) {
    try {
      launch_entry(image, name, buffer);
    } catch (const FaultError&) {  // decode refuses
    }
  }
}

// --- a mutator that knows what a statement looks like ---

const std::vector<std::string>& structural() {
  static const std::vector<std::string> rows{"ld.global.f32 %f1, [%rd1];",
                                             "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];",
                                             "ld.v2.u64 {%rd1, %rd2}, [%rd3];",
                                             "st.global.v2.u32 [%rd1+8], {%r1, %r2};",
                                             "st.shared.u8 [%r1], %r2;",
                                             "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];",
                                             "ld.param.u64 %rd1, [p];",
                                             "ld.const.u32 %r1, [c+4];",
                                             "st.local.u32 [l+4], %r1;",
                                             "ld.local.u16 %h1, [l];",
                                             "cvta.to.global.u64 %rd1, %rd2;",
                                             "cvta.shared.u64 %rd1, %rd2;",
                                             "mov.u64 %rd1, s;",
                                             "mov.u32 %r1, s;",
                                             "mov.u64 %rd2, g;",
                                             "mov.u64 %rd1, f;",
                                             "mov.b64 {%r1, %r2}, %rd1;",
                                             "mov.b64 %rd1, {%r1, %r2};",
                                             "mov.u32 %r1, %clock;",
                                             "mov.u64 %rd1, %clock64;",
                                             "atom.global.add.u32 %r1, [%rd1], %r2;",
                                             "atom.shared.cas.b32 %r1, [s], %r2, %r3;",
                                             "red.global.max.s32 [%rd1], %r1;",
                                             "atom.global.exch.b64 %rd1, [%rd2], %rd3;",
                                             "atom.global.add.f32 %f1, [%rd1], %f2;",
                                             "atom.inc.u32 %r1, [%rd1], 5;",
                                             "bar.sync 0;",
                                             "bar.sync %r1, 64;",
                                             "barrier.sync.aligned 1;",
                                             "bar.arrive 1, 64;",
                                             "bar.red.popc.u32 %r1, 0, %p1;",
                                             "bar.warp.sync 0xffffffff;",
                                             "bar.warp.sync %r1;",
                                             "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
                                             "shfl.sync.idx.b32 %r1, %r2, %r3, 0x181f, %r4;",
                                             "vote.sync.ballot.b32 %r1, %p1, -1;",
                                             "vote.sync.any.pred %p1, %p2, %r1;",
                                             "match.any.sync.b32 %r1, %r2, -1;",
                                             "match.all.sync.b32 %r1|%p1, %r2, -1;",
                                             "redux.sync.add.s32 %r1, %r2, -1;",
                                             "activemask.b32 %r1;",
                                             "elect.sync %r1|%p1, -1;",
                                             "membar.gl;",
                                             "fence.acq_rel.gpu;",
                                             "nanosleep.u32 10;",
                                             "trap;",
                                             "bra L;",
                                             "bra.uni L;",
                                             "brx.idx %r1, T;",
                                             "ret;",
                                             "exit;",
                                             "call.uni f, ();",
                                             "call (q), g2, (a);",
                                             "call (q), %rd1, (a), pr;",
                                             "isspacep.shared %p1, %rd1;",
                                             "st.param.b32 [a], %r1;",
                                             "ld.param.b32 %r1, [q];",
                                             "cp.async.ca.shared.global [s], [%rd1], 16;",
                                             "cp.async.wait_all;",
                                             "prefetch.global.L2 [%rd1];",
                                             "discard.global.L2 [%rd1], 128;",
                                             "{",
                                             "}",
                                             "L:",
                                             "M:"};
  return rows;
}

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string statement() {
    std::string guard = below(4) == 0 ? (below(2) ? "@%p1 " : "@!%p2 ") : "";
    if (below(2) == 0) return guard + pick(structural());
    static const auto forms = all_forms();
    const Form& form = *pick(forms);
    std::string text = guard + form.text;
    for (std::size_t k = 0; k < form.operand.size() && form.operand[k] != ptx::Type::None; ++k) {
      text += (k == 0 ? " " : ", ") + operand(below(30) == 0 ? ptx::Type::B64 : form.operand[k], k != 0);
      if (k == 0 && (form.second_predicate || below(40) == 0)) text += "|%p3";
    }
    return text + ";";
  }
  unsigned below(unsigned n) { return random_() % n; }

 private:
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }
  std::string number(unsigned most) { return std::to_string(1 + below(most)); }

  std::string operand(ptx::Type type, bool source) {
    static const std::vector<std::string> odd{
        "0",   "-1",     "31",       "0x7fffffff", "0x80000000", "0f7FC00000", "0d7FF0000000000000",
        "1.5", "%tid.x", "%ctaid.y", "%laneid",    "%envreg3",   "WARP_SZ",    "_",
        "s",   "g",      "f",        "L",          "{%r1, %r2}", "[%rd1]"};
    if (source && below(4) == 0) return pick(odd);
    if (type == ptx::Type::Pred) return (source && below(4) == 0 ? "!%p" : "%p") + number(3);
    const bool real = type == ptx::Type::F32 || type == ptx::Type::F64;
    switch (ptx::size_bytes(type)) {
      case 1:
      case 2:
        return "%h" + number(3);
      case 4:
        return (real ? "%f" : "%r") + number(4);
      case 8:
        return (real ? "%d" : "%rd") + number(3);
      default:
        return "%q" + number(2);
    }
  }

  std::minstd_rand random_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    run({reinterpret_cast<const char*>(data), size});
  } catch (const ptx::ParseError&) {
  } catch (const FaultError&) {  // the module's image refuses
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  Writer writer(seed);
  if (writer.below(4) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  // A place behind some statement; now and then the statement that follows goes.
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == ';') ends.push_back(k + 1);
  }
  if (ends.empty()) return LLVMFuzzerMutate(data, size, max_size);
  const unsigned which = writer.below(static_cast<unsigned>(ends.size()));
  if (writer.below(2) == 0 && which + 1 < ends.size()) text.erase(ends[which], ends[which + 1] - ends[which]);
  if (writer.below(4) != 0) text.insert(ends[which], "\n" + writer.statement());
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

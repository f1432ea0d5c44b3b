// Every row of the table of opcodes (common/sim/ptx/opcodes.cpp) walks through every user of the table: what
// a column says is held to what the user makes of an instruction that was written without looking at the row.
//
// In a sample `%d…` names what the instruction writes and `%s…` what it reads, so the test knows both from
// the text alone. It is run with and without, and what observers see more of with it is the instruction's
// doing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/gpu/model/machine_code.h"
#include "common/gpu/model/waits.h"
#include "common/sim/analysis/merge_plan.h"
#include "common/sim/analysis/registers.h"
#include "common/sim/analysis/shape_branches.h"
#include "common/sim/analysis/value_uses.h"
#include "common/sim/gpu.h"
#include "common/sim/instructions/forms.h"
#include "common/sim/memory/tensor_map.h"
#include "common/sim/program/program_data.h"
#include "common/sim/program/work.h"
#include "common/sim/ptx/modifiers.h"
#include "tests/chapters/flight.h"

using namespace lab::sim;
using ptx::OpcodeRow;
using ptx::Orders;
using ptx::Unit;

namespace {

struct Sample {
  std::string line;
  std::string before{}, after{};
  bool runs = true;    // with the launch below; of the others decode alone is asked
  bool talks = false;  // blocks must take turns
};

// The copy or store `started`, whose bytes its barrier expects, until it has landed.
std::string landed(int bytes, const std::string& started) {
  return "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], " + std::to_string(bytes) + ";" +
         started +
         "@!%p0 mbarrier.arrive.shared::cta.b64 _, [%bar];"
         "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%bar], 0; @!%p1 bra AGAIN;";
}
const std::string kPeer = "mapa.shared::cluster.u32 %sm, %tile, 0; mapa.shared::cluster.u32 %sb, %bar, 0;";
const std::map<std::string_view, Sample>& samples() {
  const std::string reduce =
      "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%so], [%st], 256;"
      "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;";
  static const std::map<std::string_view, Sample> all{
      {"ld", {.line = "ld.volatile.global.u32 %d, [%sl];", .talks = true}},
      {"ldu", {.line = "ldu.global.u32 %d, [%sl];"}},
      {"st", {.line = "st.global.u32 [%sq], %s;"}},
      {"atom", {.line = "atom.global.add.u32 %d, [%so], %s;", .talks = true}},
      {"red", {.line = "red.global.add.u32 [%so], %s;", .talks = true}},
      {"cp.async", {.line = "cp.async.ca.shared.global [%sw], [%sl], 4;"}},
      {"cp.async.commit_group", {.line = "cp.async.commit_group;"}},
      {"cp.async.wait_group",
       {.line = "cp.async.wait_group 0;",
        .before = "cp.async.ca.shared.global [%sw], [%sl], 4; cp.async.commit_group;"}},
      {"cp.async.wait_all",
       {.line = "cp.async.wait_all;", .before = "cp.async.ca.shared.global [%sw], [%sl], 4;"}},
      {"cp.async.mbarrier.arrive", {.line = "cp.async.mbarrier.arrive.noinc.shared.b64 [%sb];"}},
      {"cp.async.bulk",
       {.line = landed(
            256,
            "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%st], [%si], 256, "
            "[%sb];")}},
      {"cp.async.bulk.commit_group", {.line = "cp.async.bulk.commit_group;"}},
      {"cp.async.bulk.wait_group", {.line = "cp.async.bulk.wait_group 0;"}},
      {"cp.async.bulk.prefetch", {.line = "cp.async.bulk.prefetch.L2.global [%si], 256;"}},
      {"cp.async.bulk.tensor",
       {.line = landed(
            512,
            "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%st], "
            "[%smap, {%sz, %sz}], [%sb];")}},
      {"cp.async.bulk.prefetch.tensor",
       {.line = "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%smap, {%sz, %sz}];"}},
      {"cp.reduce.async.bulk",
       {.line = reduce, .before = "fence.proxy.async.shared::cta; bar.sync 0;", .talks = true}},
      {"st.async",
       {.line = landed(
            4, "@%p0 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%sm], %s, [%sb];"),
        .before = kPeer}},
      {"red.async",
       {.line = landed(
            4,
            "@%p0 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%sm], %s, "
            "[%sb];"),
        .before = kPeer}},
      {"ldmatrix", {.line = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d}, [%st];"}},
      {"stmatrix", {.line = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%st], {%s};"}},
      {"movmatrix", {.line = "movmatrix.sync.aligned.m8n8.trans.b16 %d, %s;"}},
      {"tex", {.line = "tex.2d.v4.f32.f32 {%d, %d1, %d2, %d3}, [%sl, {%sf, %sf}];", .runs = false}},
      {"tld4", {.line = "tld4.r.2d.v4.f32.f32 {%d, %d1, %d2, %d3}, [%sl, {%sf, %sf}];", .runs = false}},
      {"suld", {.line = "suld.b.2d.b32.trap {%d}, [%sl, {%sz, %sz}];", .runs = false}},
      {"sust", {.line = "sust.b.2d.b32.trap [%sl, {%sz, %sz}], {%s};", .runs = false}},
      {"sured", {.line = "sured.b.add.2d.u32.trap [%sl, {%sz, %sz}], %s;", .runs = false}},
      {"st.bulk", {.line = "st.bulk.weak.shared::cta [%st], 16, 0;", .runs = false}},
      {"tensormap.replace",
       {.line = "tensormap.replace.tile.rank.global.b1024.b32 [%smap], %s;", .runs = false}},
      {"tensormap.cp_fenceproxy",
       {.line =
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%so], "
            "[%st], 128;",
        .runs = false}},
      {"mapa", {.line = "mapa.shared::cluster.u32 %d, %st, %sz;"}},
      {"getctarank", {.line = "getctarank.shared::cluster.u32 %d, %st;"}},
      {"cvta", {.line = "cvta.to.global.u64 %dl, %sl;"}},
      {"isspacep", {.line = "isspacep.global %dp, %sl;"}},
      {"mov", {.line = "mov.u32 %d, %s;"}},
      {"membar", {.line = "membar.gl;"}},
      {"fence", {.line = "fence.acq_rel.gpu;"}},
      {"prefetch", {.line = "prefetch.global.L1 [%sl];"}},
      {"prefetchu", {.line = "prefetchu.L1 [%sl];"}},
      {"discard", {.line = "discard.global.L2 [%si], 128;"}},
      {"applypriority", {.line = "applypriority.global.L2::evict_normal [%si], 128;"}},
      {"createpolicy", {.line = "createpolicy.fractional.L2::evict_last.b64 %dl, 0f3F800000;"}},
      {"nanosleep", {.line = "nanosleep.u32 100;"}},
      {"griddepcontrol", {.line = "griddepcontrol.wait;"}},
      {"setmaxnreg", {.line = "setmaxnreg.inc.sync.aligned.u32 64;"}},
      {"pmevent", {.line = "pmevent 0;"}},
      {"bra", {.line = "bra NEXT;", .after = "NEXT:"}},
      {"brx", {.line = "brx.idx %sz, LIST;", .before = "LIST: .branchtargets NEXT;", .after = "NEXT:"}},
      {"call", {.line = "call.uni helper;"}},
      {"ret", {.line = "ret;"}},
      {"exit", {.line = "exit;"}},
      {"trap", {.line = "trap;", .runs = false}},
      {"brkpt", {.line = "brkpt;", .runs = false}},
      {"bar", {.line = "bar.sync 0;"}},
      {"bar.arrive", {.line = "bar.arrive 1, 128;"}},
      {"bar.red", {.line = "bar.red.popc.u32 %d, 0, %sp;"}},
      {"bar.warp", {.line = "bar.warp.sync -1;"}},
      {"barrier", {.line = "barrier.sync 0;"}},
      {"barrier.arrive", {.line = "barrier.arrive 1, 128;"}},
      {"barrier.red", {.line = "barrier.red.or.pred %dp, 0, %sp;"}},
      {"barrier.cluster", {.line = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"}},
      {"barrier.cluster.arrive", {.line = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"}},
      {"mbarrier", {.line = "@%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%sb], 16;"}},
      {"mbarrier.arrive", {.line = "mbarrier.arrive.shared::cta.b64 %dl, [%sb];"}},
      {"mbarrier.arrive_drop", {.line = "mbarrier.arrive_drop.shared::cta.b64 %dl, [%sb];"}},
      {"mbarrier.test_wait", {.line = "mbarrier.test_wait.parity.shared::cta.b64 %dp, [%sb], 1;"}},
      {"mbarrier.try_wait", {.line = "mbarrier.try_wait.parity.shared::cta.b64 %dp, [%sb], 1;"}},
      {"mbarrier.pending_count",
       {.line = "mbarrier.pending_count.b64 %d, %sl;",
        .before = "mbarrier.arrive.shared::cta.b64 %sl, [%bar];"}},
      {"activemask", {.line = "activemask.b32 %d;"}},
      {"shfl", {.line = "shfl.sync.bfly.b32 %d|%dp, %s, 1, 31, -1;"}},
      {"vote", {.line = "vote.sync.ballot.b32 %d, %sp, -1;"}},
      {"match", {.line = "match.any.sync.b32 %d, %s, -1;"}},
      {"redux", {.line = "redux.sync.add.u32 %d, %s, -1;"}},
      {"elect", {.line = "elect.sync %d|%dp, -1;"}},
      {"mma",
       {.line = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%dx, %dy}, {%sx}, {%sx}, {%sx, %sx};"}},
      {"wmma.mma",
       {.line =
            "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%dx, %dy}, {%sx}, {%sx}, {%sx, %sx};"}},
      {"wmma.load", {.line = "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%dx}, [%si];"}},
      {"wmma.store", {.line = "wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%so], {%sx, %sx};"}},
      {"wgmma", {.line = "wgmma.wait_group.sync.aligned 0;"}},
      {"wgmma.commit_group", {.line = "wgmma.commit_group.sync.aligned;"}},
      {"wgmma.fence", {.line = "wgmma.fence.sync.aligned;"}},
      {"wgmma.mma_async",
       {.line = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d, %d1, %d2, %d3}, %sdesc, %sdesc, %sp, "
                "1, 1, 0, 0;",
        .before = "fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;",
        .after = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"}},
  };
  return all;
}

// Of a lane-wise opcode: its first form, with a register of each operand's type.
Sample of_form(const OpcodeRow& row) {
  const auto forms = all_forms();
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const Form* one) {
    return one->text.substr(0, one->text.find('.')) == row.text;
  });
  REQUIRE_MESSAGE(form != forms.end(), std::string(row.text));
  const auto suffix = [](ptx::Type type) -> std::string {
    if (type == ptx::Type::Pred) return "p";
    const int bytes = ptx::size_bytes(type);
    return bytes == 8 ? "l" : bytes == 4 ? "" : "h";
  };
  Sample sample{.line = (*form)->text};
  for (std::size_t k = 0; k < (*form)->operand.size() && (*form)->operand[k] != ptx::Type::None; ++k)
    sample.line +=
        row.text == "lop3" && k == 4 ? ", 0x96" : (k == 0 ? " %d" : ", %s") + suffix((*form)->operand[k]);
  sample.line += ';';
  return sample;
}

Sample sample_of(const OpcodeRow& row) {
  if (row.reader == ptx::Reader::LaneWise) return of_form(row);
  const auto found = samples().find(row.text);
  REQUIRE_MESSAGE(found != samples().end(), "the row `" << row.text << "` has no sample here");
  return found->second;
}

// %st: the tile, a row of 16 bytes each lane; %sw: a word each thread; %sb: an mbarrier; %si, %so: buffers;
// %sl, %sq: a word of each of them for each thread; %smap: a tensor map of %si.
std::string module_of(const Sample& sample, bool with_it) {
  return std::string(".version 8.8\n.target ") + (sample.line.starts_with("wgmma") ? "sm_90a" : "sm_100a") +
         R"(
.address_size 64
.func helper() { ret; }
.visible .entry test(.param .u64 p_out, .param .u64 p_in, .param .u64 p_map)
{
  .reg .pred %p<4>, %dp, %sp;
  .reg .b16 %dh, %sh;
  .reg .b32 %tid, %d, %d1, %d2, %d3, %s, %sz, %st, %sw, %sb, %sm, %bar, %tile, %r<4>;
  .reg .f32 %sf;
  .reg .b64 %dl, %sl, %sq, %si, %so, %smap, %sdesc, %rd<4>;
  .reg .f64 %dx, %dy, %sx;
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b8 bar[32];
  ld.param.u64 %so, [p_out];
  ld.param.u64 %si, [p_in];
  ld.param.u64 %smap, [p_map];
  mov.u32 %tid, %tid.x;
  mov.u32 %tile, tile;
  mov.u32 %bar, bar;
  mov.u32 %sb, bar;
  setp.eq.u32 %p0, %tid, 0;
  setp.ne.u32 %sp, %tid, 5;
  mov.u32 %s, 3;
  mov.u32 %sz, 0;
  mov.b16 %sh, 3;
  mov.f32 %sf, 0f00000000;
  mov.f64 %sx, 0d0000000000000000;
  mov.f32 %d, 0f00000000;
  mov.f32 %d1, 0f00000000;
  mov.f32 %d2, 0f00000000;
  mov.f32 %d3, 0f00000000;
  mov.u64 %sdesc, 0;
  and.b32 %r1, %tid, 31;
  mad.lo.u32 %st, %r1, 16, %tile;
  mad.lo.u32 %sw, %tid, 4, %tile;
  mul.wide.u32 %rd1, %tid, 4;
  add.u64 %sl, %si, %rd1;
  add.u64 %sq, %so, %rd1;
  mov.u32 %r2, 0;
CLEAR:
  st.shared.u32 [%sw], %sz;
  st.shared.u32 [%sw+512], %sz;
  @%p0 mbarrier.init.shared::cta.b64 [%bar], 128;
  @%p0 fence.mbarrier_init.release.cluster;
  bar.sync 0;
  )" + sample.before +
         "\n" + (with_it ? sample.line : "") + "\n" + sample.after + "\n  ret;\n}\n";
}

// Counts what observers get, by kind; accesses by path, of the instruction `pc` or of all.
class Events final : public Observer {
 public:
  std::map<std::string, int> counts;
  std::set<Path> paths;
  std::uint32_t first_pc = 0, last_pc = ~0u;  // of the sample's instructions

  [[nodiscard]] std::unique_ptr<Observer> clone() const override {
    auto fresh = std::make_unique<Events>();
    fresh->first_pc = first_pc;
    fresh->last_pc = last_pc;
    return fresh;
  }
  void merge(const Observer& other) override {
    const auto& from = dynamic_cast<const Events&>(other);
    for (const auto& [what, count] : from.counts) counts[what] += count;
    paths.insert(from.paths.begin(), from.paths.end());
  }
  void access(std::uint32_t, const Access& access) override {
    ++counts["access"];
    if (access.pc >= first_pc && access.pc <= last_pc) paths.insert(access.path);
  }
  void copy(std::uint32_t, const Copy&) override { ++counts["copy"]; }
  void bulk(std::uint32_t, const BulkCopy&) override { ++counts["bulk"]; }
  void product(std::uint32_t, const ProductRead&) override { ++counts["product"]; }
  void engine(std::uint32_t, const EngineEvent& event) override {
    ++counts["engine"];
    counts["use"] += event.act == EngineEvent::Act::Use;
  }
  void barrier(std::uint32_t) override { ++counts["barrier"]; }
  void warp_sync(std::uint32_t, std::uint32_t, Mask) override { ++counts["lanes"]; }
  void fence(std::uint32_t, std::uint32_t, Mask, bool, Scope) override { ++counts["fence"]; }
  void meet(std::uint32_t, const Meeting&, bool) override { ++counts["meet"]; }
  void copies_arrive(std::uint32_t, std::uint32_t, Mask, std::uint64_t) override { ++counts["meet"]; }
  void copies_waited(std::uint32_t, std::uint32_t, Mask) override { ++counts["waited"]; }
  void sleep(std::uint32_t, std::uint32_t, Mask, std::uint64_t) override { ++counts["sleep"]; }
  void wait_for_kernels(std::uint32_t, std::uint32_t) override { ++counts["kernels"]; }
};

struct Decoded {
  Memory memory;
  std::shared_ptr<ModuleImage> image;
  std::shared_ptr<const Program> program;
  explicit Decoded(const std::string& text)
      : image(load_module(ptx::parse(text), memory)), program(decode(*image, "test", Shortcuts::Off)) {}
  [[nodiscard]] const ptx::Function& function() const { return *program->data().function_texts[0]; }
};

const ptx::Instruction& instruction_of(const Decoded& made, const OpcodeRow& row) {
  const ptx::Instruction* found = nullptr;
  for (const ptx::Instruction& in : made.function().body)
    if (in.row == &row) found = &in;
  REQUIRE_MESSAGE(found != nullptr, "no instruction of `" << row.text << "` was read");
  return *found;
}

Events run(Decoded& made, const OpcodeRow* row) {
  const DeviceAddress out = made.memory.allocate(16384, Fill::Written, "out"),
                      in = made.memory.allocate(16384, Fill::Written, "in"),
                      map_at = made.memory.allocate(kTensorMapBytes, Fill::Written, "map");
  TensorMap map;
  map.type = TensorType::U32;
  map.rank = 2;
  map.address = in;
  map.dims = {64, 64, 1, 1, 1};
  map.strides = {256};
  map.box = {16, 8, 1, 1, 1};
  made.memory.write(map_at, encoded(map));
  Events events;
  if (row != nullptr) {
    events.first_pc = events.last_pc = ~0u;
    for (std::uint32_t pc = 0; pc < made.program->instruction_count(); ++pc) {
      if (&made.program->opcode(pc) != row) continue;
      if (events.first_pc == ~0u || pc > events.last_pc + 1) events.first_pc = pc;  // the last of its row
      events.last_pc = pc;
    }
  }
  lab::course::Flight flight;
  const std::uint64_t parameters[] = {out, in, map_at};
  LaunchConfig config;
  config.block = {128, 1, 1};
  config.cluster = {1, 1, 1};
  LaunchOptions options;
  options.observers = {&events, &flight};
  const LaunchResult result =
      launch(made.memory, *made.program, config, std::as_bytes(std::span(parameters)), options);
  for (const Fault& fault : result.faults) FAIL_CHECK(fault.sentence().english());
  return events;
}

bool names(const ptx::Operand& operand, char first) {
  if (operand.name.size() > 1 && operand.name[0] == '%' && operand.name[1] == first) return true;
  if (operand.predicate_or.size() > 1 && operand.predicate_or[1] == first) return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const ptx::Operand& e) { return names(e, first); });
}

bool is_path_of(Unit unit, Direction direction, Path path) {
  const PathInfo& of = info(path);
  switch (unit) {
    case Unit::Lanes:
    case Unit::Atomic:
      return of.direction == direction && path == path_of(of.space, direction);
    case Unit::Copy:
      return path == Path::GlobalAsync || path == Path::SharedAsync;
    case Unit::Bulk:
      return of.rule == Rule::BothSides && path != Path::GlobalAsync && path != Path::SharedAsync;
    case Unit::Matrix:
      return path == (direction == Direction::Read ? Path::SharedMatrixLoad : Path::SharedMatrixStore);
    case Unit::Fragment:
      return of.direction == direction;
    case Unit::Product:
      return path == Path::SharedProductLoad;
    case Unit::Peer:
      return of.space == Space::Cluster || of.space == Space::Shared;
    default:
      return false;
  }
}

// What waits for a pipe has one in the table, and only that.
void check_machine(const ptx::Function& text, const OpcodeRow& row) {
  const std::vector<lab::model::MachineCount> counts = lab::model::machine_counts(text);
  if (row.moves_bytes() || row.computes == ptx::Computes::Nothing) CHECK(row.machine.pipe == ptx::Pipe::None);
  for (std::size_t at = 0; at < counts.size(); ++at) {
    if (text.body[at].row != &row) continue;
    const bool waits = std::any_of(counts[at].begin() + 1, counts[at].end(), [](auto n) { return n != 0; });
    // Half of a division lies in each of two pipes: none of a single instruction's.
    const std::uint32_t least = row.machine.pipe == ptx::Pipe::Divides ? 2 : 1;
    const bool made = counts[at][0] >= least && row.machine.pipe != ptx::Pipe::None;
    const bool of_predicates = ptx::has(text.body[at], "pred");
    CHECK(waits == (made && !of_predicates));
  }
}

// What observers must have been notified of by such an order; "": of nothing.
std::vector<std::string> words_of(Orders orders) {
  switch (orders) {
    case Orders::Lanes:
      return {"lanes"};
    case Orders::Barrier:
      return {"barrier"};
    case Orders::Arrive:
      return {"meet", "engine"};
    case Orders::Wait:
      return {"meet", "waited", "engine", "use", "access"};
    case Orders::Starts:
      return {"copy", "bulk", "product", "engine"};
    case Orders::Fence:
      return {"fence", "engine", "meet"};
    case Orders::Sleep:
      return {"sleep"};
    case Orders::Kernels:
      return {"kernels"};
    default:
      return {};
  }
}

void walk(const OpcodeRow& row) {
  const Sample sample = sample_of(row);
  CAPTURE(sample.line);
  Decoded with(module_of(sample, true));
  const ProgramData& data = with.program->data();
  const ptx::Instruction& in = instruction_of(with, row);

  // The parser and decode: the row is this one, and the operands are written and read as the text says.
  const ptx::Operand* const written = written_operand(in);
  for (const ptx::Operand& operand : in.operands) {
    CHECK(names(operand, 'd') == (&operand == written));
    CHECK_FALSE((&operand == written && names(operand, 's')));
  }
  const bool decoded = std::any_of(data.origins.begin(), data.origins.end(),
                                   [&](const ProgramData::Origin& origin) { return origin.in->row == &row; });
  CHECK(decoded);
  const auto writes_row = [&](const Inst& inst) { return is_set(inst.dst) || is_set(inst.dst2); };
  for (const Inst& inst : data.code)
    if (&data.opcode(inst.pc) == &row && row.writes == ptx::Writes::Nothing &&
        row.moves.unit != Unit::Fragment)  // becomes several instructions, with rows of their own
      CHECK_FALSE(writes_row(inst));

  // The order of blocks.
  CHECK(data.blocks_talk == sample.talks);

  // Registers: what it reads is alive before it, what it writes is not, unless it is read too.
  ptx::Function alone = with.function();
  alone.body = {in};
  alone.labels.clear();
  std::set<std::string> read;
  std::uint32_t words = 0;
  const auto count = [&](const auto& self, const ptx::Operand& operand, bool of_source) -> void {
    for (const std::string& name : {operand.name, operand.predicate_or}) {
      if (name.size() < 2 || name[0] != '%' || (name[1] != 's' && name[1] != 'd') ||
          !read.insert(name).second)
        continue;
      const std::string_view kind = std::string_view(name).substr(2);
      const bool wide =
          name.find_first_of("lqiox", 2) != name.npos || kind == "map" || kind == "desc" || kind == "y";
      if (of_source && kind != "p") words += wide ? 2 : 1;
    }
    for (const ptx::Operand& e : operand.elements) self(self, e, of_source);
  };
  for (const ptx::Operand& operand : in.operands)
    if (&operand != written || row.writes == ptx::Writes::Adds) count(count, operand, true);
  const std::uint32_t sources = words;
  read.clear(), words = 0;
  if (written != nullptr) count(count, *written, true);
  CHECK(registers_alive(alone) == std::max(sources, words));

  // Values: one that becomes an address, or goes to memory, leaves the registers.
  ptx::Function loaded = alone;
  const ptx::Module other = ptx::parse(module_of({.line = "ld.global.u32 %s, [%si];"}, true));
  ptx::Instruction load;
  for (const ptx::Instruction& one : other.functions.back().body)
    if (one.row->loads() && ptx::has(one, "global")) load = one;
  std::set<std::string> goes_to_memory;
  const auto collect = [&](const auto& self, const ptx::Operand& operand, bool out) -> void {
    const bool address = operand.kind == ptx::OperandKind::Address;
    if ((address || out) && operand.name.starts_with("%s")) goes_to_memory.insert(operand.name);
    for (const ptx::Operand& e : operand.elements) self(self, e, out || address);
  };
  const bool has_address = std::any_of(in.operands.begin(), in.operands.end(), [](const ptx::Operand& o) {
    return o.kind == ptx::OperandKind::Address;
  });
  for (const ptx::Operand& operand : in.operands)
    if (&operand != written) collect(collect, operand, has_address);
  for (const std::string& name : goes_to_memory) {
    load.operands[0].name = name;
    loaded.body = {load, in};
    CHECK_MESSAGE(ValueUses(loaded).leaves(loaded.body[0]), name);
  }
  if (written != nullptr && row.sees != ptx::Sees::Memory) {
    for (const ptx::Operand& operand : in.operands) {
      if (&operand == written || operand.kind != ptx::OperandKind::Register ||
          !operand.name.starts_with("%s"))
        continue;
      load.operands[0].name = operand.name;
      ptx::Instruction store = in;
      store.row = &ptx::opcode_row("st.global.u32");
      store.modifiers = {"global", "u32"};
      store.operands = {operand, *written};
      store.operands[0].kind = ptx::OperandKind::Address;
      store.operands[0].name = "%si";
      loaded.body = {load, in, store};
      CHECK(ValueUses(loaded).reaches(loaded.body[0], loaded.body[2]));
    }
  }

  // What `ptxas` does with two loads around it, work units, and the model's chains of loads.
  if (row.next == ptx::Next::Through) {
    Decoded merged(module_of({.line = sample.line,
                              .before = "ld.shared.u32 %r1, [%tile];" + sample.before,
                              .after = "ld.shared.u32 %r2, [%tile+4]; st.shared.u32 [%tile+64], %r1; "
                                       "st.shared.u32 [%tile+72], %r2;" +
                                       sample.after},
                             true));
    const MergePlan& plan = merged.program->merge_plan();
    bool any = false;
    for (std::uint32_t pc = 0; pc < merged.program->instruction_count(); ++pc)
      any = any || (merged.program->opcode(pc).loads() &&
                    merged.program->data().code[pc].space == Space::Shared && plan.changes(pc));
    if (sample.before.empty() && row.parts == ptx::Parts::All) CHECK_FALSE(any);
    if (sample.before.empty() && row.parts == ptx::Parts::Nothing) CHECK(any);
  }
  CHECK(extra_work_of(in) >= row.work);
  check_machine(with.function(), row);
  const std::vector<lab::model::LoadChain> chains = lab::model::load_chains(data);
  for (const Inst& inst : data.code)
    if (&data.opcode(inst.pc) == &row && row.sees == ptx::Sees::Operands) CHECK(chains[inst.pc].own == 0);
  CHECK(lab::model::atomic_kinds(data).size() == data.code.size());

  // The checks and the judge: what observers see of it.
  if (!sample.runs) return;
  Decoded without(module_of(sample, false));
  std::map<std::string, int> more;
  const Events before = run(without, nullptr), events = run(with, &row);
  for (const auto& [what, heard] : events.counts) {
    const auto same = before.counts.find(what);
    more[what] = heard - (same == before.counts.end() ? 0 : same->second);
  }
  for (const Path path : events.paths)
    CHECK_MESSAGE(is_path_of(row.moves.unit, row.moves.direction, path), info(path).name);
  const bool moves = row.moves_bytes() && row.moves.unit != Unit::Hint && row.moves.unit != Unit::Barrier;
  CHECK((!moves || !events.paths.empty() || more["bulk"] > 0));
  CHECK((moves || events.paths.empty()));
  const std::vector<std::string> expected = words_of(row.orders);
  const bool notified =
      std::any_of(expected.begin(), expected.end(), [&](const std::string& what) { return more[what] > 0; });
  // A wait that had nothing to wait for, and the fence of a warpgroup, are not reported.
  const bool unheard = row.orders == Orders::Wait || row.reader == ptx::Reader::Warpgroup;
  CHECK_MESSAGE((expected.empty() || notified || unheard), "nothing heard of an order");
  if (row.orders == Orders::Nothing)
    for (const char* what : {"barrier", "lanes", "fence", "meet", "sleep", "kernels", "waited"})
      CHECK_MESSAGE(more[what] <= 0, what);
}

}  // namespace

TEST_SUITE("opcodes") {
  TEST_CASE("every row through every user") {
    for (const OpcodeRow& row : ptx::opcode_rows()) {
      CAPTURE(row.text);
      walk(row);
    }
  }

  TEST_CASE("a row is found by its own text, and stands there once") {
    std::set<std::string_view> seen;
    for (const OpcodeRow& row : ptx::opcode_rows()) {
      CHECK_MESSAGE(seen.insert(row.text).second, row.text);
      CHECK(&ptx::opcode_row(row.text) == &row);
    }
    CHECK(&ptx::opcode_row("bar.cta.red.popc.u32") == &ptx::opcode_row("bar.red"));
    CHECK(&ptx::opcode_row("cp.reduce.async.bulk.tensor.1d.global.shared::cta.and") ==
          &ptx::opcode_row("cp.reduce.async.bulk"));
    CHECK(&ptx::opcode_row("vswap.u32") == &ptx::unknown_opcode());
  }

  TEST_CASE("branches that follow from arguments, memory or the block, not from the thread's number alone") {
    const Decoded made(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u32 n)\n{\n"
        ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra $A;\nbar.sync 0;\n$A:\n"
        "ld.param.u32 %r2, [n];\nrem.u32 %r3, %r2, 32;\nsetp.eq.u32 %p2, %r3, 7;\n@%p2 bra $B;\nbar.sync "
        "0;\n$B:\n"
        "mov.u32 %r4, %ctaid.x;\nadd.u32 %r5, %r4, %r1;\nsetp.eq.u32 %p3|%p4, %r5, 1;\n@%p4 bra "
        "$C;\nbar.sync 0;\n$C:\n"
        "ret;\n}\n");
    const std::vector<bool> found = shape_branches(made.program->data());
    std::string of_branches;
    for (std::size_t pc = 0; pc < found.size(); ++pc)
      if (made.program->opcode(pc).next == ptx::Next::Jump) of_branches += found[pc] ? 'y' : 'n';
    CHECK(of_branches == "nyy");
    CHECK(std::count(found.begin(), found.end(), true) == 2);
  }

  // A branch on it, and a copy of it: what the analysis of shapes, work units and the time model make of every row.
  TEST_CASE("special registers: branches of the shape, clocks, and what lies in the constant bank") {
    for (const ptx::SpecialRegister& special : ptx::special_registers()) {
      if (special.kept == ptx::Kept::BlockPredicate) continue;
      const std::string name = std::string(special.name) + (special.has_members ? ".y" : "");
      const std::string bits = special.has_64_bits ? "64" : "32";
      const Decoded made(
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u32 n)\n{\n"
          ".reg .pred %p<9>;\n.reg .b" +
          bits + " %r<9>;\nbar.sync 0;\nmov.u" + bits + " %r1, " + name + ";\nsetp.eq.u" + bits +
          " %p1, %r1, 4;\n@%p1 bra $A;\nbar.sync 0;\n$A:\nret;\n}\n");
      const std::vector<bool> found = shape_branches(made.program->data());
      const bool of_shape = special.follows == ptx::Follows::Grid || special.follows == ptx::Follows::Block;
      CHECK_MESSAGE(std::count(found.begin(), found.end(), true) == of_shape, name);
      const ptx::Function& text = *made.program->data().function_texts[0];
      const auto copies = lab::model::of(lab::model::machine_counts(text)[1], ptx::Pipe::None);
      CHECK_MESSAGE((copies == 0) == special.in_constant_bank, name);
      CHECK_MESSAGE((extra_work_of(text.body[1]) != 0) == (special.kept == ptx::Kept::Clock), name);
    }
  }

  TEST_CASE("forms and rows know the same opcodes") {
    std::set<std::string> stems, rows{"mov"};
    for (const Form* form : all_forms()) stems.insert(form->text.substr(0, form->text.find('.')));
    for (const OpcodeRow& row : ptx::opcode_rows())
      if (row.reader == ptx::Reader::LaneWise) rows.emplace(row.text);
    CHECK(stems == rows);
  }
}

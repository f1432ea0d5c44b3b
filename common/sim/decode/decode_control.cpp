// Reads what ends a straight run: branches, calls, barriers, warp-wide operations, the end of a thread.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "common/sim/base/kernel_name.h"
#include "common/sim/base/lanes.h"
#include "common/sim/decode/decoder.h"
#include "common/sim/execute/barrier.h"
#include "common/sim/execute/device_runtime.h"
#include "common/sim/execute/exec_sync.h"

namespace lab::sim {
namespace {

// Every warp operation there is, in full: a modifier that is not understood must not be ignored.
constexpr std::string_view kWarpOperations[] = {
    "shfl.sync.up.b32",           "shfl.sync.down.b32",         "shfl.sync.bfly.b32",
    "shfl.sync.idx.b32",          "vote.sync.all.pred",         "vote.sync.any.pred",
    "vote.sync.uni.pred",         "vote.sync.ballot.b32",       "match.any.sync.b32",
    "match.any.sync.b64",         "match.all.sync.b32",         "match.all.sync.b64",
    "redux.sync.add.u32",         "redux.sync.min.u32",         "redux.sync.max.u32",
    "redux.sync.add.s32",         "redux.sync.min.s32",         "redux.sync.max.s32",
    "redux.sync.and.b32",         "redux.sync.or.b32",          "redux.sync.xor.b32",
    "redux.sync.min.f32",         "redux.sync.max.f32",         "redux.sync.min.abs.f32",
    "redux.sync.max.abs.f32",     "redux.sync.min.NaN.f32",     "redux.sync.max.NaN.f32",
    "redux.sync.min.abs.NaN.f32", "redux.sync.max.abs.NaN.f32", "elect.sync"};

// What stands behind `bar` and `barrier`, by the alphabet.
constexpr std::pair<std::string_view, BarrierAction> kBarrierActions[] = {
    {"sync", BarrierAction::Sync},
    {"arrive", BarrierAction::Arrive},
    {"popc.red.u32", BarrierAction::Popc},
    {"and.pred.red", BarrierAction::And},
    {"or.pred.red", BarrierAction::Or}};

// Functions of the device runtime that a kernel may call and that are not simulated, in words.
Message device_side_call(std::string_view name) {
  constexpr std::string_view kPrefix = "__cudaCDP2";
  if (name.starts_with(kPrefix))
    return msg("cuda{} called by a kernel", std::string(name.substr(kPrefix.size())));
  if (name.starts_with("cudaLaunchDevice") || name.starts_with("cudaGetParameterBuffer"))
    return "a kernel that launches kernels as CUDA 11 did (compile for compute_90, with CUDA 12 or 13)";
  return {};
}

void exec_activemask(WarpContext& w, const Inst& i) {
  std::uint32_t* d = w.row<std::uint32_t>(i.dst);
  for (const int k : lanes_of<int>(w.mask)) d[k] = w.mask;
}

bool is_warp_operation(std::string_view full_opcode) {
  const std::string words = ptx::in_order(full_opcode);
  return std::any_of(std::begin(kWarpOperations), std::end(kWarpOperations),
                     [&](std::string_view one) { return ptx::in_order(one) == words; });
}

// sm_10 to sm_62.
bool is_before_volta(std::string_view target) {
  return target.size() == std::string_view("sm_60").size() && target < "sm_70";
}

}  // namespace

// ret, exit, trap, brkpt: where a thread's way ends, in this function or for good.
void Decoder::decode_end(const ptx::Instruction& in) {
  const std::size_t words = in.row->next == ptx::Next::Return && ptx::has(in, "uni") ? 1 : 0;
  if (in.modifiers.size() != words) unsupported(in);
  const Control control = in.row->next == ptx::Next::Return ? Control::Branch
                          : in.row->next == ptx::Next::Exit ? Control::Exit
                                                            : Control::Trap;
  emit(in, nullptr, nullptr, control);
  scope_->jumps.emplace_back(scope_->nodes.size() - 1, kNoPc);
  scope_->nodes.back().falls_through = !in.guard.empty();
}

void Decoder::jump_to(const ptx::Instruction& in, std::string_view label) {
  const auto found = scope_->function->labels.find(label);
  if (found == scope_->function->labels.end())
    fail(in, FaultKind::BadPtx, msg("there is no label `{}`", label));
  scope_->jumps.emplace_back(scope_->nodes.size() - 1, static_cast<std::uint32_t>(found->second));
}

void Decoder::decode_branch(const ptx::Instruction& in) {
  expect_operands(in, 1, 1);
  const std::string& target = label(in, in.operands[0]);
  emit(in, nullptr, nullptr, Control::Branch);
  jump_to(in, target);
  scope_->nodes.back().falls_through = !in.guard.empty();
}

void Decoder::decode_branch_indexed(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  const ptx::TargetList* list = nullptr;
  for (const ptx::TargetList& t : scope_->function->branch_targets) {
    if (t.label == label(in, in.operands[1])) list = &t;
  }
  if (list == nullptr || list->targets.empty()) fail(in, FaultKind::BadPtx, "its list of targets is missing");
  const RowRef index = source(in, in.operands[0], ptx::Type::U32);
  Inst& inst = emit(in, nullptr, nullptr, Control::BranchIndirect);
  inst.a = index;
  inst.extra = static_cast<std::uint32_t>(data_->branch_tables.size());
  data_->branch_tables.emplace_back();
  for (const std::string& target : list->targets) jump_to(in, target);
  scope_->nodes.back().falls_through = !in.guard.empty();
}

std::vector<FrameSlot> Decoder::call_slots(const ptx::Instruction& in, const ptx::Operand& group) {
  std::vector<FrameSlot> slots;
  take(&group);
  for (const ptx::Operand& e : group.elements) {
    const auto slot = scope_->frame.find(label(in, e));
    if (slot == scope_->frame.end()) {
      unsupported(in, msg("an argument that is no .param variable (`{}`)", e.name));
    }
    slots.push_back(slot->second);
  }
  return slots;
}

// call (ret), name, (args);  call name, (args);  call (ret), %rd1, (args), prototype;
void Decoder::decode_call(const ptx::Instruction& in) {
  CallSite site;
  std::size_t k = 0;
  if (k < in.operands.size() && in.operands[k].kind == ptx::OperandKind::Group) {
    site.results = call_slots(in, in.operands[k++]);
  }
  if (k >= in.operands.size()) fail(in, FaultKind::BadPtx, "it names no function");
  const ptx::Operand& callee = in.operands[k++];
  if (k < in.operands.size() && in.operands[k].kind == ptx::OperandKind::Group) {
    site.arguments = call_slots(in, in.operands[k++]);
  }
  if (k + 1 == in.operands.size()) label(in, in.operands[k]);  // the prototype, or the list of targets
  if (callee.kind == ptx::OperandKind::Register) {
    site.pointer = source(in, callee, ptx::Type::B64);
  } else {
    static const std::map<std::string_view, Builtin> builtins{{"vprintf", Builtin::Vprintf},
                                                              {"__assertfail", Builtin::AssertFail},
                                                              {"malloc", Builtin::Malloc},
                                                              {"free", Builtin::Free}};
    site.callee = function_index(label(in, callee));
    if (site.callee == kNoPc) {
      const auto builtin = builtins.find(callee.name);
      site.builtin = builtin != builtins.end() ? builtin->second : device_builtin(callee.name);
      if (site.builtin == Builtin::None) {
        const Message device_call = device_side_call(callee.name);
        if (!device_call.empty()) unsupported(in, device_call);
        fail(in, FaultKind::BadPtx,
             msg("the function `{}` is declared but defined nowhere. If another file defines it, name that "
                 "file too and compile both with -rdc=true (`lab run --rdc`)",
                 demangled(callee.name)));
      }
      // One heap for all blocks: addresses must not depend on the order of host threads.
      const bool of_device_runtime = site.builtin >= kFirstOfDeviceRuntime;
      if (site.builtin == Builtin::Malloc || site.builtin == Builtin::Free || of_device_runtime)
        data_->blocks_talk = true;
      if (of_device_runtime && data_->launches_at == kNoPc)
        data_->launches_at = static_cast<std::uint32_t>(data_->code.size());
    }
  }
  Inst& inst = emit(in, nullptr, nullptr, Control::Call);
  inst.extra = static_cast<std::uint32_t>(data_->calls.size());
  data_->calls.push_back(std::move(site));
}

void Decoder::decode_barrier(const ptx::Instruction& in) {
  std::multiset<std::string> words(in.modifiers.begin(), in.modifiers.end());
  words.erase("cta");
  if (in.opcode != "bar") words.erase("aligned");
  std::string full;
  for (const std::string& word : words) full += (full.empty() ? "" : ".") + word;
  const auto* const named = std::find_if(std::begin(kBarrierActions), std::end(kBarrierActions),
                                         [&](const auto& one) { return one.first == full; });
  if (named == std::end(kBarrierActions))
    unsupported(in, full.empty() ? Message() : msg("the modifier .{}", full));
  const BarrierAction action = named->second;
  std::size_t k = 0;
  RowRef result, predicate, count;
  const bool reduces = action >= BarrierAction::Popc;
  expect_operands(in, reduces ? 3 : action == BarrierAction::Arrive ? 2 : 1, reduces ? 4 : 2);
  if (reduces) {
    result =
        destination(in, in.operands[k++], action == BarrierAction::Popc ? ptx::Type::U32 : ptx::Type::Pred);
    predicate = predicate_source(in, in.operands.back());
  }
  constexpr std::uint64_t kBarriers = 16;
  const ptx::Operand& number = in.operands[k++];
  if (number.kind == ptx::OperandKind::Immediate &&
      static_cast<std::uint64_t>(constant(in, number)) >= kBarriers)
    fail(in, FaultKind::BadPtx, "a block has the barriers 0 to 15");
  const RowRef id = source(in, number, ptx::Type::U32);
  if (k + (reduces ? 1 : 0) < in.operands.size()) {
    if (in.operands[k].kind == ptx::OperandKind::Immediate && constant(in, in.operands[k]) % kWarpLanes != 0)
      fail(in, FaultKind::BadPtx, "the threads at a barrier are counted in whole warps");
    count = source(in, in.operands[k], ptx::Type::U32);
  }
  Inst& inst = emit(in, nullptr, nullptr, Control::Barrier);
  inst.dst = result;
  inst.a = id;
  inst.b = count;
  inst.c = predicate;
  inst.extra = static_cast<std::uint32_t>(action);
}

// bar.warp.sync members;
void Decoder::decode_warp_barrier(const ptx::Instruction& in) {
  if (in.modifiers.size() != 2 || !ptx::has(in, "sync")) unsupported(in);
  expect_operands(in, 1, 1);
  const RowRef members = source(in, in.operands[0], ptx::Type::U32);
  Inst& inst = emit(in, nullptr, nullptr, Control::WarpSync);
  inst.d = members;
  inst.extra = static_cast<std::uint32_t>(SyncOp::SyncWarp);
}

void Decoder::decode_activemask(const ptx::Instruction& in) {
  expect_operands(in, 1, 1);
  if (in.full_opcode() != "activemask.b32") unsupported(in);
  const RowRef to = destination(in, in.operands[0], ptx::Type::B32);
  emit(in, exec_activemask).dst = to;
}

RowRef Decoder::active_lanes(const ptx::Instruction& in) {
  const RowRef to = allocate_row(RowFile::Reg32, 4);
  emit(in, exec_activemask).dst = to;
  return to;
}

void Decoder::decode_warp_sync(const ptx::Instruction& in) {
  const auto has = [&](std::string_view m) { return ptx::has(in, m); };
  SyncOp op{};
  if (in.opcode == "shfl") {
    op = has("up")     ? SyncOp::ShflUp
         : has("down") ? SyncOp::ShflDown
         : has("bfly") ? SyncOp::ShflBfly
                       : SyncOp::ShflIdx;
  } else if (in.opcode == "vote") {
    op = has("all")   ? SyncOp::VoteAll
         : has("any") ? SyncOp::VoteAny
         : has("uni") ? SyncOp::VoteUni
                      : SyncOp::VoteBallot;
  } else if (in.opcode == "match") {
    op = has("all") ? SyncOp::MatchAll : SyncOp::MatchAny;
  } else if (in.opcode == "redux") {
    op = has("add")   ? SyncOp::ReduxAdd
         : has("min") ? (!has("f32")  ? SyncOp::ReduxMin
                         : has("NaN") ? SyncOp::ReduxMinNan
                                      : SyncOp::ReduxMinF32)
         : has("max") ? (!has("f32")  ? SyncOp::ReduxMax
                         : has("NaN") ? SyncOp::ReduxMaxNan
                                      : SyncOp::ReduxMaxF32)
         : has("and") ? SyncOp::ReduxAnd
         : has("or")  ? SyncOp::ReduxOr
                      : SyncOp::ReduxXor;
  } else {
    op = SyncOp::Elect;
  }
  const bool shuffle = in.opcode == "shfl";
  const bool vote = in.opcode == "vote";
  // Older GPUs have them without .sync: of the lanes that are active.
  const bool of_active = !has("sync") && (shuffle || vote);
  if (of_active && !is_before_volta(module_.target))
    unsupported(in, "a warp operation without .sync (removed in sm_70)");
  if (!is_warp_operation(in.full_opcode() + (of_active ? ".sync" : ""))) unsupported(in);
  const std::size_t operands = (shuffle ? 5 : op == SyncOp::Elect ? 2 : 3) - (of_active ? 1 : 0);
  expect_operands(in, operands, operands);
  const ptx::Type type = ptx::last_type(in);
  const ptx::Type value_type = vote                                 ? ptx::Type::Pred
                               : in.opcode == "redux" && has("b32") ? ptx::Type::U32
                                                                    : type;
  RowRef rows[4];
  if (op != SyncOp::Elect) rows[0] = source(in, in.operands[1], value_type);
  if (shuffle) rows[1] = source(in, in.operands[2], ptx::Type::B32);
  if (shuffle) rows[2] = source(in, in.operands[3], ptx::Type::B32);
  rows[3] = of_active ? active_lanes(in) : source(in, in.operands.back(), ptx::Type::U32);
  ptx::Type result = in.opcode == "match" || op == SyncOp::Elect ? ptx::Type::U32
                     : op == SyncOp::VoteBallot                  ? ptx::Type::B32
                                                                 : value_type;
  if (vote && op != SyncOp::VoteBallot) result = ptx::Type::Pred;
  const RowRef to = destination(in, in.operands[0], result);
  RowRef second;
  const bool has_second = (shuffle && in.operands[0].kind == ptx::OperandKind::Register) ||
                          op == SyncOp::MatchAll || op == SyncOp::Elect;
  if (op == SyncOp::Elect && in.operands[0].predicate_or.empty())
    fail(in, FaultKind::BadPtx, "it needs a predicate behind `|`");
  if (const std::string& name = in.operands[0].predicate_or; has_second && !name.empty())
    second = name == "_" ? RowRef{} : second_destination(in);
  Inst& inst = emit(in, nullptr, nullptr, Control::WarpSync);
  inst.dst = to;
  inst.dst2 = second;
  inst.a = rows[0];
  inst.b = rows[1];
  inst.c = rows[2];
  inst.d = rows[3];
  inst.extra = static_cast<std::uint32_t>(op);
  inst.sign_extend = type == ptx::Type::S32 || (type == ptx::Type::F32 && !has("abs"));
}

}  // namespace lab::sim

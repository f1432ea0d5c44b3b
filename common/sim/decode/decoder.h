// The decoder: turns one entry of a module, and the functions it calls, into a Program.
//
// Enters: parsed functions. Leaves: ProgramData. decode.cpp walks functions, decode_operands.cpp makes rows
// of operands, decode_memory.cpp and decode_control.cpp read what is not lane-wise. Lane-wise instructions
// come from the table of forms alone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/sim/analysis/control_flow.h"
#include "common/sim/analysis/fused_products.h"
#include "common/sim/analysis/pointer_roots.h"
#include "common/sim/decode/share_rows.h"
#include "common/sim/execute/exec.h"
#include "common/sim/instructions/forms.h"
#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {

struct TextureOp;  // common/sim/execute/exec_texture.h

class Decoder {
 public:
  Decoder(const ModuleImage& image, std::string_view entry, Shortcuts shortcuts);
  std::unique_ptr<ProgramData> run();

 private:
  // One function while it is decoded.
  struct Scope {
    const ptx::Function* function = nullptr;
    const ptx::Instruction* decoded = nullptr;  // which is decoded now
    std::uint32_t index = 0;
    std::unordered_map<std::string_view, const ptx::RegisterDeclaration*> declared, ranges;  // %r, %r<9>
    std::unordered_map<std::string, std::pair<RowRef, ptx::Type>> rows;
    std::unordered_map<std::string_view, FrameSlot> frame;           // locals and .param of functions
    std::unordered_map<std::string_view, std::uint32_t> parameters;  // of the entry: offset in the block
    std::vector<std::uint32_t> pc_of;                                // body index → first pc
    std::vector<FlowNode> nodes;                                     // one a decoded instruction
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps;      // node, body index that it jumps to
    std::set<std::pair<RowFile, std::uint32_t>> written;             // rows that the text has written so far
    std::set<const ptx::Instruction*> cas_reads, tests, numbers, updates, data_reads,
        unread_atomics;              // cas_reads.h
    RootsOfOperands roots;           // pointer_roots.h
    FusedProducts fused;             // fused_products.h
    std::vector<ListedRows> lists;   // share_rows.h
    std::vector<const void*> taken;  // of the instruction that is decoded: operands, and their fields
    FunctionInfo info;
  };
  struct Address {
    RowRef base;
    std::int64_t offset = 0;
    Space space = Space::Generic;
    bool frame_relative = false;
  };

  // decode.cpp
  void collect_functions();
  void decode_function(std::uint32_t index);
  void declare(Scope& scope);
  void decode_instruction(const ptx::Instruction& in);
  void decode_lane_wise(const ptx::Instruction& in, const Form& form);
  Exec fuse(const ptx::Instruction& in, const Form& form, const FusedProduct& fused, RowRef (&rows)[5]);
  void decode_four(const ptx::Instruction& in, const Form& form);
  void finish_function(Scope& scope);
  void lay_out_shared();
  void lay_out_parameters(const ptx::Function& entry);
  std::uint32_t function_index(std::string_view name);  // adds it to the work list
  [[nodiscard]] bool is_kernel(std::string_view name) const;
  void list_launchable();
  [[nodiscard]] bool is_installed(int file) const;
  Inst& emit(const ptx::Instruction& in, Exec full, Exec masked, Control control = Control::Plain);
  Inst& emit(const ptx::Instruction& in, Exec handler) { return emit(in, handler, handler); }
  Inst& emit_access(const ptx::Instruction& in, Exec handler, const Address& at, std::uint32_t elem_bytes);
  Inst& emit_form(const ptx::Instruction& in, std::string_view form);
  void append_exit();
  [[noreturn]] void fail(const ptx::Instruction& in, FaultKind kind, const Message& what) const;
  [[noreturn]] void unsupported(const ptx::Instruction& in, const Message& what = {}) const;
  void expect_operands(const ptx::Instruction& in, std::size_t least, std::size_t most) const;
  void apply_guard(const ptx::Instruction& in, Inst& inst);

  // decode_forms.cpp
  // An operand's form is part of what it says. Each function here takes what it understands of an operand;
  // what none took when its instruction is decoded is refused, so no form is read as another.
  void take(const void* part) { scope_->taken.push_back(part); }
  void refuse_what_was_not_taken(const ptx::Instruction& in, const ptx::Operand& operand) const;
  std::int64_t constant(const ptx::Instruction& in, const ptx::Operand& operand);
  const std::string& label(const ptx::Instruction& in, const ptx::Operand& operand);
  void cache_policy(const ptx::Instruction& in);  // the last operand, where a modifier says so
  void check_space(const ptx::Instruction& in, std::string_view name, Space space) const;
  void check_sum(const ptx::Instruction& in, ptx::Type type) const;
  void check_table(const ptx::Instruction& in);
  void check_braces(const ptx::Instruction& in, const ptx::Operand& operand, bool numbers) const;
  bool takes_wide_sum(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type) const;
  void check_source(const ptx::Instruction& in, const ptx::Operand& operand, bool is_special,
                    ptx::Type type) const;
  void check_kind(const ptx::Instruction& in, std::string_view name, ptx::Type declared,
                  ptx::Type type) const;
  void check_dropped(const ptx::Instruction& in, const ptx::Operand& operand) const;
  [[nodiscard]] Message wrong_modifiers(const ptx::Instruction& in) const;
  void check_architecture(const ptx::Instruction& in) const;
  [[nodiscard]] int target() const;  // 90 of sm_90
  void check_memory_modifiers(const ptx::Instruction& in);
  [[nodiscard]] Message wrong_order_words(const ptx::Instruction& in) const;
  // decode_operands.cpp
  std::pair<RowRef, ptx::Type> register_row(const ptx::Instruction& in, std::string_view name);
  RowRef allocate_row(RowFile file, std::uint32_t lane_bytes);
  RowRef constant_row(std::uint64_t bits, std::uint32_t lane_bytes);
  RowRef lane_constant_row(const std::uint32_t (&values)[kWarpLanes]);
  RowRef predicate_constant(bool value);
  std::optional<RowRef> special_row(std::string_view name);
  RowRef clock_row(const ptx::Instruction& in, const ptx::SpecialRegister& clock);
  void emit_clock(const ptx::Instruction& in, const ptx::SpecialRegister& clock, RowRef to);
  RowRef destination(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                     bool relaxed = false);
  RowRef source(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                bool relaxed = false);
  RowRef predicate_source(const ptx::Instruction& in, const ptx::Operand& operand);
  std::uint64_t immediate_bits(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type) const;
  std::optional<std::uint64_t> symbol_value(
      std::string_view name);  // address or offset, when it is a constant
  Address address(const ptx::Instruction& in, const ptx::Operand& operand, Space space);
  Address barrier_address(const ptx::Instruction& in, const ptx::Operand& operand, Space space);
  std::uint32_t add_list(std::vector<RowRef> rows);
  void use_list(Inst& inst, std::uint32_t list, bool are_sources);
  std::uint32_t vector_of(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                          bool is_source);
  // As long as the instruction says.
  std::uint32_t whole_vector(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                             bool is_source);
  RowRef second_destination(const ptx::Instruction& in);

  // decode_memory.cpp
  [[nodiscard]] std::optional<std::int64_t> parameter_offset(const Address& from,
                                                             std::uint64_t size_bytes) const;
  void decode_load(const ptx::Instruction& in);
  void decode_store(const ptx::Instruction& in);
  void decode_fill(const ptx::Instruction& in);
  void decode_atomic(const ptx::Instruction& in);  // decode_atomic.cpp
  // decode_async.cpp
  void decode_async_commit(const ptx::Instruction& in);
  void decode_async_copy(const ptx::Instruction& in);
  void decode_async_wait(const ptx::Instruction& in);
  // decode_mbarrier.cpp
  void decode_mbarrier(const ptx::Instruction& in);
  void decode_async_arrive(const ptx::Instruction& in);
  // decode_bulk.cpp
  void decode_bulk(const ptx::Instruction& in);
  void decode_bulk_group(const ptx::Instruction& in);
  AtomicInfo bulk_reduction(const ptx::Instruction& in, AtomicOp op, ptx::Type type, bool tensor) const;
  // decode_cluster.cpp
  void decode_cluster_barrier(const ptx::Instruction& in);
  void decode_peer_address(const ptx::Instruction& in);
  void decode_async_store(const ptx::Instruction& in);
  void decode_proxy_fence(const ptx::Instruction& in);
  void decode_matrix(const ptx::Instruction& in);
  // decode_tensor.cpp
  void decode_tensor(const ptx::Instruction& in);
  std::uint32_t tensor_registers(const ptx::Instruction& in, std::size_t k, int count, Element element);
  void check_numbers(const ptx::Instruction& in, const ptx::Operand& list, std::size_t k,
                     Element element) const;
  void emit_product(const ptx::Instruction& in, TensorProductInfo info);
  // decode_fragment.cpp
  struct Fragment;
  void decode_fragment(const ptx::Instruction& in);
  Fragment read_fragment(const ptx::Instruction& in, std::string& part);
  RowRef fragment_address(const ptx::Instruction& in, const Fragment& f,
                          const std::uint32_t (&line_of)[kWarpLanes],
                          const std::uint32_t (&beside)[kWarpLanes]);
  void fragment_access(const ptx::Instruction& in, const Fragment& f, RowRef address,
                       std::vector<RowRef> rows, std::uint32_t element_bytes);
  void turn_core(const ptx::Instruction& in, RowRef to, RowRef from);
  void fragment_by_matrices(const ptx::Instruction& in, const Fragment& f, int cores);
  void fragment_core(const ptx::Instruction& in, const Fragment& f, int index);
  void result_core(const ptx::Instruction& in, const Fragment& f, int index);
  // decode_tensor_map.cpp
  void decode_tensor_map(const ptx::Instruction& in);
  void decode_tensor_map_copy(const ptx::Instruction& in);
  // decode_texture.cpp
  void decode_texture(const ptx::Instruction& in);
  void list_detail(const ptx::Instruction& in, const TextureOp& op);
  void read_reduction(const ptx::Instruction& in, TextureOp& op) const;
  void decode_surface(const ptx::Instruction& in);
  void emit_texture(const ptx::Instruction& in, const TextureOp& op, const ptx::Operand& place,
                    const ptx::Operand& value, ptx::Type type, ptx::Type coordinates, Exec run);
  void decode_video_parts(const ptx::Instruction& in, const Form& form);  // decode_video.cpp
  // decode_move.cpp
  void decode_cvta(const ptx::Instruction& in);
  void decode_isspacep(const ptx::Instruction& in);
  bool decode_mov(const ptx::Instruction& in);  // the special ones: packs, clocks, local addresses
  void decode_pack(const ptx::Instruction& in, ptx::Type type);
  void decode_vector_move(const ptx::Instruction& in, ptx::Type type);
  void decode_fence(const ptx::Instruction& in);  // decode_memory.cpp
  void decode_discard(const ptx::Instruction& in);
  void note_access(Inst& inst, const ptx::Instruction& in);
  void note_blocks(const ptx::Instruction& in, Space space);
  void note_global(Inst& inst, std::uint32_t bytes, bool writes);
  [[nodiscard]] std::uint16_t roots_of(const ptx::Operand* address);

  // decode_structural.cpp: false where the table of forms has it, or nothing does
  bool decode_structural(const ptx::Instruction& in);
  void decode_nothing(const ptx::Instruction& in);
  void check_hint(const ptx::Instruction& in) const;
  void decode_sleep(const ptx::Instruction& in);
  void decode_dependent_kernels(const ptx::Instruction& in);
  void decode_policy(const ptx::Instruction& in);
  void decode_warpgroup(const ptx::Instruction& in);
  void decode_warpgroup_product(const ptx::Instruction& in);
  void emit_warpgroup_product(const ptx::Instruction& in, WarpgroupProductInfo info);
  // decode_control.cpp
  void decode_end(const ptx::Instruction& in);
  void decode_activemask(const ptx::Instruction& in);
  RowRef active_lanes(const ptx::Instruction& in);
  void decode_branch(const ptx::Instruction& in);
  void decode_branch_indexed(const ptx::Instruction& in);
  void decode_call(const ptx::Instruction& in);
  void decode_barrier(const ptx::Instruction& in);
  void decode_warp_barrier(const ptx::Instruction& in);
  void decode_warp_sync(const ptx::Instruction& in);
  void jump_to(const ptx::Instruction& in, std::string_view label);
  std::vector<FrameSlot> call_slots(const ptx::Instruction& in, const ptx::Operand& group);

  const ModuleImage& image_;
  const ptx::Module& module_;
  std::unique_ptr<ProgramData> data_;
  Scope* scope_ = nullptr;
  std::vector<const ptx::Function*> functions_;
  std::map<std::string, std::uint32_t, std::less<>> function_indices_;
  std::map<std::string, std::uint32_t, std::less<>> shared_offsets_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, RowRef> constants_;
  std::map<RootsOfAddress, std::uint16_t> roots_;  // indices into ProgramData::roots
};

// Modifier helpers.
[[nodiscard]] Space space_named(std::string_view modifier);  // Generic: it names none
[[nodiscard]] Space space_of(const ptx::Instruction& in);
[[nodiscard]] std::uint8_t vector_length(const ptx::Instruction& in);  // of .v2, .v4, .v8; else 1
[[nodiscard]] bool is_hint(std::string_view modifier);
[[nodiscard]] std::optional<AtomicOp> atomic_operation(std::string_view modifier);

// Runs an instruction that has a guard: shrinks the mask, then the instruction itself.
void exec_guarded(WarpContext& warp, const Inst& inst);

}  // namespace lab::sim

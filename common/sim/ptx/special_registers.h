// The one table of special registers: a row for each, and a column for whatever code asks of one.
//
// Enters: a name, from the parser or an operand. Leaves: its row. Decode, the analyses of a kernel's text, work
// units and the time model ask it. Tests of every row: tests/sim/test_special_registers.cpp what it follows from,
// tests/judge/test_opcodes.cpp what those users make of it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lab::sim::ptx {

// Rows of RowFile::WarpSpecial and RowFile::BlockSpecial, 32-bit lanes, in this order.
enum class WarpRow : std::uint8_t { TidX, TidY, TidZ, WarpId, Count };
enum class BlockRow : std::uint8_t {
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  SmId,
  NSmId,
  DynamicShared,
  TotalShared,
  NWarpId,
  GridId,
  Driver,  // what a driver or a profiler sets; usually none does
  AllShared,
  EnvReg1,
  EnvReg2,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NClusterIdX,
  NClusterIdY,
  NClusterIdZ,
  ClusterRank,
  ClusterBlocks,
  IsExplicitCluster,  // all ones or zero
  ReservedBegin,      // of the shared memory that the hardware keeps for itself
  ReservedMiddle,
  ReservedEnd,
  Count
};

// What each block has beside its own shared memory: groups of several warps (cooperative groups) keep their
// barriers there.
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

// What its value follows from. From Block on, not all blocks of a launch see the same one.
enum class Follows : std::uint8_t { Gpu, Launch, Grid, Block, Warp, Lane, Time };

// Where the simulator keeps it.
enum class Kept : std::uint8_t { Warp, Block, BlockPredicate, Constant, Lanes, Clock };

struct SpecialRegister {
  std::string_view name;
  Kept kept;
  // WarpRow or BlockRow, that of .x first; the constant; the bits that a clock is shifted by.
  std::uint32_t value;
  bool has_members;  // .x, .y and .z
  Follows follows;
  bool in_constant_bank = false;  // machine code reads it as an operand of any instruction
  std::uint32_t (*of_lane)(std::uint32_t lane) = nullptr;  // of Kept::Lanes
  std::uint32_t numbers = 1;                               // the row of %pm0 is that of %pm1 … %pm7, too
  bool has_64_bits = false;  // read by mov.u64; what is no clock has an upper half of zeros
};

[[nodiscard]] std::span<const SpecialRegister> special_registers();

// The register that a name means, with `.x` or without, whatever its number; null: none.
[[nodiscard]] const SpecialRegister* special_register(std::string_view name);

}  // namespace lab::sim::ptx

// The paths on which bytes move, one row each: the one table of kinds of access.
//
// Enters: nothing. Leaves: names, keys, the profiler's name, direction, space and rule of every path.
// Execution stamps each access with its path; counters, checks, recordings, cards, JSON and goals all read
// this table, and none of them compares a name. A new kind of access is a row here, a member of Counters and
// a rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/sim/base/space.h"

namespace lab::sim {

enum class Direction : std::uint8_t { Read, Write, Update };  // Update: reads and writes at once

// In the order of JSON and tables.
enum class Path : std::uint8_t {
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  GlobalAtomic,
  SharedAtomic,
  LocalLoad,
  LocalStore,
  GlobalAsync,        // cp.async: what it reads
  SharedAsync,        // and what it writes
  GlobalBulkLoad,     // cp.async.bulk to shared memory: what it reads
  SharedBulkStore,    // and what it writes
  SharedBulkLoad,     // cp.async.bulk to global memory: what it reads
  GlobalBulkStore,    // and what it writes
  GlobalBulkReduce,   // cp.reduce.async.bulk: what it changes
  SharedMatrixLoad,   // ldmatrix
  SharedMatrixStore,  // stmatrix
  SharedProductLoad,  // wgmma: matrices that it reads
  ClusterLoad,        // of another block's shared memory
  ClusterStore,
  ClusterAtomic,
  ClusterBulkStore,  // cp.async.bulk into another block's shared memory: what it writes
  ConstantLoad,
  ParameterLoad,
  // What of the accesses above goes to the memory of another GPU, over the link between them.
  LinkLoad,
  LinkStore,
  LinkAtomic,
};
inline constexpr std::size_t kPaths = 27;

// How the cost and the ideal cost of a request follow from its addresses. docs/model.md says which of these
// were measured.
enum class Rule : std::uint8_t {
  Sectors,           // distinct 32-byte sectors; ideal: distinct bytes / 32
  AtomicSectors,     // lanes of one address wait for each other; ideal: distinct bytes / 32
  LocalSectors,      // words of the lanes lie side by side; ideal: bytes / 32
  Wavefronts,        // distinct words in the busiest bank; ideal: groups of lanes that act
  AtomicWavefronts,  // lanes in the busiest bank; ideal: distinct words / 32
  RowsOfMatrix,  // each matrix of ldmatrix and stmatrix: distinct words in the busiest bank; ideal: matrices
  ClusterLines,  // distinct 128-byte lines in the busiest of four banks; ideal: bytes / 512
  BothSides,     // of a copy, whose cost depends on where it reads and where it writes (Observer::copy, bulk)
  Lines128,      // bytes / 128, whatever their addresses (Observer::product); ideal: the same
  Free,          // listed, weighs nothing
  Link,          // the lanes' distinct 32-byte sectors of a peer's memory; ideal: distinct bytes / 32
};

struct PathInfo {
  Path path;
  std::string_view name;  // "global load"
  std::string_view key;   // "global_load", in JSON
  // The profiler's counter of what it costs; "" when it has none.
  std::string_view metric;
  Direction direction;
  Space space;   // where its addresses point
  Space weighs;  // the total that it belongs to: Global, Shared; Const: none
  Rule rule;
  Path part_of;  // itself; or the path whose counters include it, as a profiler's `op_ld` includes cp.async
};

inline constexpr std::array<PathInfo, kPaths> kPathTable = [] {
  using enum Path;
  using enum Direction;
  using enum Rule;
  constexpr Space G = Space::Global, S = Space::Shared, L = Space::Local, C = Space::Const, P = Space::Param,
                  D = Space::Cluster;
  return std::array<PathInfo, kPaths>{{
      {GlobalLoad, "global load", "global_load", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", Read, G, G,
       Sectors, GlobalLoad},
      {GlobalStore, "global store", "global_store", "l1tex__t_sectors_pipe_lsu_mem_global_op_st", Write, G, G,
       Sectors, GlobalStore},
      {SharedLoad, "shared load", "shared_load", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", Read, S,
       S, Wavefronts, SharedLoad},
      {SharedStore, "shared store", "shared_store", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", Write,
       S, S, Wavefronts, SharedStore},
      {GlobalAtomic, "global atomic", "global_atomic", "l1tex__t_sectors_pipe_lsu_mem_global_op_{atom,red}",
       Update, G, G, AtomicSectors, GlobalAtomic},
      {SharedAtomic, "shared atomic", "shared_atomic", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom",
       Update, S, S, AtomicWavefronts, SharedAtomic},
      {LocalLoad, "local load", "local_load", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld", Read, L, G,
       LocalSectors, LocalLoad},
      {LocalStore, "local store", "local_store", "l1tex__t_sectors_pipe_lsu_mem_local_op_st", Write, L, G,
       LocalSectors, LocalStore},
      {GlobalAsync, "global async copy", "global_async",
       "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access", Read, G, G, BothSides, GlobalLoad},
      {SharedAsync, "shared async copy", "shared_async",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts", Write, S, S, BothSides, SharedStore},
      {GlobalBulkLoad, "global bulk load", "global_bulk_load",
       "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld", Read, G, G, BothSides, GlobalBulkLoad},
      {SharedBulkStore, "shared bulk store", "shared_bulk_store", "", Write, S, S, BothSides,
       SharedBulkStore},
      {SharedBulkLoad, "shared bulk load", "shared_bulk_load", "", Read, S, S, BothSides, SharedBulkLoad},
      {GlobalBulkStore, "global bulk store", "global_bulk_store",
       "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st", Write, G, G, BothSides, GlobalBulkStore},
      {GlobalBulkReduce, "global bulk reduction", "global_bulk_reduce",
       "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red", Update, G, G, BothSides, GlobalBulkReduce},
      {SharedMatrixLoad, "shared matrix load", "shared_matrix_load",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm", Read, S, S, RowsOfMatrix, SharedLoad},
      {SharedMatrixStore, "shared matrix store", "shared_matrix_store",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm", Write, S, S, RowsOfMatrix,
       SharedStore},
      {SharedProductLoad, "shared product load", "shared_product_load",
       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma", Read, S, S, Lines128, SharedProductLoad},
      {ClusterLoad, "cluster load", "cluster_load", "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_ld",
       Read, D, S, ClusterLines, ClusterLoad},
      {ClusterStore, "cluster store", "cluster_store",
       "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_st", Write, D, S, ClusterLines, ClusterStore},
      {ClusterAtomic, "cluster atomic", "cluster_atomic",
       "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_atom", Update, D, S, ClusterLines, ClusterAtomic},
      {ClusterBulkStore, "cluster bulk store", "cluster_bulk_store", "", Write, D, S, BothSides,
       ClusterBulkStore},
      {ConstantLoad, "constant load", "constant_load", "", Read, C, C, Free, ConstantLoad},
      {ParameterLoad, "parameter load", "parameter_load", "", Read, P, C, Free, ParameterLoad},
      {LinkLoad, "link load", "link_load", "", Read, G, C, Link, LinkLoad},
      {LinkStore, "link store", "link_store", "", Write, G, C, Link, LinkStore},
      {LinkAtomic, "link atomic", "link_atomic", "", Update, G, C, Link, LinkAtomic},
  }};
}();

[[nodiscard]] constexpr const PathInfo& info(Path path) { return kPathTable[static_cast<std::size_t>(path)]; }

static_assert([] {
  for (std::size_t k = 0; k < kPaths; ++k)
    if (kPathTable[k].path != static_cast<Path>(k)) return false;
  return true;
}());

[[nodiscard]] constexpr bool reads(Path path) { return info(path).direction != Direction::Write; }
[[nodiscard]] constexpr bool writes(Path path) { return info(path).direction != Direction::Read; }
[[nodiscard]] constexpr bool is_part(Path path) { return info(path).part_of != path; }

// The path of an ordinary load, store or atomic.
[[nodiscard]] constexpr Path path_of(Space space, Direction direction) {
  const bool reads = direction == Direction::Read, writes = direction == Direction::Write;
  switch (space) {
    case Space::Shared:
      return reads ? Path::SharedLoad : writes ? Path::SharedStore : Path::SharedAtomic;
    case Space::Cluster:
      return reads ? Path::ClusterLoad : writes ? Path::ClusterStore : Path::ClusterAtomic;
    case Space::Local:
      return reads ? Path::LocalLoad : Path::LocalStore;
    case Space::Const:
      return Path::ConstantLoad;
    case Space::Param:
      return Path::ParameterLoad;
    default:
      return reads ? Path::GlobalLoad : writes ? Path::GlobalStore : Path::GlobalAtomic;
  }
}

[[nodiscard]] constexpr std::optional<Path> path_with_key(std::string_view key) {
  for (const PathInfo& row : kPathTable)
    if (row.key == key) return row.path;
  return std::nullopt;
}

}  // namespace lab::sim

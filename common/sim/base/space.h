// Where an address points, in PTX's own words.
#pragma once

#include <cstdint>

namespace lab::sim {

// Cluster: the shared memory of another block of the cluster.
enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param, Register, Cluster };

}  // namespace lab::sim

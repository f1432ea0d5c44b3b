// What allocating and freeing do, for each that asks: a call, a pool, a graph.
//
// Enters: sizes, pointers. Leaves: memory of the current GPU, or of the host, accounted for.
#pragma once

#include <array>

#include "common/run/cudart/context.h"

namespace lab::cudart {

struct Pool {
  int device = 0;
  std::uint32_t reach = 1;  // bit d: kernels of GPU d may use its memory
  std::uint64_t release_threshold = 0;
  std::uint64_t used_bytes = 0, most_used_bytes = 0;  // of its own allocations
  MemoryType type = MemoryType::Device;
  std::array<int, 3> reuse{1, 1, 1};  // cudaMemPoolReuse…: by events, when done, by waiting
};

// Null for no bytes. Throws std::bad_alloc.
[[nodiscard]] void* allocate(Context& c, std::uint64_t size_bytes, MemoryType type, unsigned flags = 0);
// `verb` for the message; `host`: the memory must be the host's. Throws ApiError.
Error give_back(Context& c, void* pointer, const char* verb, bool host);
// The allocation of the program around an address, or null.
[[nodiscard]] const Allocated* around(const Context& c, sim::DeviceAddress at);

// As CUDA 12 has it: a GPU's number, or -1 for the host.
[[nodiscard]] Place place_numbered(int device);

}  // namespace lab::cudart

// Hints for managed memory (memory_api.cpp), by the name that CUDA 12 has for them; it names places otherwise.
LAB_API lab::cudart::Error cudaMemAdvise_v2(const void* pointer, std::size_t count, int advice,
                                            lab::cudart::Place place);
LAB_API lab::cudart::Error cudaMemPrefetchAsync_v2(const void* pointer, std::size_t count,
                                                   lab::cudart::Place place, unsigned flags,
                                                   lab::cudart::StreamHandle stream);

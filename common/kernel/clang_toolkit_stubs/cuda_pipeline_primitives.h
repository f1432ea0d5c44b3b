// Found in place of the CUDA Toolkit's header when clang compiles a kernel: asynchronous copies from global
// to shared memory, 4, 8 or 16 bytes, of which the last `zero_bytes` become zeros.
#pragma once

__device__ __forceinline__ void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes,
                                                        size_t zero_bytes = 0) {
  const auto to = static_cast<unsigned>(reinterpret_cast<size_t>(
      (__attribute__((address_space(3))) void*)shared));  // NOLINT: a change of window
  const auto read = static_cast<unsigned>(bytes - zero_bytes);
  if (bytes == 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(read) : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"(read) : "memory");
  } else if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(read)
                 : "memory");
  } else {
    __builtin_trap();
  }
}

__device__ __forceinline__ void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most the newest `groups` groups are on their way: a constant, as the instruction wants it.
template <class Int>
__device__ __forceinline__ void __pipeline_wait_prior(Int groups) {
  switch (groups) {
    case 0:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      break;
    case 1:
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      break;
    case 2:
      asm volatile("cp.async.wait_group 2;" ::: "memory");
      break;
    case 3:
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      break;
    case 4:
      asm volatile("cp.async.wait_group 4;" ::: "memory");
      break;
    case 5:
      asm volatile("cp.async.wait_group 5;" ::: "memory");
      break;
    case 6:
      asm volatile("cp.async.wait_group 6;" ::: "memory");
      break;
    case 7:
      asm volatile("cp.async.wait_group 7;" ::: "memory");
      break;
    default:
      asm volatile("cp.async.wait_group 8;" ::: "memory");
      break;
  }
}

// cuBLAS, opened while the program runs: NVIDIA's own transpose, to compare with.
//
// Enters: nothing, or LAB_CUBLAS with the path of the library. Leaves: `transpose`, or a sentence why not.
#pragma once

#include <cstdint>
#include <string>

#include "common/gpu/device/device.h"

namespace lab::device {

class Cublas {
 public:
  // Opens the library and makes a handle for the current context. Throws DeviceError. Once is enough.
  void open();
  [[nodiscard]] const std::string& version() const { return version_; }
  // out (cols × rows) = transpose of in (rows × cols), both row-major, by `geam`: out = 1 · inᵀ + 0.
  // Elements of 4, 8 and 16 bytes. Throws DeviceError.
  void transpose(Address out, Address in, std::int64_t rows, std::int64_t cols, int elem_bytes) const;

 private:
  void* library_ = nullptr;
  void* handle_ = nullptr;
  std::string version_;
};

}  // namespace lab::device

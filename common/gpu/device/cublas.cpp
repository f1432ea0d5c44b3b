// Finds cuBLAS and calls its `geam`. See cublas.h.
#include "common/gpu/device/cublas.h"

#include <dlfcn.h>

#include <array>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace lab::device {
namespace {

namespace fs = std::filesystem;
constexpr std::array kNames = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"};

// Folders of the CUDA Toolkit and of Python's wheels of it; "" lets the loader look where it always does.
std::vector<fs::path> folders() {
  std::vector<fs::path> all = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0')
      all.push_back(fs::path(home) / "lib64");
  }
  all.emplace_back("/usr/local/cuda/lib64");
  all.emplace_back("/opt/cuda/lib64");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* environment = std::getenv(variable);
    if (environment == nullptr || *environment == '\0') continue;
    std::error_code ignored;
    for (const auto& python : fs::directory_iterator(fs::path(environment) / "lib", ignored)) {
      for (const char* wheel : {"cu13", "cublas"})
        all.push_back(python.path() / "site-packages" / "nvidia" / wheel / "lib");
    }
  }
  return all;
}

void* find_library() {
  if (const char* chosen = std::getenv("LAB_CUBLAS"); chosen != nullptr && *chosen != '\0')
    return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  for (const fs::path& folder : folders()) {
    for (const char* name : kNames) {
      if (void* library = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

template <typename Function>
Function symbol(void* library, const char* name) {
  auto* address = reinterpret_cast<Function>(dlsym(library, name));
  if (address == nullptr) throw DeviceError(msg("cuBLAS is here but has no {}.", name));
  return address;
}

// geam of one element type. Row-major `in` (rows × cols) is column-major (cols × rows) to cuBLAS, so `out`,
// column-major rows × cols, is its transpose.
template <typename T>
int geam(void* library, const char* name, void* handle, Address out, Address in, int rows, int cols) {
  using Function =
      int (*)(void*, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int);
  constexpr int kPlain = 0, kTransposed = 1;
  const T one(1), zero(0);
  auto* to = reinterpret_cast<T*>(out);
  return symbol<Function>(library, name)(handle, kTransposed, kPlain, rows, cols, &one,
                                         reinterpret_cast<const T*>(in), cols, &zero, to, rows, to, rows);
}

}  // namespace

void Cublas::open() {
  if (handle_ != nullptr) return;
  library_ = find_library();
  if (library_ == nullptr) {
    throw DeviceError(
        "cuBLAS is not installed here (no libcublas.so on the loader's path, in CUDA_HOME or in "
        "/usr/local/cuda). Install it with the CUDA Toolkit, or name the file in LAB_CUBLAS.");
  }
  if (const int code = symbol<int (*)(void**)>(library_, "cublasCreate_v2")(&handle_); code != 0) {
    handle_ = nullptr;
    throw DeviceError(
        msg("cuBLAS is here but does not start (status {}): its version may not fit the driver.", code));
  }
  int number = 0;
  (void)symbol<int (*)(void*, int*)>(library_, "cublasGetVersion_v2")(handle_, &number);
  // 120304 is 12.3.4, 130100 is 13.1.0
  version_ = std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
}

void Cublas::transpose(Address out, Address in, std::int64_t rows, std::int64_t cols, int elem_bytes) const {
  const int m = static_cast<int>(rows), n = static_cast<int>(cols);
  int code = 0;
  switch (elem_bytes) {
    case 4:
      code = geam<float>(library_, "cublasSgeam", handle_, out, in, m, n);
      break;
    case 8:
      code = geam<double>(library_, "cublasDgeam", handle_, out, in, m, n);
      break;
    case 16:
      code = geam<std::complex<double>>(library_, "cublasZgeam", handle_, out, in, m, n);
      break;
    default:
      throw DeviceError(msg("cuBLAS transposes elements of 4, 8 and 16 bytes, none of {}.", elem_bytes));
  }
  if (code != 0) throw DeviceError(msg("cuBLAS geam fails with status {}.", code));
}

}  // namespace lab::device

// Finds the driver's library and its functions. See cuda_driver.h.
#include "common/gpu/device/cuda_driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace lab::device::cuda {
namespace {

// The places of the library, best first.
std::vector<std::string> libraries() {
  if (const char* chosen = std::getenv("LAB_CUDA_DRIVER"); chosen != nullptr && *chosen != '\0')
    return {chosen};
  return {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
}

template <typename Function>
void look_up(void* library, const char* symbol, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr && missing.empty()) missing = std::string("it has no function ") + symbol;
}

}  // namespace

std::string Driver::name_of(Result code) const {
  const char* name = nullptr;
  if (error_name != nullptr && error_name(code, &name) == 0 && name != nullptr) return name;
  return "CUDA error " + std::to_string(code);
}

Driver open_driver() {
  Driver driver;
  void* library = nullptr;
  for (const std::string& path : libraries()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (const char* said = dlerror(); said != nullptr && driver.missing.empty()) driver.missing = said;
  }
  if (library == nullptr) return driver;
  driver.found = true;
  driver.missing.clear();
#define LAB_CUDA_LOOK_UP(member, symbol, parameters) look_up(library, #symbol, driver.member, driver.missing);
  LAB_CUDA_FUNCTIONS(LAB_CUDA_LOOK_UP)
#undef LAB_CUDA_LOOK_UP
  std::string of_older_drivers;
#define LAB_CUDA_LOOK_UP(member, symbol, parameters) \
  look_up(library, #symbol, driver.member, of_older_drivers);
  LAB_CUDA_12_FUNCTIONS(LAB_CUDA_LOOK_UP)
#undef LAB_CUDA_LOOK_UP
  return driver;
}

}  // namespace lab::device::cuda

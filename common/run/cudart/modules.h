// The program's kernels and variables: registered at start, loaded when first used.
//
// Enters: what the compiler's start-up code registers. Leaves: functions ready to launch, addresses of
// variables; or the reason why there are none, in words, with the fix.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/run/cudart/context.h"
#include "common/sim/program/program.h"

namespace lab::cudart {

struct Binary;

struct Function {
  Binary* binary = nullptr;
  std::string name;   // in the PTX text
  std::string shown;  // as C++ names it
  std::string brief;  // the same for messages, where templates make names of pages
  // On one GPU: decoded for the variables there, with the attributes that the program set there.
  struct OnDevice {
    std::shared_ptr<const sim::Program> program;
    int max_dynamic_shared = -1;  // -1: never set
    int carveout = -1;
    int non_portable_cluster = 0;
  };
  std::array<OnDevice, sim::kMostDevices> on{};
  // What the driver's older calls set one by one before they launch.
  struct Prepared {
    Dim3 block{1, 1, 1};
    unsigned shared_bytes = 0;
    std::vector<std::byte> parameters;
  } prepared{};
  [[nodiscard]] OnDevice& here() { return on.at(static_cast<std::size_t>(current_device())); }
  [[nodiscard]] const OnDevice& here() const { return on.at(static_cast<std::size_t>(current_device())); }
};

struct Variable {
  Binary* binary = nullptr;
  std::string name;
  std::uint64_t size_bytes = 0;
  void** managed = nullptr;  // where the host's code looks for the address
};

// One fat binary of the process: a source file, or several linked with -rdc.
struct Binary {
  const FatBinaryWrapper* wrapper = nullptr;  // registered at start
  std::vector<std::string> texts;             // PTX that the program gave while it ran
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<Variable>> variables;
  std::array<std::shared_ptr<sim::ModuleImage>, sim::kMostDevices> images;  // of each GPU
  std::shared_ptr<sim::ModuleImage> first;  // of these: managed variables are its own
  int architecture = 0;                     // of the PTX that was loaded: 90 for compute_90
  std::optional<ApiError> broken;           // why it cannot be loaded
};

class Modules {
 public:
  Binary* add(const FatBinaryWrapper* wrapper);
  // Modules that the program loads while it runs. Both throw ApiError.
  [[nodiscard]] static std::vector<std::string> texts_in(Context& c, const FatBinaryWrapper& wrapper);
  Binary* add_loaded(Context& c, std::vector<std::string> texts);
  void remove(Binary* binary);
  void add_function(Binary* binary, const void* host, const char* name);
  void add_variable(Binary* binary, const void* host, const char* name, std::uint64_t size_bytes,
                    void** managed);

  // By the address of the host's stub or variable, or by handle. Null when nothing is registered there.
  [[nodiscard]] Function* function(const void* host) const;
  [[nodiscard]] Variable* variable(const void* host) const;

  // By name in a loaded module; null and 0 when it has none.
  [[nodiscard]] Function* function_named(Context& c, Binary& binary, const std::string& name);
  [[nodiscard]] std::pair<sim::DeviceAddress, std::uint64_t> variable_named(Context& c, Binary& binary,
                                                                            const std::string& name) const;

  // Loaded and decoded. Throws ApiError, which says why not.
  static const sim::Program& program(Context& c, Function& function);
  static sim::DeviceAddress address(Context& c, Variable& variable);
  // Throws ApiError where its text has instructions that there are none of.
  static void check_instructions(Context& c, Binary& binary);
  // Managed variables of a binary get their memory before the program looks at them.
  static void place_managed(Context& c, Binary& binary);
  // After cudaDeviceReset, of the current GPU: the next use loads anew.
  void unload();

 private:
  void must_hold(const Binary& binary) const;
  static sim::ModuleImage& load(Context& c, Binary& binary);
  std::vector<std::unique_ptr<Binary>> binaries_;
  std::map<const void*, Function*> functions_;
  std::map<const void*, Variable*> variables_;
};

[[nodiscard]] Modules& modules();
// The kernel registered at that address. Throws ApiError with the code that an H200 gives: null is no function of the device, another
// address is no handle.
[[nodiscard]] Function& kernel_at(const void* host);

}  // namespace lab::cudart

// The driver: modules of PTX, their kernels and variables.
//
// Enters: PTX text or fat binaries, at run time or as files. Leaves: the same Binary
// and Function that start-up code registers for the runtime, so that a handle of either API works in both.
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"

using namespace lab::cudart;

namespace lab::cudart {

std::optional<std::string> file_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace lab::cudart

namespace {

template <class T>
T read_at(const void* image) {
  T value;
  std::memcpy(&value, image, sizeof value);
  return value;
}

// A module from bytes of whatever kind. Loaded at once: the program may throw the bytes away.
Binary* load_image(Context& c, const void* image) {
  constexpr std::uint32_t kElf = 0x464c457f, kContainer = 0xBA55ED50;
  if (image == nullptr) throw ApiError{Error::InvalidValue, "there is no image: a null pointer."};
  const auto first = read_at<std::uint32_t>(image);
  if (first == kElf) {
    throw ApiError{Error::NoKernelImageForDevice,
                   msg("the module is machine code (a cubin), and the simulator runs PTX. Compile it with "
                       "nvcc -ptx, or with -fatbin and code=compute_{}; with NVRTC take nvrtcGetPTX.",
                       c.gpu.architecture())};
  }
  if (first == kWrapperMagic)
    return modules().add_loaded(c, Modules::texts_in(c, *static_cast<const FatBinaryWrapper*>(image)));
  if (first == kContainer)
    return modules().add_loaded(c, Modules::texts_in(c, {kWrapperMagic, 1, image, nullptr}));
  if (std::strncmp(static_cast<const char*>(image), kLinkedMagic, sizeof kLinkedMagic) == 0)
    return modules().add_loaded(c, linked_texts(static_cast<const char*>(image)));
  if (std::strstr(static_cast<const char*>(image), ".version") == nullptr)
    throw ApiError{
        Error::InvalidKernelImage,
        "the image is no PTX (which begins with .version), no fat binary and nothing that was linked."};
  Binary* const loaded = modules().add_loaded(c, {static_cast<const char*>(image)});
  try {
    Modules::check_instructions(c, *loaded);
  } catch (const ApiError&) {
    modules().remove(loaded);
    throw;
  }
  return loaded;
}

int load(const char* call, Binary** module, const void* image) {
  return enter_driver(call, [&](Context& c) { given(module) = load_image(c, image); });
}

int load_file(const char* call, Binary** module, const char* path) {
  if (module == nullptr || path == nullptr) return kInvalidValue;
  std::optional<std::string> bytes = file_bytes(path);
  if (!bytes) {
    if (not_ready(Needs::Context) == 0) say(msg("{}: no file {}.", call, path));
    return kFileNotFound;
  }
  bytes->append(8, '\0');
  return load(call, module, bytes->data());
}

// What is asked for by name in a module.
void check_named(const void* result, const Binary* module, const char* name) {
  need(result, name);
  if (module == nullptr) throw ApiError{Error::InvalidResourceHandle, "the module is null."};
  if (*name == '\0') throw ApiError{Error::InvalidValue, "the name is empty."};
}

int find_function(Function** function, Binary* module, const char* name) {
  return enter_driver(
      "cuModuleGetFunction",
      [&](Context& c) {
        check_named(function, module, name);
        *function = modules().function_named(c, *module, name);
        if (*function == nullptr)
          throw ApiError{
              static_cast<Error>(kNotFound),
              msg("the module has no kernel `{}`. A name of C++ is mangled; extern \"C\" keeps it.", name)};
      },
      Needs::Initialised);
}

int find_global(void** at, std::size_t* size_bytes, Binary* module, const char* name) {
  return enter_driver(
      "cuModuleGetGlobal",
      [&](Context& c) {
        check_named(name, module, name);
        const auto [address, bytes] = modules().variable_named(c, *module, name);
        if (address == 0 && modules().function_named(c, *module, name) != nullptr)
          throw ApiError{Error::InvalidValue, msg("`{}` is a kernel of the module, and no variable.", name)};
        if (address == 0)
          throw ApiError{
              static_cast<Error>(kNotFound),
              msg("the module has no variable `{}`. A name of C++ is mangled; extern \"C\" keeps it.", name)};
        if (at != nullptr) *at = pointer_to(address);
        if (size_bytes != nullptr) *size_bytes = bytes;
      },
      Needs::Initialised);
}

}  // namespace

// --- modules ---

LAB_ENTRY int cuModuleLoad(Binary** module, const char* path) {
  return load_file("cuModuleLoad", module, path);
}
LAB_ENTRY int cuModuleLoadData(Binary** module, const void* image) {
  return load("cuModuleLoadData", module, image);
}
LAB_ENTRY int cuModuleLoadDataEx(Binary** module, const void* image, unsigned count, const int* options,
                                 void** values) {
  clear_logs(count, options, values);
  return load("cuModuleLoadDataEx", module, image);
}
LAB_ENTRY int cuModuleLoadFatBinary(Binary** module, const void* image) {
  return load("cuModuleLoadFatBinary", module, image);
}
LAB_ENTRY int cuModuleUnload(Binary* module) {
  return enter_driver([&](Context& c) {
    if (module == nullptr) throw ApiError{Error::InvalidResourceHandle};
    refuse_unsafe();
    wait_for_all(c);
    modules().remove(module);
  });
}
LAB_ENTRY int cuModuleGetFunction(Function** function, Binary* module, const char* name) {
  return find_function(function, module, name);
}
LAB_ENTRY int cuModuleGetGlobal_v2(void** at, std::size_t* size_bytes, Binary* module, const char* name) {
  return find_global(at, size_bytes, module, name);
}
LAB_ENTRY int cuModuleGetLoadingMode(int* mode) {
  if (mode == nullptr) return kInvalidValue;
  *mode = 2;  // CU_MODULE_LAZY_LOADING
  return 0;
}

// A library is a module that belongs to no context, a kernel a function of one.
LAB_ENTRY int cuLibraryLoadData(Binary** library, const void* image, int* /*jit*/, void** /*values*/,
                                unsigned /*count*/, int* /*options*/, void** /*more*/, unsigned /*count*/) {
  return load("cuLibraryLoadData", library, image);
}
LAB_ENTRY int cuLibraryLoadFromFile(Binary** library, const char* path, int* /*jit*/, void** /*values*/,
                                    unsigned /*count*/, int* /*options*/, void** /*more*/,
                                    unsigned /*count*/) {
  return load_file("cuLibraryLoadFromFile", library, path);
}
LAB_ENTRY int cuLibraryUnload(Binary* library) { return cuModuleUnload(library); }
LAB_ENTRY int cuLibraryGetKernel(Function** kernel, Binary* library, const char* name) {
  return find_function(kernel, library, name);
}
LAB_ENTRY int cuLibraryGetModule(Binary** module, Binary* library) {
  if (module == nullptr || library == nullptr) return kInvalidValue;
  *module = library;
  return 0;
}
LAB_ENTRY int cuLibraryGetGlobal(void** at, std::size_t* size_bytes, Binary* library, const char* name) {
  return find_global(at, size_bytes, library, name);
}
LAB_ENTRY int cuKernelGetFunction(Function** function, Function* kernel) {
  if (function == nullptr || kernel == nullptr) return kInvalidValue;
  *function = kernel;
  return 0;
}

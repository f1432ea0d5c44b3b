// Linking at run time: the driver's linker (cuLink…) and the library beside it (nvJitLink…).
//
// Enters: PTX texts and fat binaries, one by one. Leaves: an image that stands where a GPU has machine code,
// and that the driver loads as a module: the texts, linked when they are loaded. What holds machine code or
// LTO code alone is refused; the device runtime library is there without being added.
#include <cstring>
#include <optional>
#include <string_view>

#include "common/run/cudart/driver.h"

using namespace lab::cudart;

namespace lab::cudart {

std::vector<std::string> linked_texts(const char* image) {
  std::vector<std::string> texts;
  for (const char* at = image + sizeof kLinkedMagic; *at != '\0'; at += texts.back().size() + 1)
    texts.emplace_back(at);
  return texts;
}

void clear_logs(unsigned count, const int* options, void** values) {
  constexpr int kWallTime = 2, kInfoLog = 3, kInfoBytes = 4, kErrorLog = 5, kErrorBytes = 6;
  for (unsigned k = 0; k < count && options != nullptr && values != nullptr; ++k) {
    const bool log = options[k] == kInfoLog || options[k] == kErrorLog;
    if (log && values[k] != nullptr) *static_cast<char*>(values[k]) = '\0';
    if (options[k] == kInfoBytes || options[k] == kErrorBytes || options[k] == kWallTime) values[k] = nullptr;
  }
}

// Grows by one text after the other; `image` is whole at any time.
struct LinkState {
  std::string image{kLinkedMagic, sizeof kLinkedMagic};
  [[nodiscard]] std::size_t size_bytes() const { return image.size() + 1; }  // with the zero at the end
};

}  // namespace lab::cudart

namespace {

enum class Input { Ptx, FatBinary, Library, MachineCode };

void add(Context& c, LinkState& state, Input input, const void* data, std::size_t size_bytes) {
  if (input == Input::Ptx) {
    const std::string text(static_cast<const char*>(data), size_bytes);
    state.image.append(text, 0, text.find('\0')).push_back('\0');  // one end, also where it is counted in
    return;
  }
  if (input != Input::FatBinary)
    throw ApiError{Error::NotSupported, "the linker at run time takes PTX; this is machine code."};
  for (const std::string& text : Modules::texts_in(c, {kWrapperMagic, 1, data, nullptr}))
    state.image.append(text).push_back('\0');
}

bool is_device_runtime(const char* path) {
  return path != nullptr && std::string_view(path).find("cudadevrt") != std::string_view::npos;
}

}  // namespace

// --- the driver's ---

LAB_ENTRY int cuLinkCreate_v2(unsigned count, const int* options, void** values, LinkState** state) {
  if (state == nullptr) return kInvalidValue;
  clear_logs(count, options, values);
  *state = new LinkState;
  return 0;
}
LAB_ENTRY int cuLinkAddData_v2(LinkState* state, int type, const void* data, std::size_t size_bytes,
                               const char* name, unsigned /*count*/, const int* /*options*/,
                               void** /*values*/) {
  constexpr int kPtx = 1, kFatBinary = 2, kLibrary = 4;
  if (type == kLibrary && is_device_runtime(name)) return 0;
  const Input input = type == kPtx ? Input::Ptx : type == kFatBinary ? Input::FatBinary : Input::MachineCode;
  return enter_driver([&](Context& c) {
    need(state, data);
    add(c, *state, input, data, size_bytes);
  });
}
LAB_ENTRY int cuLinkAddFile_v2(LinkState* state, int type, const char* path, unsigned count,
                               const int* options, void** values) {
  if (is_device_runtime(path)) return 0;
  if (path == nullptr) return kInvalidValue;
  const std::optional<std::string> bytes = file_bytes(path);
  if (!bytes) return kFileNotFound;
  return cuLinkAddData_v2(state, type, bytes->data(), bytes->size(), path, count, options, values);
}
LAB_ENTRY int cuLinkComplete(LinkState* state, void** image, std::size_t* size_bytes) {
  if (state == nullptr || image == nullptr) return kInvalidValue;
  *image = state->image.data();
  if (size_bytes != nullptr) *size_bytes = state->size_bytes();
  return 0;
}
LAB_ENTRY int cuLinkDestroy(LinkState* state) {
  if (state == nullptr) return kInvalidValue;
  delete state;
  return 0;
}

// --- nvJitLink ---
// Without nvJitLinkVersion, as the first releases were: numba, which looks for it, then gives PTX to the
// driver's linker, in place of LTO code.

namespace {
constexpr int kInvalidInput = 3, kUnrecognisedInput = 8;
}

LAB_ENTRY int nvJitLinkCreate(LinkState** state, std::uint32_t /*count*/, const char** /*options*/) {
  if (state == nullptr) return kInvalidInput;
  *state = new LinkState;
  return 0;
}
LAB_ENTRY int nvJitLinkDestroy(LinkState** state) {
  if (state == nullptr || *state == nullptr) return kInvalidInput;
  delete *state;
  *state = nullptr;
  return 0;
}
LAB_ENTRY int nvJitLinkAddData(LinkState* state, int type, const void* data, std::size_t size_bytes,
                               const char* name) {
  constexpr int kPtx = 2, kFatBinary = 4, kLibrary = 6;
  if (type == kLibrary && is_device_runtime(name)) return 0;
  const Input input = type == kPtx ? Input::Ptx : type == kFatBinary ? Input::FatBinary : Input::MachineCode;
  const int code = enter_driver(Needs::Nothing, [&](Context& c) {
    need(state, data);
    add(c, *state, input, data, size_bytes);
  });
  return code == 0 ? 0 : kUnrecognisedInput;
}
LAB_ENTRY int nvJitLinkAddFile(LinkState* state, int type, const char* path) {
  if (is_device_runtime(path)) return 0;
  const std::optional<std::string> bytes = path == nullptr ? std::nullopt : file_bytes(path);
  return bytes ? nvJitLinkAddData(state, type, bytes->data(), bytes->size(), path) : kInvalidInput;
}
LAB_ENTRY int nvJitLinkComplete(LinkState* state) { return state == nullptr ? kInvalidInput : 0; }
LAB_ENTRY int nvJitLinkGetLinkedCubinSize(LinkState* state, std::size_t* size_bytes) {
  *size_bytes = state->size_bytes();
  return 0;
}
LAB_ENTRY int nvJitLinkGetLinkedCubin(LinkState* state, void* image) {
  std::memcpy(image, state->image.c_str(), state->size_bytes());
  return 0;
}
LAB_ENTRY int nvJitLinkGetErrorLogSize(LinkState* /*state*/, std::size_t* size_bytes) {
  *size_bytes = 1;
  return 0;
}
LAB_ENTRY int nvJitLinkGetErrorLog(LinkState* /*state*/, char* log) {
  *log = '\0';
  return 0;
}
LAB_ENTRY int nvJitLinkGetInfoLogSize(LinkState* state, std::size_t* size_bytes) {
  return nvJitLinkGetErrorLogSize(state, size_bytes);
}
LAB_ENTRY int nvJitLinkGetInfoLog(LinkState* state, char* log) { return nvJitLinkGetErrorLog(state, log); }

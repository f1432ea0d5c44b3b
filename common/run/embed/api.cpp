// The C functions of transpose_ptx.h: what is thrown becomes an error, and nothing leaves but values.
//
// Enters: pointers of any caller. Leaves: modules, results, errors.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

#include "common/run/embed/module.h"
#include "common/run/embed/result.h"

struct lab_ptx_module : lab::embed::Module {
  using Module::Module;
};

namespace {

using lab::embed::bad_request;
using lab::embed::Refused;
using lab::embed::Result;

// Cut between characters where it is too long.
template <std::size_t N>
void put(char (&into)[N], const std::string& text) {
  std::size_t bytes = std::min(text.size(), N - 1);
  while (bytes < text.size() && bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80)
    --bytes;
  std::memcpy(into, text.data(), bytes);
  into[bytes] = '\0';
}

void report(lab_ptx_error* error, const char* code, const std::string& message, int line = 0,
            int column = 0) {
  if (error == nullptr) return;
  put(error->code, code);
  put(error->message, message);
  error->line = line;
  error->column = column;
}

// What `work` returns, or a value of null and the error.
template <class Work>
auto guarded(lab_ptx_error* error, const Work& work) -> std::invoke_result_t<Work> {
  try {
    if (error != nullptr) *error = {};
    return work();
  } catch (const Refused& refused) {
    report(error, refused.code.c_str(), refused.what(), refused.line, refused.column);
  } catch (const std::bad_alloc&) {
    report(error, "out-of-memory", "This machine has not enough free memory for that.");
  } catch (const std::exception& other) {
    report(error, "internal", other.what());
  } catch (...) {
    report(error, "internal", "Something went wrong that has no name.");
  }
  return {};
}

// As far as the caller's header has it.
lab_ptx_request whole(const lab_ptx_request* request) {
  if (request == nullptr) throw bad_request("The request is a null pointer.");
  if (request->struct_bytes != sizeof(lab_ptx_request))
    throw bad_request(
        lab::msg("`struct_bytes` is {}; this library's lab_ptx_request has {}. Set it to "
                 "sizeof(lab_ptx_request).",
                 request->struct_bytes, sizeof(lab_ptx_request)));
  return *request;
}

lab_ptx_module& given(lab_ptx_module* module) {
  if (module == nullptr) throw bad_request("The module is a null pointer.");
  return *module;
}

}  // namespace

lab_ptx_module* lab_ptx_load(const char* text, size_t bytes, lab_ptx_error* error) {
  return guarded(error, [&] {
    if (text == nullptr) throw bad_request("The PTX text is a null pointer.");
    return new lab_ptx_module(std::string_view(text, bytes == 0 ? std::strlen(text) : bytes));
  });
}

void lab_ptx_unload(lab_ptx_module* module) { delete module; }

size_t lab_ptx_entries(const lab_ptx_module* module, const char** names, size_t room) {
  if (module == nullptr) return 0;
  const std::vector<std::string>& entries = module->entries();
  for (std::size_t i = 0; names != nullptr && i < std::min(room, entries.size()); ++i)
    names[i] = entries[i].c_str();
  return entries.size();
}

const lab_ptx_kernel* lab_ptx_find(lab_ptx_module* module, const char* entry, lab_ptx_error* error) {
  return guarded(error, [&]() -> const lab_ptx_kernel* { return &given(module).find(entry).described; });
}

void* lab_ptx_variable(lab_ptx_module* module, const char* name, uint64_t* address, size_t* bytes) {
  if (module == nullptr || name == nullptr) return nullptr;
  return guarded(nullptr, [&]() -> void* {
    const lab::embed::Module::Variable found = module->variable(name);
    if (address != nullptr) *address = found.address;
    if (bytes != nullptr) *bytes = found.bytes;
    return found.host;
  });
}

const lab_ptx_result* lab_ptx_launch(lab_ptx_module* module, const lab_ptx_request* request,
                                     lab_ptx_error* error) {
  return guarded(error, [&]() -> const lab_ptx_result* {
    lab_ptx_module& launched = given(module);
    const lab_ptx_request asked = whole(request);
    return new Result(asked, launched.launch(asked));
  });
}

void lab_ptx_free(const lab_ptx_result* result) { delete static_cast<const Result*>(result); }

const char* lab_ptx_json(const lab_ptx_result* result) {
  if (result == nullptr) return "null";
  return guarded(nullptr, [&] { return static_cast<const Result*>(result)->json(); });
}

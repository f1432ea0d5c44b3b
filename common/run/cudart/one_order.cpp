// What the objects of the process call. See one_order.h.
#include "common/run/cudart/one_order.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "common/run/cudart/context.h"

namespace lab::cudart {
namespace {

// Parts of the names of what may make work beside the default stream's, or find such functions later.
constexpr std::string_view kBeside[] = {"StreamCreateWith", "Graph",    "Capture",    "KernelEx",
                                        "MallocAsync",      "FromPool", "EntryPoint", "MultiDevice"};

// The runtime's calls, and those of libraries that work in the stream that they are given. What else begins with
// "cu" is the driver's.
constexpr std::string_view kOrdered[] = {"cuda", "cublas", "cufft", "curand", "cusolver", "cusparse"};

bool may_be_beside(std::string_view name) {
  if (name == "dlopen" || name == "dlmopen" || name == "dlsym" || name == "dlvsym") return true;
  if (!name.starts_with("cu")) return false;
  return std::none_of(std::begin(kOrdered), std::end(kOrdered),
                      [&](std::string_view begin) { return name.starts_with(begin); }) ||
         std::any_of(std::begin(kBeside), std::end(kBeside),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// The names that an object is bound to: those of its relocations.
template <class Visit>
void for_calls(const dl_phdr_info& object, const Visit& visit) {
  const auto* const end = object.dlpi_phdr + object.dlpi_phnum;
  const auto* const dynamic =
      std::find_if(object.dlpi_phdr, end, [](const ElfW(Phdr) & part) { return part.p_type == PT_DYNAMIC; });
  if (dynamic == end) return;
  const auto at = [&](ElfW(Addr) address) {  // of some objects the loader has added where they lie
    return address < object.dlpi_addr ? address + object.dlpi_addr : address;
  };
  ElfW(Addr) names = 0, symbols = 0, tables[2] = {};
  std::size_t bytes[2] = {};
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + dynamic->p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = at(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) symbols = at(entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELA) tables[0] = at(entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELASZ) bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) tables[1] = at(entry->d_un.d_ptr);
    if (entry->d_tag == DT_PLTRELSZ) bytes[1] = entry->d_un.d_val;
  }
  for (int table = 0; table < 2; ++table) {
    const auto* const first = reinterpret_cast<const ElfW(Rela)*>(tables[table]);
    for (std::size_t k = 0; k < bytes[table] / sizeof *first; ++k) {
      const std::size_t number = ELF64_R_SYM(first[k].r_info);
      if (number != 0)
        visit(reinterpret_cast<const char*>(names) +
              reinterpret_cast<const ElfW(Sym)*>(symbols)[number].st_name);
    }
  }
}

struct Found {
  std::filesystem::path ours;  // the folder of the runtime and of the libraries in front of it
  bool runtime = false;        // some object is bound to our runtime by its name
  bool beside = false;
};

int look(dl_phdr_info* object, std::size_t /*bytes*/, void* found) {
  Found& all = *static_cast<Found*>(found);
  if (std::filesystem::path(object->dlpi_name).parent_path() == all.ours) return 0;
  for_calls(*object, [&](std::string_view name) {
    all.runtime = all.runtime || name == "__cudaRegisterFatBinary";
    all.beside = all.beside || may_be_beside(name);
  });
  return 0;
}

}  // namespace

bool one_order() {
  static const bool answer = [] {
    Found found;
    static const char here = 0;
    Dl_info self{};
    if (dladdr(&here, &self) != 0) found.ours = std::filesystem::path(self.dli_fname).parent_path();
    if (shortcuts() == sim::Shortcuts::On) dl_iterate_phdr(look, &found);
    return found.runtime && !found.beside;
  }();
  return answer;
}

}  // namespace lab::cudart

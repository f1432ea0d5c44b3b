// What the objects of the process call. See one_order.h.
#include "common/run/cudart/one_order.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "common/run/cudart/context.h"
#include "common/run/cudart/elf_file.h"

namespace lab::cudart {
namespace {

// Parts of the names of what may make work beside the default stream's, or find such functions later.
constexpr std::string_view kBeside[] = {"StreamCreateWith", "Graph",    "Capture",    "KernelEx",
                                        "MallocAsync",      "FromPool", "EntryPoint", "MultiDevice"};

// The runtime's calls, and those of libraries that work in the stream that they are given. What else begins with
// "cu" is the driver's.
constexpr std::string_view kOrdered[] = {"cuda", "cublas", "cufft", "curand", "cusolver", "cusparse"};

bool finds_functions(std::string_view name) {
  return name == "dlopen" || name == "dlmopen" || name == "dlsym" || name == "dlvsym";
}
bool may_be_beside(std::string_view name) {
  if (finds_functions(name)) return true;
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

template <class Word>
Word word_at(std::string_view bytes, std::size_t at) {
  Word word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// A runtime inside an object brings all its functions along, and no table says which of them the code around it calls.
// Whether a place in that code, or in data, names one that may make work beside, or one that finds it.
bool names_beside(const ElfFile& image, void* ours) {
#if !defined(__x86_64__)
  return true;
#endif
  std::map<std::uint64_t, std::uint64_t>
      runtime;                            // its functions, from first byte to the one behind the last
  std::set<std::uint64_t> wanted, slots;  // their addresses; where the loader puts those of others
  image.functions(SHT_SYMTAB, [&](std::string_view name, const ElfW(Sym) & symbol) {
    const bool inner = name.starts_with("libcudart_static_") || name.starts_with("__cudart");
    const bool outer = name.starts_with("cuda") || name.starts_with("__cuda");
    if (!inner && !(outer && dlsym(ours, name.data()) != nullptr)) return;
    runtime[symbol.st_value] = (symbol.st_value + symbol.st_size + 15) / 16 * 16;  // with what fills it up
    if (may_be_beside(name)) wanted.insert(symbol.st_value);
  });
  bool named = wanted.empty();
  image.sections([&](std::string_view /*name*/, const ElfW(Shdr) & header, std::string_view bytes) {
    if (header.sh_type == SHT_REL) named = true;
    for (std::size_t k = 0; header.sh_type == SHT_RELA && k < bytes.size(); k += sizeof(ElfW(Rela))) {
      const auto one = word_at<ElfW(Rela)>(bytes, k);
      named |= wanted.contains(static_cast<std::uint64_t>(one.r_addend));
      if (finds_functions(image.symbol(header, ELF64_R_SYM(one.r_info)))) slots.insert(one.r_offset);
    }
  });
  const auto named_by_call = [&](std::string_view bytes, std::uint64_t begin, std::uint64_t at) {
    return at + 4 + static_cast<std::uint64_t>(std::int64_t{word_at<std::int32_t>(bytes, at - begin)});
  };
  // The loader's functions are called by way of entries of 8 or 16 bytes.
  std::set<std::uint64_t> entries;
  const auto is_table = [](std::string_view name) { return name.starts_with(".plt"); };
  image.sections([&](std::string_view name, const ElfW(Shdr) & header, std::string_view bytes) {
    for (std::uint64_t at = header.sh_addr; is_table(name) && at + 4 <= header.sh_addr + bytes.size(); ++at)
      if (slots.contains(named_by_call(bytes, header.sh_addr, at)))
        entries.insert({at / 8 * 8, at / 16 * 16});
  });
  wanted.merge(slots);
  wanted.merge(entries);
  const auto is_wanted = [&, low = wanted.empty() ? 0 : *wanted.begin(),
                          high = wanted.empty() ? 0 : *wanted.rbegin()](std::uint64_t address) {
    return address >= low && address <= high && wanted.contains(address);
  };
  image.sections([&](std::string_view name, const ElfW(Shdr) & header, std::string_view bytes) {
    const std::uint64_t begin = header.sh_addr, end = begin + bytes.size();
    const bool code = (header.sh_flags & SHF_EXECINSTR) != 0;
    if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_type == SHT_RELA || is_table(name)) return;
    for (std::uint64_t at = begin; !code && at + 8 <= end; at += 8)
      named |= (image.is_fixed() || (header.sh_flags & SHF_WRITE) != 0) &&
               is_wanted(word_at<std::uint64_t>(bytes, at - begin));
    auto next = runtime.lower_bound(begin);
    for (std::uint64_t at = begin; code && at + 4 <= end; ++at) {
      for (; next != runtime.end() && next->first <= at; ++next) at = std::max(at, next->second);
      if (at + 4 > end) break;
      named |= is_wanted(named_by_call(bytes, begin, at)) ||
               (image.is_fixed() && is_wanted(word_at<std::uint32_t>(bytes, at - begin)));
    }
  });
  return named;
}

struct Found {
  void* handle = nullptr;      // of the runtime
  std::filesystem::path ours;  // the folder of the runtime and of the libraries in front of it
  bool runtime = false;        // some object is bound to our runtime by its name
  bool beside = false;
};

int look(dl_phdr_info* object, std::size_t /*bytes*/, void* found) {
  Found& all = *static_cast<Found*>(found);
  if (std::filesystem::path(object->dlpi_name).parent_path() == all.ours) return 0;
  const ElfFile image(*object->dlpi_name == '\0' ? "/proc/self/exe" : object->dlpi_name);
  const bool carries = image.carries_runtime();
  for_calls(*object, [&](std::string_view name) {
    all.runtime = all.runtime || name == "__cudaRegisterFatBinary";
    all.beside = all.beside || (may_be_beside(name) && !(carries && finds_functions(name)));
  });
  all.runtime = all.runtime || carries;
  all.beside = all.beside || (carries && names_beside(image, all.handle));
  return 0;
}

}  // namespace

bool one_order() {
  static const bool answer = [] {
    Found found;
    static const char here = 0;
    Dl_info self{};
    if (dladdr(&here, &self) != 0) {
      found.ours = std::filesystem::path(self.dli_fname).parent_path();
      found.handle = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    }
    if (shortcuts() == sim::Shortcuts::On) dl_iterate_phdr(look, &found);
    return found.runtime && !found.beside;
  }();
  return answer;
}

}  // namespace lab::cudart

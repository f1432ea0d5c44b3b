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
// Enters: the object's file. Leaves: whether a place in that code, or in data, names one that may make work beside, or
// one that finds it.
class CarriedRuntime {
 public:
  CarriedRuntime(const ElfFile& image, void* ours) : image_(image) {
    image.functions(SHT_SYMTAB, [&](std::string_view name, const ElfW(Sym) & symbol) {
      const bool inner = name.starts_with("libcudart_static_") || name.starts_with("__cudart");
      const bool outer = name.starts_with("cuda") || name.starts_with("__cuda");
      if (!inner && !(outer && dlsym(ours, name.data()) != nullptr)) return;
      own_[symbol.st_value] = (symbol.st_value + symbol.st_size + 15) / 16 * 16;  // with what fills it up
      if (may_be_beside(name)) wanted_.insert(symbol.st_value);
    });
    named_ = wanted_.empty();
  }
  [[nodiscard]] bool is_named_beside() {
#if !defined(__x86_64__)
    named_ = true;  // calls are read in the code of this processor alone
#endif
    if (!named_) add_finders(slots_of_finders());
    if (!named_)
      image_.sections([&](std::string_view name, const ElfW(Shdr) & header, std::string_view bytes) {
        if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_type == SHT_RELA || is_table(name)) return;
        if ((header.sh_flags & SHF_EXECINSTR) != 0)
          read_code(header.sh_addr, bytes);
        else if (image_.is_fixed() || (header.sh_flags & SHF_WRITE) != 0)
          read_data(bytes);
      });
    return named_;
  }

 private:
  static bool is_table(std::string_view section) { return section.starts_with(".plt"); }
  // What the 32 bits at `at` name as the distance from behind them.
  static std::uint64_t named_from(std::uint64_t begin, std::string_view bytes, std::uint64_t at) {
    return at + 4 + static_cast<std::uint64_t>(std::int64_t{word_at<std::int32_t>(bytes, at - begin)});
  }
  [[nodiscard]] bool is_wanted(std::uint64_t address) const {
    return address >= *wanted_.begin() && address <= *wanted_.rbegin() && wanted_.contains(address);
  }
  // Where the loader puts the addresses of dlsym and its like; a relocation may also name a function of the runtime.
  std::set<std::uint64_t> slots_of_finders() {
    std::set<std::uint64_t> slots;
    image_.sections([&](std::string_view /*name*/, const ElfW(Shdr) & header, std::string_view bytes) {
      if (header.sh_type == SHT_REL) named_ = true;
      for (std::size_t k = 0; header.sh_type == SHT_RELA && k < bytes.size(); k += sizeof(ElfW(Rela))) {
        const auto one = word_at<ElfW(Rela)>(bytes, k);
        named_ |= wanted_.contains(static_cast<std::uint64_t>(one.r_addend));
        if (finds_functions(image_.symbol(header, ELF64_R_SYM(one.r_info)))) slots.insert(one.r_offset);
      }
    });
    return slots;
  }
  // They are called by way of their slots, or of entries of 8 or 16 bytes.
  void add_finders(std::set<std::uint64_t> slots) {
    std::set<std::uint64_t> entries;
    image_.sections([&](std::string_view name, const ElfW(Shdr) & header, std::string_view bytes) {
      for (std::uint64_t at = header.sh_addr; is_table(name) && at + 4 <= header.sh_addr + bytes.size(); ++at)
        if (slots.contains(named_from(header.sh_addr, bytes, at))) entries.insert({at / 8 * 8, at / 16 * 16});
    });
    wanted_.merge(slots);
    wanted_.merge(entries);
  }
  void read_data(std::string_view bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8)
      named_ |= is_wanted(word_at<std::uint64_t>(bytes, at));
  }
  void read_code(std::uint64_t begin, std::string_view bytes) {
    const std::uint64_t end = begin + bytes.size();
    auto next = own_.lower_bound(begin);
    for (std::uint64_t at = begin; at + 4 <= end; ++at) {
      for (; next != own_.end() && next->first <= at; ++next) at = std::max(at, next->second);
      if (at + 4 > end) break;
      named_ |= is_wanted(named_from(begin, bytes, at)) ||
                (image_.is_fixed() && is_wanted(word_at<std::uint32_t>(bytes, at - begin)));
    }
  }
  const ElfFile& image_;
  std::map<std::uint64_t, std::uint64_t> own_;  // its functions, from first byte to the one behind the last
  std::set<std::uint64_t> wanted_;              // addresses of those that may make work beside, or find them
  bool named_ = false;
};

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
  all.beside = all.beside || (carries && CarriedRuntime(image, all.handle).is_named_beside());
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

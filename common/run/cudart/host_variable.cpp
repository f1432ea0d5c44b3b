// Reads the table of symbols of the object that a pointer lies in. See host_room.h.
//
// Enters: a pointer into the program or one of its libraries. Leaves: the variable there, when the file names
// it: an array `static float h[100]` has no header in front of it, but its size stands in the file. A
// stripped program has no such table, and nothing is known then.
#include <dlfcn.h>
#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/run/cudart/host_room.h"

namespace lab::cudart {
namespace {

struct LoadedFile {
  std::uintptr_t base = 0;  // where it was loaded
  std::string file;
};

// The loaded file that holds the pointer; for the program itself, the kernel's name of it (/proc/self/exe).
std::optional<LoadedFile> object_of(const void* pointer) {
  Dl_info info{}, program{};
  if (::dladdr(pointer, &info) == 0 || info.dli_fname == nullptr) return std::nullopt;
  const bool own = ::dladdr(reinterpret_cast<const void*>(::getauxval(AT_PHDR)), &program) != 0 &&
                   program.dli_fbase == info.dli_fbase;
  return LoadedFile{reinterpret_cast<std::uintptr_t>(info.dli_fbase),
                    own ? "/proc/self/exe" : info.dli_fname};
}

struct FileVariable {
  std::uint64_t low = 0, size_bytes = 0;  // in the file's own addresses
  std::string name;
};

struct FileVariables {
  bool fixed = false;              // the file says where it lies: addresses are the program's
  std::vector<FileVariable> list;  // by address
};

template <class Thing>
std::vector<Thing> table(std::ifstream& file, std::uint64_t offset, std::uint64_t size_bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{256} << 20;
  std::vector<Thing> list(size_bytes <= kMost ? size_bytes / sizeof(Thing) : 0);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(list.data()), static_cast<std::streamsize>(list.size() * sizeof(Thing)));
  if (!file) list.clear();
  return list;
}

FileVariables read_variables(const std::string& name) {
  FileVariables read;
  std::ifstream file(name, std::ios::binary);
  const std::vector<Elf64_Ehdr> head = table<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (head.empty() || std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) != 0) return read;
  read.fixed = head[0].e_type == ET_EXEC;
  const auto sections = table<Elf64_Shdr>(file, head[0].e_shoff, head[0].e_shnum * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& texts = sections[section.sh_link];
    std::vector<char> names = table<char>(file, texts.sh_offset, texts.sh_size);
    names.push_back('\0');
    for (const Elf64_Sym& symbol : table<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
      if ((symbol.st_info & 0xf) != STT_OBJECT || symbol.st_size == 0 || symbol.st_name >= names.size())
        continue;
      read.list.push_back({symbol.st_value, symbol.st_size, names.data() + symbol.st_name});
    }
  }
  std::sort(read.list.begin(), read.list.end(),
            [](const FileVariable& a, const FileVariable& b) { return a.low < b.low; });
  return read;
}

}  // namespace

std::optional<HostVariable> host_variable(const void* pointer) {
  const std::optional<LoadedFile> object = object_of(pointer);
  if (!object) return std::nullopt;
  static std::map<std::string, FileVariables> known;  // callers hold the context's lock
  const auto [place, fresh] = known.try_emplace(object->file);
  if (fresh) place->second = read_variables(object->file);
  const FileVariables& variables = place->second;
  const std::uint64_t at = reinterpret_cast<std::uintptr_t>(pointer) - (variables.fixed ? 0 : object->base);
  const auto above = std::upper_bound(variables.list.begin(), variables.list.end(), at,
                                      [](std::uint64_t a, const FileVariable& v) { return a < v.low; });
  if (above == variables.list.begin()) return std::nullopt;
  const FileVariable& variable = *std::prev(above);
  if (at - variable.low >= variable.size_bytes) return std::nullopt;
  return HostVariable{variable.name, variable.size_bytes - (at - variable.low)};
}

}  // namespace lab::cudart

// A binary that was linked elsewhere: can it run on the simulator?
//
// Enters: a path. Leaves: the runtime of ours that it gets, or UsageError with what is wrong and the fix.
// Reads the few parts of the ELF file that say it: needed libraries, names of sections, whether the runtime
// was linked in.
#include <elf.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstring>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/run/programs/run_build.h"

namespace lab::programs {
namespace {

using base::UsageError;

#if defined(__aarch64__)
constexpr auto kMachine = EM_AARCH64;
constexpr const char* kMachineName = /* message */ "64-bit Arm Linux";
#else
constexpr auto kMachine = EM_X86_64;
constexpr const char* kMachineName = /* message */ "64-bit x86 Linux";
#endif

class ElfFile {
 public:
  explicit ElfFile(std::string bytes) : bytes_(std::move(bytes)) {
    ok_ = read(0, header_) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
          header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_machine == kMachine;
  }
  [[nodiscard]] bool ok() const { return ok_; }

  // Null when there is none of that name.
  [[nodiscard]] bool has_section(std::string_view name) const {
    Elf64_Shdr names{}, section{};
    if (!section_at(header_.e_shstrndx, names)) return false;
    for (unsigned k = 0; k < header_.e_shnum; ++k) {
      if (section_at(k, section) && text_at(names.sh_offset + section.sh_name) == name) return true;
    }
    return false;
  }

  // Whether the table of symbols, which `strip` removes, has that name.
  [[nodiscard]] bool has_symbol(const std::string& name) const {
    const std::string word = '\0' + name + '\0';
    Elf64_Shdr section{}, strings{};
    for (unsigned k = 0; k < header_.e_shnum; ++k) {
      if (section_at(k, section) && section.sh_type == SHT_SYMTAB && section_at(section.sh_link, strings) &&
          strings.sh_offset < bytes_.size() &&
          std::string_view(bytes_).substr(strings.sh_offset, strings.sh_size).find(word) != std::string::npos)
        return true;
    }
    return false;
  }

  // DT_NEEDED entries; or those with another tag.
  [[nodiscard]] std::vector<std::string> libraries(Elf64_Sxword tag = DT_NEEDED) const {
    std::vector<std::string> result;
    Elf64_Shdr section{}, strings{};
    for (unsigned k = 0; k < header_.e_shnum; ++k) {
      if (!section_at(k, section) || section.sh_type != SHT_DYNAMIC || !section_at(section.sh_link, strings))
        continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.sh_size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry{};
        if (!read(section.sh_offset + at, entry) || entry.d_tag == DT_NULL) break;
        if (entry.d_tag == tag) result.push_back(text_at(strings.sh_offset + entry.d_un.d_val));
      }
    }
    return result;
  }

 private:
  template <class T>
  bool read(std::uint64_t at, T& value) const {
    if (at > bytes_.size() || sizeof value > bytes_.size() - at) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return true;
  }
  bool section_at(unsigned index, Elf64_Shdr& section) const {
    return index < header_.e_shnum && read(header_.e_shoff + std::uint64_t{index} * sizeof section, section);
  }
  [[nodiscard]] std::string text_at(std::uint64_t at) const {
    if (at >= bytes_.size()) return "";
    return bytes_.substr(at, std::min(bytes_.find('\0', at), bytes_.size()) - at);
  }
  std::string bytes_;
  Elf64_Ehdr header_{};
  bool ok_ = false;
};

// The one of ours that stands for the CUDA that this was built with; the newest where nothing says it.
std::string runtime_for(const ElfFile& file, const std::string& shown) {
  for (const std::string& library : file.libraries()) {
    if (library == "libcudart.so.13" || library == "libcudart.so.12") return library;
    if (library.starts_with("libcudart.so.1"))
      throw UsageError(msg("{} was linked against {}; compile it with CUDA 12 or 13.", shown, library));
  }
  if (!file.has_symbol("cudaGetExportTable")) {
    if (!file.has_section(".nv_fatbin") || file.has_section(".symtab")) return "libcudart.so.13";
    throw UsageError(
        msg("{} carries the CUDA runtime inside it (nvcc links it statically), and no table of symbols that "
            "says where (strip removed it), so that no other can take its place. Do not strip it, or link "
            "with: nvcc -cudart shared",
            shown));
  }
  if (file.has_symbol("cudaGetDeviceProperties_v2")) return "libcudart.so.12";
  if (!file.has_symbol("cudaThreadSynchronize")) return "libcudart.so.13";
  throw UsageError(
      msg("{} carries the CUDA runtime of an older CUDA inside it; compile it with CUDA 12 or 13.", shown));
}

}  // namespace

std::string check_binary(const std::filesystem::path& program) {
  const std::string shown = program.string();
  std::error_code error;
  if (!std::filesystem::exists(program, error)) throw UsageError(msg("no file {}. Check the name.", shown));
  if (!std::filesystem::is_regular_file(program, error)) {
    throw UsageError(msg("{} is no program. Name a .cu file, or a program that nvcc has linked.", shown));
  }
  const ElfFile file(base::read_file(program).value_or(""));
  if (!file.ok()) {
    throw UsageError(
        msg("{} is neither a .cu file nor a program for this machine ({}).", shown, kMachineName));
  }
  if (::access(program.c_str(), X_OK) != 0) {
    throw UsageError(msg("{} may not be executed. Run: chmod +x {}", shown, shown));
  }
  if (file.libraries().empty()) {
    throw UsageError(
        msg("{} loads no library when it starts, so that the simulated GPU cannot be given to it.", shown));
  }
  return runtime_for(file, shown);
}

}  // namespace lab::programs

// A file that the loader mapped, read only, and its sections.
//
// Enters: a path. Leaves: visits of functions and sections; nothing of a file that is none of the loader's. It
// allocates nothing, as the auditor (static_runtime.cpp) may not.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace lab::cudart {

constexpr std::string_view kMarker = "cudaGetExportTable";  // the runtime's own: no program defines that

class ElfFile {
 public:
  explicit ElfFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > static_cast<off_t>(sizeof(ElfW(Ehdr)))) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* const at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) bytes_ = static_cast<const char*>(at);
    }
    if (file >= 0) close(file);
    const auto* const header = at<ElfW(Ehdr)>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    sections_ = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    if (sections_ != nullptr) count_ = header->e_shnum;
    type_ = header->e_type;
    names_ = header->e_shstrndx;
  }
  ~ElfFile() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  [[nodiscard]] bool is_fixed() const { return type_ == ET_EXEC; }  // it lies where the linker put it
  // visit(name, header, bytes), of those that have bytes.
  template <class Visit>
  void sections(Visit&& visit) const {
    for (unsigned k = 0; k < count_; ++k) {
      const ElfW(Shdr)& header = sections_[k];
      const char* const bytes = at<char>(header.sh_offset, header.sh_size);
      if (header.sh_type != SHT_NOBITS && bytes != nullptr)
        visit(text(names_, header.sh_name), header, std::string_view(bytes, header.sh_size));
    }
  }
  // The functions that a table of symbols (SHT_SYMTAB, SHT_DYNSYM) defines: visit(name, symbol).
  template <class Visit>
  void functions(unsigned table, Visit&& visit) const {
    for (unsigned k = 0; k < count_; ++k) {
      const std::size_t count = sections_[k].sh_type == table ? sections_[k].sh_size / sizeof(ElfW(Sym)) : 0;
      const auto* const symbol = at<ElfW(Sym)>(sections_[k].sh_offset, count);
      for (std::size_t s = 0; symbol != nullptr && s < count; ++s) {
        if ((symbol[s].st_info & 15) == STT_FUNC && symbol[s].st_shndx != SHN_UNDEF)
          visit(text(sections_[k].sh_link, symbol[s].st_name), symbol[s]);
      }
    }
  }
  // The name of a symbol of the table that a section of relocations belongs to.
  [[nodiscard]] std::string_view symbol(const ElfW(Shdr) & relocations, std::size_t number) const {
    if (relocations.sh_link >= count_) return {};
    const ElfW(Shdr)& table = sections_[relocations.sh_link];
    const auto* const all = at<ElfW(Sym)>(table.sh_offset, number + 1);
    return all == nullptr ? std::string_view() : text(table.sh_link, all[number].st_name);
  }
  [[nodiscard]] bool carries_runtime() const {
    bool found = false;
    functions(SHT_SYMTAB, [&](std::string_view name, const ElfW(Sym)&) { found |= name == kMarker; });
    return found;
  }

 private:
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    if (bytes_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_ + offset);
  }
  // The word at `offset` of a section of them.
  [[nodiscard]] std::string_view text(unsigned section, std::uint64_t offset) const {
    if (section >= count_ || offset >= sections_[section].sh_size) return {};
    const char* const words = at<char>(sections_[section].sh_offset, sections_[section].sh_size);
    return words == nullptr || words[sections_[section].sh_size - 1] != 0 ? std::string_view()
                                                                          : words + offset;
  }
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
  const ElfW(Shdr) * sections_ = nullptr;
  unsigned count_ = 0, type_ = 0, names_ = 0;
};

}  // namespace lab::cudart

// Programs that carry the CUDA runtime inside them, as nvcc links by default.
//
// Enters: the dynamic loader's word on each object that it maps (this library is its auditor, see
// rtld-audit(7)), before anything of the object runs. Leaves: an object whose table of symbols names the
// runtime's functions calls ours: the first bytes of each become a jump to the function of that name in the
// libcudart.so of `lab run`, which is loaded beforehand. Nothing of the runtime inside then runs. An auditor
// lives beside the program with a C library of its own, so nothing here allocates, throws or prints through
// the program's.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <string_view>

#include "common/run/cudart/elf_file.h"

namespace {

using lab::cudart::ElfFile;

// A jump to any address, and how much of a function it needs. Functions begin at multiples of 16, so that a
// shorter one has room behind it.
struct Jump {
#if defined(__aarch64__)
  std::uint32_t load = 0x58000050, branch = 0xd61f0200;  // ldr x16, 8 bytes on; br x16
  std::uint64_t target;
#else
  unsigned char indirect[6] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *(%rip)
  unsigned char target[8];
#endif
};
static_assert(sizeof(Jump) <= 16);

// Where the loader put an object, and its file.
struct Object {
  std::uint64_t base = 0;
  char path[4096] = "";
};
struct Function {
  std::string_view name;
  std::uint64_t address = 0;
};

constexpr std::size_t kMost = 1024;
Function ours[kMost];
std::size_t our_count = 0;
Object waiting[64];  // mapped since the loader was last consistent
std::size_t waiting_count = 0;

bool of_the_runtime(std::string_view name) { return name.starts_with("cuda") || name.starts_with("__cuda"); }

const Function* our_function(std::string_view name) {
  Function* const end = ours + our_count;
  Function* const at =
      std::lower_bound(ours, end, name, [](const Function& f, std::string_view n) { return f.name < n; });
  return at != end && at->name == name ? at : nullptr;
}

// Kept open: the names point into it.
void learn_ours(const Object& library) {
  alignas(ElfFile) static char room[sizeof(ElfFile)];
  const ElfFile& image = *new (room) ElfFile(library.path);
  image.functions(SHT_DYNSYM, [&](std::string_view name, const ElfW(Sym) & symbol) {
    if (our_count < kMost && of_the_runtime(name)) ours[our_count++] = {name, library.base + symbol.st_value};
  });
  std::sort(ours, ours + our_count, [](const Function& a, const Function& b) { return a.name < b.name; });
}

void put_jump(std::uint64_t place, std::uint64_t target) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = place / page * page;
  void* const pages = reinterpret_cast<void*>(begin);
  const std::size_t bytes = place + sizeof(Jump) - begin;
  if (place % 16 != 0 || mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  Jump jump;
  std::memcpy(&jump.target, &target, sizeof target);
  std::memcpy(reinterpret_cast<void*>(place), &jump, sizeof jump);
  __builtin___clear_cache(reinterpret_cast<char*>(place), reinterpret_cast<char*>(place + sizeof jump));
  mprotect(pages, bytes, PROT_READ | PROT_EXEC);
}

void redirect(const Object& object) {
  const ElfFile image(object.path);
  if (!image.carries_runtime()) return;
  image.functions(SHT_SYMTAB, [&](std::string_view name, const ElfW(Sym) & symbol) {
    if (const Function* const own = of_the_runtime(name) ? our_function(name) : nullptr)
      put_jump(object.base + symbol.st_value, own->address);
  });
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

__attribute__((visibility("default"))) unsigned la_objopen(link_map* map, Lmid_t space,
                                                           std::uintptr_t* /*cookie*/) {
  if (space != LM_ID_BASE) return 0;
  Object object{map->l_addr, ""};
  std::strncpy(object.path, *map->l_name != '\0' ? map->l_name : "/proc/self/exe", sizeof object.path - 1);
  const char* const slash = std::strrchr(object.path, '/');
  if (our_count == 0 &&
      std::string_view(slash == nullptr ? object.path : slash + 1).starts_with("libcudart.so.1"))
    learn_ours(object);
  else if (waiting_count < std::size(waiting))
    waiting[waiting_count++] = object;
  return 0;
}

// The driver without its version, as the link that belongs to a driver's installation: ours, and not one of this machine.
__attribute__((visibility("default"))) char* la_objsearch(const char* name, std::uintptr_t* /*cookie*/,
                                                          unsigned /*flag*/) {
  static char driver[] = "libcuda.so.1";
  return std::string_view(name) == "libcuda.so" ? driver : const_cast<char*>(name);
}

// All is mapped; nothing of what is new has run.
__attribute__((visibility("default"))) void la_activity(std::uintptr_t* /*cookie*/, unsigned what) {
  if (what != LA_ACT_CONSISTENT || our_count == 0) return;
  for (std::size_t k = 0; k < waiting_count; ++k) redirect(waiting[k]);
  waiting_count = 0;
}
}

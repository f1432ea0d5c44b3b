// Whether memory of the host that a node of a graph names is still there. See host_life.h.
#include "common/run/cudart/host_life.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "common/run/cudart/order.h"

namespace lab::cudart {
namespace {

// Its own memory is freed too, with the lock held: those frees are not the program's.
thread_local bool inside = false;

struct Register {
  std::mutex mutex;
  std::vector<HostLife*> lives;
};
Register& all() {
  static auto* const only = new Register;
  return *only;
}

template <class Body>
void locked(const Body& body) {
  const bool before = std::exchange(inside, true);
  {
    const std::lock_guard lock(all().mutex);
    body(all().lives);
  }
  inside = before;
}

}  // namespace

std::atomic<std::size_t> HostLife::watched_{0};

HostLife::HostLife(const void* pointer)
    : at_(reinterpret_cast<std::uintptr_t>(pointer)), frame_(frame_of(pointer)), thread_(pthread_self()) {
  locked([&](std::vector<HostLife*>& lives) { lives.push_back(this); });
  ++watched_;
}

HostLife::~HostLife() {
  --watched_;
  locked([&](std::vector<HostLife*>& lives) { std::erase(lives, this); });
}

void HostLife::freed(std::uintptr_t low, std::size_t size_bytes) {
  if (inside) return;
  locked([&](const std::vector<HostLife*>& lives) {
    for (HostLife* const life : lives)
      if (life->at_ - low < size_bytes) life->freed_ = true;
  });
}

HostLife::State HostLife::state(const Context& c) const {
  const bool pinned = host_can_reach(at_);
  if (freed_ || (pinned && c.memory.find(at_, 1) == nullptr)) return State::Freed;
  if (!frame_ || !pthread_equal(thread_, pthread_self())) return State::There;
  return frame_of(reinterpret_cast<const void*>(at_)) == frame_ ? State::There : State::Returned;
}

bool HostLife::is_mapped() const {
  constexpr std::uintptr_t kPage = 4096;
  return !host_can_reach(at_) && ::msync(reinterpret_cast<void*>(at_ / kPage * kPage), kPage, MS_ASYNC) == 0;
}

Work while_host_lives(Work work, const std::vector<const void*>& places) {
  std::vector<std::shared_ptr<const HostLife>> lives;
  for (const void* const place : places) lives.push_back(std::make_shared<HostLife>(place));
  return [=, work = std::move(work)](Context& now, Stream& on) {
    for (const auto& life : lives) {
      const HostLife::State state = life->state(now);
      if (state == HostLife::State::There) continue;
      now.found("host-buffer",
                state == HostLife::State::Freed
                    ? msg("a copy of a graph uses memory of the host that was freed since the node was made. "
                          "A graph uses this memory at each launch, not when it is recorded: free it behind "
                          "the last launch, or give the node other memory first "
                          "(cudaGraphExecMemcpyNodeSetParams, cudaGraphExecUpdate).")
                    : msg("a copy of a graph uses a local variable of a function of the host that has "
                          "returned since the node was made. A graph uses this memory at each launch, not "
                          "when it is recorded: use memory that lives as long as the graph (static, or from "
                          "cudaMallocHost)."));
      if (!life->is_mapped()) return Error::Success;  // nothing is left to copy
    }
    return work(now, on);
  };
}

}  // namespace lab::cudart

// In front of the C library's own, under the same version: what a program asks for is found here first.
namespace {

// The C library's, or of another allocator that the program brought. Null while that is looked up, which may
// free.
template <class Function>
Function behind(const char* name, std::atomic<Function>& known) {
  thread_local bool looks_up = false;
  if (known == nullptr && !looks_up) {
    looks_up = true;
    known = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    looks_up = false;
  }
  return known;
}

void notice(void* pointer) {
  using lab::cudart::HostLife;
  if (pointer != nullptr && HostLife::any_watched())
    HostLife::freed(reinterpret_cast<std::uintptr_t>(pointer), malloc_usable_size(pointer));
}

}  // namespace

LAB_API void lab_free(void* pointer) {
  static std::atomic<void (*)(void*)> known{nullptr};
  notice(pointer);
  if (const auto next = behind("free", known)) next(pointer);
}
LAB_API void* lab_realloc(void* pointer, std::size_t size_bytes) {
  static std::atomic<void* (*)(void*, std::size_t)> known{nullptr};
  const auto next = behind("realloc", known);
  if (next == nullptr) return nullptr;
  using lab::cudart::HostLife;
  const std::size_t before = pointer != nullptr && HostLife::any_watched() ? malloc_usable_size(pointer) : 0;
  void* const moved = next(pointer, size_bytes);
  if (before != 0 && moved != pointer && (moved != nullptr || size_bytes == 0))
    HostLife::freed(reinterpret_cast<std::uintptr_t>(pointer), before);
  return moved;
}
#ifdef __x86_64__
__asm__(".symver lab_free, free@GLIBC_2.2.5");
__asm__(".symver lab_realloc, realloc@GLIBC_2.2.5");
#else
__asm__(".symver lab_free, free@GLIBC_2.17");
__asm__(".symver lab_realloc, realloc@GLIBC_2.17");
#endif

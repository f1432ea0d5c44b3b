// Catches a program that uses a device pointer on the host. See guard.h.
//
// Device addresses lie in a range of the address space that no mapping of the host uses. An access there
// ends in SIGSEGV with the address in hand. The process is lost anyway, so the handler may look the buffer
// up.
#include "common/run/cudart/guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <string>

#include "common/run/cudart/context.h"
#include "common/run/cudart/order.h"

namespace lab::cudart {
namespace {

constexpr std::uint64_t kReservedBytes = 1ull << 40;

struct sigaction earlier;

bool is_device_address(sim::DeviceAddress address) {
  return address >= sim::kGlobalBase && address < sim::kVisibleBase;
}

std::string hex(sim::DeviceAddress address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

void explain_stale_access(sim::DeviceAddress address) {
  say(
      msg("the program used managed or pinned memory that is not there: {} is {}. Was it freed too early, or "
          "is an index too large?",
          hex(address), context().memory.describe(address, 1)));
}

void explain_access(sim::DeviceAddress address) {
  say(
      msg("the program used a device pointer on the host: {} is {}. Only kernels can follow it. Copy the "
          "data with cudaMemcpy(…, cudaMemcpyDeviceToHost) first, or allocate with cudaMallocManaged.",
          hex(address), context().memory.describe(address, 1)));
}

#ifdef __x86_64__
constexpr greg_t kTrap = 0x100;  // the processor stops behind the next instruction

void step(void* machine) { static_cast<ucontext_t*>(machine)->uc_mcontext.gregs[REG_EFL] |= kTrap; }

void on_step(int /*signal*/, siginfo_t* /*info*/, void* machine) {
  static_cast<ucontext_t*>(machine)->uc_mcontext.gregs[REG_EFL] &= ~kTrap;
  work_order().take_back();
}
#else
void step(void* /*machine*/) {}  // the page stays lent until the next call
#endif

void on_fault(int signal, siginfo_t* info, void* machine) {
  const sim::DeviceAddress address = address_of(info->si_addr);
  const WorkOrder::HostTouch touch = work_order().host_touches(context(), address);
  if (touch == WorkOrder::HostTouch::Beside) step(machine);
  if (touch != WorkOrder::HostTouch::NotWithheld) return;  // it goes on
  sigaction(signal, &earlier, nullptr);  // the access happens again, and the process ends as it would have
  if (is_device_address(address)) explain_access(address);
  if (host_can_reach(address)) explain_stale_access(address);
}

}  // namespace

void guard_device_addresses() {
  // A wish: under a limit of the address space it fails, and the range is empty all the same.
  (void)mmap(pointer_to(sim::kGlobalBase), kReservedBytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, &earlier);
#ifdef __x86_64__
  ours.sa_sigaction = on_step;
  sigaction(SIGTRAP, &ours, nullptr);
#endif
}

}  // namespace lab::cudart

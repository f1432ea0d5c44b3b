// Several GPUs: who may use whose memory, copies from one to another.
//
// Enters: numbers of GPUs or contexts, pointers of either side. Leaves: codes. All GPUs of `lab run --gpus N`
// can reach each other, and none does before the program says so, each way for itself.
#include "common/run/cudart/capture.h"
#include "common/run/cudart/copy.h"
#include "common/run/cudart/driver.h"

using namespace lab::cudart;

namespace {

// The sides of a copy must lie where the call says they do.
void must_be_of(const Context& c, const Side& side, int device, const char* name) {
  check_device(c, device);
  const int owner = c.owner(side.pointer);
  if (owner < 0 || owner == device) return;
  throw ApiError{Error::InvalidValue,
                 msg("{} lies in the memory of GPU {}, and the call says GPU {}.", name, owner, device)};
}

Error peer_copy(Context& c, StreamHandle stream, bool waits, const Side& to, int to_device, const Side& from,
                int from_device, std::size_t bytes) {
  if (bytes == 0) return Error::Success;
  check_device(c, to_device);
  check_device(c, from_device);
  c.reach_gpu();
  must_be_of(c, to, to_device, "the destination");
  must_be_of(c, from, from_device, "the source");
  return submit_copy(c, stream, waits, to, from, {bytes}, CopyKind::DeviceToDevice);
}

Error peer_copy_3d(Context& c, StreamHandle stream, bool waits, const CopyPeer3D* p) {
  if (p == nullptr) return Error::InvalidValue;
  c.reach_gpu();
  if (p->from_array == nullptr) must_be_of(c, {p->from.pointer}, p->from_device, "the source");
  if (p->to_array == nullptr) must_be_of(c, {p->to.pointer}, p->to_device, "the destination");
  const Copy3D copy{p->from_array, p->from_position, p->from,          p->to_array, p->to_position,
                    p->to,         p->extent,        CopyKind::Default};
  return submit_copy(c, stream, waits, copy);
}

}  // namespace

LAB_API Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return enter(Asks::Host, [&](Context& c) {
    need(can);
    check_device(c, device);
    check_device(c, peer);
    *can = device != peer ? 1 : 0;
  });
}

LAB_API Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return enter([&](Context& c) {
    check_device(c, peer);
    if (flags != 0) throw ApiError{Error::InvalidValue};
    const int own = current_device();
    if (peer == own)
      throw ApiError{Error::PeerAccessUnsupported,
                     msg("GPU {} is the current one: it reaches its own memory anyway.", own)};
    if (!c.device().peers.insert(peer).second) throw ApiError{Error::PeerAccessAlreadyEnabled};
    c.memory.let(static_cast<std::uint32_t>(own), static_cast<std::uint32_t>(peer), true);
  });
}

LAB_API Error cudaDeviceDisablePeerAccess(int peer) {
  return enter(Asks::HostFirst, [&](Context& c) {
    check_device(c, peer);
    c.reach_gpu();
    refuse_unsafe();
    if (c.device().peers.erase(peer) == 0) throw ApiError{Error::PeerAccessNotEnabled};
    c.memory.let(static_cast<std::uint32_t>(current_device()), static_cast<std::uint32_t>(peer), false);
  });
}

LAB_API Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  return enter(Asks::Host, [&](Context& c) {
    constexpr int kPerformanceRank = 1, kLast = 4;  // then: access, native atomics, access to arrays
    check_device(c, from);
    check_device(c, to);
    if (from == to) throw ApiError{Error::InvalidDevice};
    if (value == nullptr || attribute < kPerformanceRank || attribute > kLast)
      throw ApiError{Error::InvalidValue};
    *value = attribute == kPerformanceRank ? 0 : 1;
  });
}

LAB_PAIR(cudaMemcpyPeer, cudaMemcpyPeerAsync,
         peer_copy(c, stream, waits, {to}, to_device, {from}, from_device, count), void* to, int to_device,
         const void* from, int from_device, std::size_t count)
LAB_PAIR(cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync, peer_copy_3d(c, stream, waits, parameters),
         const CopyPeer3D* parameters)

// --- the driver's: a context stands for its GPU ---
LAB_SAME_EARLY(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer);
LAB_SAME_EARLY(cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute);
LAB_ENTRY int cuCtxEnablePeerAccess(DriverContext* peer, unsigned flags) {
  const int device = device_of(peer);
  if (device < 0) return kInvalidContext;
  return as_driver([&] { return cudaDeviceEnablePeerAccess(device, flags); });
}
LAB_ENTRY int cuCtxDisablePeerAccess(DriverContext* peer) {
  const int device = device_of(peer);
  if (device < 0) return kInvalidContext;
  return as_driver([&] { return cudaDeviceDisablePeerAccess(device); });
}
LAB_ENTRY int cuMemcpyPeer(void* to, DriverContext* to_context, const void* from, DriverContext* from_context,
                           std::size_t count) {
  const int to_device = device_or_current(to_context), from_device = device_or_current(from_context);
  if (to_device < 0 || from_device < 0) return kInvalidContext;
  return as_driver([&] { return cudaMemcpyPeer(to, to_device, from, from_device, count); });
}
LAB_ENTRY int cuMemcpyPeerAsync(void* to, DriverContext* to_context, const void* from,
                                DriverContext* from_context, std::size_t count, StreamHandle stream) {
  const int to_device = device_or_current(to_context), from_device = device_or_current(from_context);
  if (to_device < 0 || from_device < 0) return kInvalidContext;
  return as_driver([&] { return cudaMemcpyPeerAsync(to, to_device, from, from_device, count, stream); });
}

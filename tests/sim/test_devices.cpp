// Memory of several GPUs: whose it is, who may use it, and what of an access goes over the link.
#include <doctest/doctest.h>

#include "common/base/sanitizers.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/link_cost.h"

using namespace lab::sim;

namespace {

struct TwoGpus {
  Memory memory;
  DeviceAddress own = 0, other = 0;
  TwoGpus() {
    memory.use_device(1);
    other = memory.allocate(4096, Fill::Written, "other");
    memory.use_device(0);
    own = memory.allocate(4096, Fill::Written, "own");
  }
  [[nodiscard]] bool reaches(DeviceAddress at) const { return memory.reaches(*memory.find(at, 1)); }
};

Access access_of(const std::uint64_t (&address)[32], Mask mask, std::uint8_t width_bytes) {
  Access access;
  access.mask = mask;
  access.width_bytes = width_bytes;
  access.address = address;
  return access;
}

}  // namespace

TEST_CASE("a GPU uses another's memory once it is opened, each way for itself") {
  TwoGpus two;
  CHECK(two.memory.several_devices());
  CHECK(two.reaches(two.own));
  CHECK_FALSE(two.reaches(two.other));
  CHECK(two.memory.no_access(*two.memory.find(two.other, 1))
            .english()
            .find("cudaDeviceEnablePeerAccess(1, 0)") != std::string::npos);
  two.memory.let(0, 1, true);
  CHECK(two.reaches(two.other));
  two.memory.use_device(1);
  CHECK_FALSE(two.reaches(two.own));
  const DeviceAddress later = two.memory.allocate(64, Fill::Written);  // what comes later is open too
  two.memory.use_device(0);
  CHECK(two.reaches(later));
  two.memory.let(0, 1, false);
  CHECK_FALSE(two.reaches(two.other));
  CHECK_FALSE(two.reaches(later));
}

TEST_CASE("a buffer that was placed heeds no other buffer") {
  TwoGpus two;
  two.memory.place(two.other, 1, 0b11);
  CHECK(two.reaches(two.other));
  two.memory.let(0, 1, false);
  CHECK(two.reaches(two.other));
  two.memory.place(two.other, 1, 0b10);
  two.memory.let(0, 1, true);
  CHECK_FALSE(two.reaches(two.other));
}

// The thread sanitizer's own memory lies where `allocate_visible` maps pages.
TEST_CASE("memory of the host belongs to every GPU, and is no peer's" *
          doctest::skip(lab::base::kThreadSanitizer)) {
  TwoGpus two;
  const DeviceAddress both = two.memory.allocate_visible(64, "managed");
  int words[16] = {};
  const DeviceAddress lent = two.memory.lend(words, sizeof words);
  for (const std::uint32_t device : {0u, 1u}) {
    two.memory.use_device(device);
    for (const DeviceAddress at : {both, lent}) {
      CHECK(two.reaches(at));
      CHECK_FALSE(two.memory.is_peers(*two.memory.find(at, 1)));
    }
  }
}

TEST_CASE("one GPU alone") {
  Memory memory;
  const DeviceAddress at = memory.allocate(64, Fill::Written);
  CHECK_FALSE(memory.several_devices());
  CHECK(memory.reaches(*memory.find(at, 1)));
}

TEST_CASE("of an access the lanes in a peer's memory count") {
  TwoGpus two;
  std::uint64_t address[32];
  for (std::uint64_t k = 0; k < 32; ++k) address[k] = (k < 16 ? two.own : two.other) + 4 * k;
  // 16 words side by side: bytes 64 to 127.
  CHECK(link_cost(two.memory, access_of(address, kFullMask, 4)) == PathCounters{1, 2, 2, 16, 64});
  CHECK(link_cost(two.memory, access_of(address, 0xffff, 4)) == PathCounters{});
  for (std::uint64_t k = 0; k < 32; ++k) address[k] = two.other + 36 * k;
  CHECK(link_cost(two.memory, access_of(address, kFullMask, 4)) == PathCounters{1, 32, 4, 32, 128});
  two.memory.use_device(1);
  CHECK(link_cost(two.memory, access_of(address, kFullMask, 4)) == PathCounters{});
}

TEST_CASE("of a bulk copy each piece counts the sectors that it touches") {
  TwoGpus two;
  const BulkPiece pieces[] = {{two.other, 0, 64, 0, 64},          // two sectors
                              {two.other + 1040, 64, 64, 0, 64},  // three: it begins within one
                              {two.own, 128, 64, 0, 64},
                              {two.other + 2048, 192, 64, 0, 0}};  // outside of the tensor
  BulkCopy copy;
  copy.pieces = pieces;
  CHECK(link_cost(two.memory, copy) == PathCounters{1, 5, 4, 1, 128});
}

// The simulated clock never goes back, and GPUs are read whole.
#include <doctest/doctest.h>

#include "common/gpu/device/gpu_data.h"
#include "common/run/cudart/timeline.h"

using namespace lab;
using namespace lab::cudart;
using device::gpu_named;
using device::gpu_names;

TEST_CASE("every GPU description is complete") {
  for (const std::string& name : gpu_names()) {
    const GpuData gpu = gpu_named(name);
    CHECK(gpu.architecture() >= 75);
    CHECK(gpu.multiprocessors > 0);
    CHECK(gpu.bandwidth > 100'000'000'000ull);
    CHECK(gpu.shared_bytes_per_block + gpu.shared_bytes_reserved <= gpu.shared_bytes);
    CHECK(gpu.threads_per_multiprocessor % 32 == 0);
  }
  CHECK(gpu_named("h200").architecture() == 90);
  CHECK_THROWS_WITH(static_cast<void>(gpu_named("h300")), doctest::Contains("h200"));
}

TEST_CASE("streams overlap, the legacy stream does not") {
  const GpuData gpu = gpu_named("h200");
  Timeline time(gpu);
  StreamClock a, b, legacy;
  time.add(a, false, 1.0);
  time.add(b, false, 1.0);
  CHECK(b.ready < 1.5);
  time.add(legacy, true, 1.0);
  CHECK(legacy.ready > 1.9);
  time.add(a, false, 1.0);
  CHECK(a.ready > 2.9);
  StreamClock free_one;
  free_one.blocks = false;
  time.add(free_one, false, 1.0);
  CHECK(free_one.ready < 1.5);
}

TEST_CASE("more sectors take longer") {
  const GpuData gpu = gpu_named("t4");
  const Timeline time(gpu);
  sim::LaunchResult few, many;
  few.counters[sim::Path::GlobalLoad].cost = 1'000'000;
  many.counters[sim::Path::GlobalLoad].cost = 8'000'000;
  CHECK(time.kernel_seconds(few) > 0);
  CHECK(time.kernel_seconds(many) > 5 * time.kernel_seconds(few));
}

// A transpose under the model of time. See forecast.h.
#include "common/course/explore/forecast.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "common/gpu/model/l2_cache.h"
#include "common/gpu/model/traffic.h"
#include "common/sim/base/lanes.h"
#include "common/sim/observe/counter_observer.h"

namespace lab::explore {
namespace {

// Counters grow with the matrix, so a large one is counted on a smaller one that ends its rows and columns
// alike.
judge::Problem small_enough(judge::Problem p) {
  constexpr std::int64_t kSide = 1024;
  const auto side = [](std::int64_t n) { return n >= 2 * kSide ? kSide + n % kSide : n; };
  const std::int64_t in_gap = p.in_pitch() - p.cols, out_gap = p.out_pitch() - p.rows;
  p.rows = side(p.rows), p.cols = side(p.cols);
  p.in_pitch_elems = p.cols + in_gap, p.out_pitch_elems = p.rows + out_gap;
  return p;
}

model::Work scaled(model::Work work, double scale) {
  const auto per_block = std::tuple{work.warps_per_block, work.resident_blocks, work.traffic.longest,
                                    work.traffic.longest_instructions};
  for (std::uint64_t* number : numbers_of(work))
    *number = static_cast<std::uint64_t>(std::llround(static_cast<double>(*number) * scale));
  std::tie(work.warps_per_block, work.resident_blocks, work.traffic.longest,
           work.traffic.longest_instructions) = per_block;
  return work;
}

}  // namespace

Forecast forecast(judge::Subject& subject, const judge::Target& target, const judge::Problem& asked,
                  const device::GpuData& gpu) {
  Forecast all;
  all.asked = asked;
  all.simulated = small_enough(asked);
  const double scale = double(asked.in_bytes()) / double(all.simulated.in_bytes());
  model::L2Cache cache(static_cast<std::uint64_t>(gpu.l2_bytes / scale));
  model::TrafficObserver traffic(cache);
  judge::LoadsAtOnce at_once(gpu, judge::LoadsAtOnce::Until::Used);
  sim::CounterObserver machine(sim::CounterObserver::Of::MachineCode);
  judge::Target watched = target;
  watched.observers = {&traffic, &machine};
  all.run = subject.observed(all.simulated, watched, at_once);
  if (!all.run.correct()) return all;

  all.at_once = at_once.findings();
  model::Work work;
  work.blocks = all.run.grid.count();
  work.warps_per_block = sim::warps_of(all.run.block.count());
  work.resident_blocks = std::max<std::uint64_t>(1, all.at_once.occupancy.blocks);
  work.of_ptx = all.run.lane_instructions / sim::kWarpLanes;
  work.wavefronts = machine.totals().shared_total().cost;
  work.traffic = traffic.result();
  work.traffic.dram.write_bytes += cache.unwritten_bytes();
  all.work = scaled(work, scale);
  all.work.blocks = judge::grid_of(all.run.shape, asked).count();
  all.predicted = model::predict(all.work, gpu);
  all.instructions_per_byte =
      double(all.run.lane_instructions) / double(all.simulated.in_bytes() + all.simulated.out_bytes());
  return all;
}

double balance_of(const device::GpuData& gpu) {
  const double lanes = double(gpu.multiprocessors) * gpu.warp_schedulers * sim::kWarpLanes;
  return lanes * gpu.clock_mhz * 1e6 / gpu.time.dram_bytes;
}

}  // namespace lab::explore

// The time of a launch. See prediction.h.
#include "common/gpu/model/prediction.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "common/gpu/model/occupancy.h"
#include "common/sim/base/lanes.h"

namespace lab::model {

Work work_of(const device::GpuData& gpu, const sim::Program& program, const sim::LaunchConfig& config,
             const sim::Counters& as_ptxas, const Traffic& traffic) {
  Work work;
  work.blocks = config.grid.count();
  work.warps_per_block = sim::warps_of(config.block.count());
  const int fit = blocks_per_multiprocessor(gpu, program, config.block.count(), config.dynamic_shared_bytes);
  work.resident_blocks = static_cast<std::uint64_t>(std::max(1, fit));
  work.wavefronts = as_ptxas.shared_total().cost;
  work.traffic = traffic;
  return work;
}

namespace {

// The slowest part of memory, of the multiprocessors and of waiting, the slowest first: how long they take
// together.
double add_up(Prediction& p, double sharpness) {
  const auto seconds = [&](Part part) { return p.seconds[static_cast<std::size_t>(part)]; };
  const auto slowest = [&](std::initializer_list<Part> parts) {
    return *std::max_element(parts.begin(), parts.end(),
                             [&](Part a, Part b) { return seconds(a) < seconds(b); });
  };
  std::array groups = {slowest({Part::Dram, Part::L2, Part::Atomics}), slowest({Part::L1, Part::Issue}),
                       Part::Waits};
  double sum = 0;
  for (const Part part : groups) sum += std::pow(seconds(part), sharpness);
  const double together = std::pow(sum, 1 / sharpness);
  std::sort(groups.begin(), groups.end(), [&](Part a, Part b) { return seconds(a) > seconds(b); });
  double so_far = 0, before = 0;
  for (const Part part : groups) {
    so_far += std::pow(seconds(part), sharpness);
    const double now = std::pow(so_far, 1 / sharpness);
    p.added[static_cast<std::size_t>(part)] = now - before;
    before = now;
  }
  p.added[static_cast<std::size_t>(Part::Starts)] = std::max(0.0, seconds(Part::Starts) - together);
  return together;
}

// A word that many want to change, each with what it found there before: of all that try, one was fast
// enough, and the others come to the end of the queue again. A compare-and-swap takes its slice a cycle.
// Fewer and fewer wait when no block is left to start.
double trying_again(const Work& work, double resident, double l2_wait) {
  constexpr double kSwapSeconds = 0.6e-9;
  const Traffic& t = work.traffic;
  if (t.updating_blocks == 0) return 0;
  const double updates = static_cast<double>(t.updates), blocks = static_cast<double>(t.updating_blocks);
  const double threads = sim::kWarpLanes * static_cast<double>(work.warps_per_block);
  const double at_once = std::min(blocks, resident), each = std::min(updates / blocks, threads);
  const double waiting = at_once * each * (1 - at_once / (2 * blocks));
  return updates * std::max(at_once > 1 || each > 1 ? l2_wait : 0, waiting * kSwapSeconds);
}

// Cycles of a scheduler's busiest unit. It hands out an instruction a cycle; units for whole numbers and for
// doubles have 16 lanes, that for functions has 4. Sums of whole numbers go through the unit for whole
// numbers or that for floats, whichever is free.
std::uint64_t cycles_of(const Traffic& t) {
  const std::uint64_t all = t.instructions + t.skipped, whole = 2 * t.of_whole,
                      both = (whole + t.of_floats) / 2 + t.of_sums;
  return std::max({all, whole, t.of_floats, both, 2 * t.of_doubles, 8 * t.of_functions});
}

// How busy each part is, and which one bounds the launch.
void decide_bound(Prediction& p, const Work& work, const device::GpuData& gpu) {
  constexpr double kBusyFrom = 60;
  // What the counter of a slice's atomics shows while it does nothing else (tests/golden/atomics.csv): of
  // integers, of floats.
  constexpr double kAtomics = 79.9, kFloatAtomics = 33.3;
  const Traffic& t = work.traffic;
  const auto at = [](Part part) { return static_cast<std::size_t>(part); };
  const double all = gpu.multiprocessors,
               blocks = static_cast<double>(std::max<std::uint64_t>(1, work.blocks));
  const double of_mean = blocks / (std::ceil(blocks / all) * all);  // the parts are of the busiest one
  const double floats = static_cast<double>(t.busiest_float_sector) * gpu.time.float_atomic_seconds;
  p.busy[at(Part::Dram)] = 100 * static_cast<double>(t.dram.read_bytes + t.dram.write_bytes) /
                           static_cast<double>(gpu.bandwidth) / p.total;
  p.busy[at(Part::L2)] = 100 * p.seconds[at(Part::L2)] / p.total;
  p.busy[at(Part::Atomics)] = (floats >= p.seconds[at(Part::Atomics)] ? kFloatAtomics : kAtomics) *
                              p.seconds[at(Part::Atomics)] / p.total;
  for (const Part part : {Part::L1, Part::Issue})
    p.busy[at(part)] = 100 * p.seconds[at(part)] * of_mean / p.total;
  const auto most = std::max_element(p.busy.begin(), p.busy.end());
  const bool starts = p.slowest() == at(Part::Starts);
  p.bound = *most >= kBusyFrom ? static_cast<std::size_t>(most - p.busy.begin())
                               : at(starts ? Part::Starts : Part::Waits);
}

}  // namespace

std::size_t Prediction::slowest() const {
  return static_cast<std::size_t>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
}

double Prediction::launch() const { return total - std::accumulate(added.begin(), added.end(), 0.0); }

Prediction predict(const Work& work, const device::GpuData& gpu) {
  const device::TimeRates& rate = gpu.time;
  const Traffic& t = work.traffic;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double blocks = number(std::max<std::uint64_t>(1, work.blocks)), all = gpu.multiprocessors;
  // Blocks are dealt out whole: the busiest multiprocessor has more than its share.
  const double uneven = std::ceil(blocks / all) * all / blocks;
  const double waves = std::max(1.0, blocks / (all * number(work.resident_blocks)));
  const double warps = blocks * number(std::max<std::uint64_t>(1, work.warps_per_block));
  Prediction p;
  const auto part = [&](Part which) -> double& { return p.seconds[static_cast<std::size_t>(which)]; };
  part(Part::Dram) = (number(t.dram.read_bytes + t.dram.write_bytes) +
                      rate.scattered_penalty * number(t.dram.scattered_bytes)) /
                     rate.dram_bytes;
  // What goes in: a packet a line, and what is written; and what the second level moves.
  const double packets =
      number(t.l2_requests + t.l2_write_sectors) + rate.partial_penalty * number(t.l2_partial_sectors);
  part(Part::L2) = std::max(packets / rate.l2_packets, number(t.l2_sectors()) / rate.l2_sectors);
  part(Part::Atomics) = std::max(number(t.busiest_slice) * rate.atomic_seconds,
                                 number(t.busiest_float_sector) * rate.float_atomic_seconds);
  part(Part::Atomics) = std::max(
      part(Part::Atomics), trying_again(work, all * number(work.resident_blocks), rate.l2_wait_seconds));
  part(Part::L1) = number(work.wavefronts + t.lines + t.empty_passes) * uneven / rate.l1_passes;
  part(Part::Issue) = number(cycles_of(t)) * uneven / rate.instructions;
  // One distributor deals them out, however small they are.
  part(Part::Starts) = number(work.blocks) * rate.block_start_seconds;
  // A block of so many rounds and instructions.
  const auto life = [&](const Rounds& rounds, double share, double instructions) {
    return rate.block_seconds + rate.warp_seconds * warps / blocks +
           (number(rounds[0]) * rate.near_wait_seconds + number(rounds[1]) * rate.l2_wait_seconds +
            number(rounds[2]) * rate.dram_wait_seconds) /
               share +
           number(t.barriers) / blocks * (rate.barrier_seconds + rate.barrier_warp_seconds * warps / blocks) +
           instructions * blocks / warps * rate.instruction_wait_seconds;
  };
  part(Part::Waits) = std::max(waves * life(t.written_out, blocks, number(t.instructions) / blocks),
                               life(t.longest, 1, number(t.longest_instructions)));
  // Block after block: one writes a value and lets it be seen, announces it, the next one sees that and
  // reads.
  constexpr double kWaitsOfHop = 5;
  part(Part::Waits) += number(t.hops) * kWaitsOfHop * rate.l2_wait_seconds;
  const double together = add_up(p, rate.sharpness);
  const double running = rate.begin_seconds + std::max(part(Part::Starts), together);
  p.kernel = running;
  p.total = std::max(rate.launch_seconds, running);
  if (running > rate.launch_seconds) decide_bound(p, work, gpu);
  return p;
}

}  // namespace lab::model

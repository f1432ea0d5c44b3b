// What the model says, as JSON. See modelled.h.
#include "common/gpu/model/modelled.h"

#include <cmath>
#include <utility>

namespace lab::report {

namespace {

void write(Json& to, const std::vector<KeyedNumber>& numbers) {
  for (const auto& [key, values] : numbers) {
    if (values.size() == 1) {
      to[key] = *values.front();
    } else {
      for (const std::uint64_t* value : values) to[key].push_back(*value);
    }
  }
}

}  // namespace

ModelledNumbers modelled_numbers(model::Work& work) {
  model::Traffic& t = work.traffic;
  return {{{"dram_read", {&t.dram.read_bytes}}, {"dram_write", {&t.dram.write_bytes}}},
          {{"blocks", {&work.blocks}},
           {"warps_per_block", {&work.warps_per_block}},
           {"resident_blocks", {&work.resident_blocks}},
           {"instructions", {&t.instructions}},
           {"of_ptx", {&work.of_ptx}},
           {"of_whole", {&t.of_whole}},
           {"of_sums", {&t.of_sums}},
           {"of_floats", {&t.of_floats}},
           {"of_doubles", {&t.of_doubles}},
           {"of_functions", {&t.of_functions}},
           {"wavefronts", {&work.wavefronts}},
           {"lines", {&t.lines}},
           {"l2_requests", {&t.l2_requests}},
           {"l2_read_sectors", {&t.l2_read_sectors}},
           {"l2_write_sectors", {&t.l2_write_sectors}},
           {"l2_partial_sectors", {&t.l2_partial_sectors}},
           {"l2_atomic_sectors", {&t.l2_atomic_sectors}},
           {"busiest_slice", {&t.busiest_slice}},
           {"busiest_float_sector", {&t.busiest_float_sector}},
           {"scattered_bytes", {&t.dram.scattered_bytes}},
           {"rounds", {&t.rounds[0], &t.rounds[1], &t.rounds[2]}},
           {"barriers", {&t.barriers}},
           {"skipped", {&t.skipped}},
           {"empty_passes", {&t.empty_passes}},
           {"written_out", {&t.written_out[0], &t.written_out[1], &t.written_out[2]}},
           {"updates", {&t.updates}},
           {"updating_blocks", {&t.updating_blocks}},
           {"hops", {&t.hops}},
           {"longest", {&t.longest[0], &t.longest[1], &t.longest[2]}},
           {"longest_instructions", {&t.longest_instructions}}}};
}

Json modelled_json(const model::Work& work, const model::Prediction& predicted) {
  Json parts = Json::object();
  for (std::size_t part = 0; part < model::kParts; ++part)
    parts[model::kPartInfo[part].key] = predicted.seconds[part];
  Json busy = Json::object();
  for (const model::Part part :
       {model::Part::Dram, model::Part::L2, model::Part::Atomics, model::Part::L1, model::Part::Issue})
    busy[model::part_info(static_cast<std::size_t>(part)).key] =
        std::round(10 * predicted.busy[static_cast<std::size_t>(part)]) / 10;
  Json all = {{"seconds", predicted.total},
              {"kernel_seconds", predicted.kernel},
              {"bound", model::part_info(predicted.bound).key},
              {"parts", std::move(parts)},
              {"busy", std::move(busy)},
              {"l2_sectors", work.traffic.l2_sectors()}};
  model::Work counted = work;
  const ModelledNumbers numbers = modelled_numbers(counted);
  write(all, numbers.of_memory);
  write(all["work"], numbers.of_work);
  return all;
}

}  // namespace lab::report

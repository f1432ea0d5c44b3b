// What the model says, as JSON. See modelled.h.
#include "common/report/modelled.h"

#include <utility>

namespace lab::report {

Json modelled_json(const model::Work& work, const model::Prediction& predicted) {
  const model::Traffic& t = work.traffic;
  Json parts = Json::object();
  for (std::size_t part = 0; part < model::kParts; ++part)
    parts[model::kPartInfo[part].key] = predicted.seconds[part];
  return {{"seconds", predicted.total},
          {"bound", model::part_info(predicted.bound).key},
          {"parts", std::move(parts)},
          {"l2_sectors", t.l2_sectors()},
          {"dram_read", t.dram.read_bytes},
          {"dram_write", t.dram.write_bytes},
          {"work",
           {{"blocks", work.blocks},
            {"warps_per_block", work.warps_per_block},
            {"resident_blocks", work.resident_blocks},
            {"instructions", t.instructions},
            {"of_ptx", work.of_ptx},
            {"of_whole", t.of_whole},
            {"of_sums", t.of_sums},
            {"of_floats", t.of_floats},
            {"of_doubles", t.of_doubles},
            {"of_functions", t.of_functions},
            {"wavefronts", work.wavefronts},
            {"lines", t.lines},
            {"l2_requests", t.l2_requests},
            {"l2_read_sectors", t.l2_read_sectors},
            {"l2_write_sectors", t.l2_write_sectors},
            {"l2_partial_sectors", t.l2_partial_sectors},
            {"l2_atomic_sectors", t.l2_atomic_sectors},
            {"busiest_slice", t.busiest_slice},
            {"busiest_float_sector", t.busiest_float_sector},
            {"scattered_bytes", t.dram.scattered_bytes},
            {"rounds", {t.rounds[0], t.rounds[1], t.rounds[2]}},
            {"barriers", t.barriers}}}};
}

}  // namespace lab::report

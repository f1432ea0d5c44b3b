// Checks every number in the lessons: counts it again, or finds what it was measured as.
//
// Enters: the lessons (chapters/*/README.md and README.zh.md, docs/swizzle.md, docs/atomics.md and
// docs/glossary.md with their twins), the kernels they speak of. Leaves: one finding for each number that is
// wrong, or that no formula backs. The sources of formulas:
//
//     solution(04)…                           a run of solutions/04_*/transpose.cu on 1024 × 1024 floats
//     solution(10, transpose_u8, 61x67)…      another entry, another shape
//     skeleton(02)…  mutant(05_two_columns)…  the skeleton, a wrong kernel
//     file(columns.cu)…                       a kernel beside the lesson
//         .global_load.requests .sectors .ideal_sectors .sectors_per_request           and global_store
//         .shared_load.requests .wavefronts .ideal_wavefronts .wavefronts_per_request  and shared_store
//         .….lanes_per_request  .local_load .global_atomic .shared_atomic and every other path by its key
//         .sectors (both ways)  .bank_conflicts  .shared_bytes  .blocks
//     stride(global, 4, 128).sectors          one warp: lane i touches 4 bytes at address 128 * i
//     stride(shared_load, 4, 128).wavefronts  also .degree, .ideal_wavefronts; shared_store; a fourth number:
//                                             bank bytes
//     swizzle(5, 3, 128, 4, 4)                the formula of common/kernel/swizzle.cuh: row, col, three sizes
//     copy_share(05)                          percent of a device copy on an H200, from
//                                             tests/golden/course_times.csv
//     …(05).instructions_per_byte  .written_pages .least_pages (blocks_in_order.h)
//     …(05).at_once.thread_bytes .block_bytes .bytes .blocks .registers (loads_at_once.h)
//     …(16).links.sent .links.carried (link_watch.h)
//     …(05, 8192x8192).copy_share             percent of a device copy, from tests/golden/steps.csv; a third
//                                             argument names another GPU than "NVIDIA H200"
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/text/message.h"

namespace lab::course {

struct LessonFinding {
  std::string file;  // as a reader knows it
  int line = 0;
  Message message;  // a whole sentence
};

struct LessonReport {
  int lessons = 0;  // files read
  int checked = 0;  // numbers with a formula that was evaluated
  std::vector<LessonFinding> findings;
  [[nodiscard]] bool kept() const { return checked > 0 && findings.empty(); }
};

[[nodiscard]] std::vector<std::filesystem::path> all_lessons(const std::filesystem::path& root);
// Throws what compile() throws. Kernels run on the simulator.
[[nodiscard]] LessonReport verify_lessons(const std::filesystem::path& root,
                                          const std::vector<std::filesystem::path>& lessons);

}  // namespace lab::course

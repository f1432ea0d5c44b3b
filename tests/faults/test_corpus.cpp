// The mistake of every wrong kernel of tests/mutants/faults/wrong is found, in one of the lines that it
// marks; no right one has a finding. And the advice is right: where it says what to put and where, that is
// put there, and the kernel is run again.
//
// Enters: the folders, a kernel compiler. Leaves: exit 77 where there is none.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "common/base/errors.h"
#include "common/base/temporary_folder.h"
#include "common/compile/compile.h"
#include "tests/faults/apply_fix.h"
#include "tests/faults/corpus.h"

using namespace lab;
using namespace lab::test;

namespace {

const std::filesystem::path kFolder = LAB_FAULTS_DIR;

// PTX of many files; one that does not compile fails its case.
std::vector<std::string> ptx_of(const std::vector<std::filesystem::path>& files) {
  std::vector<compile::CompileRequest> requests;
  for (const auto& file : files) {
    compile::CompileRequest request;
    request.file = file;
    requests.push_back(std::move(request));
  }
  std::vector<std::string> texts;
  for (const compile::CompileResult& result : compile::compile_all(requests)) {
    if (!result.ok) FAIL_CHECK(result.log);
    texts.push_back(result.ok ? result.ptx() : "");
  }
  return texts;
}

std::vector<std::string> ptx_of(const std::vector<FaultyKernel>& kernels) {
  std::vector<std::filesystem::path> files;
  for (const FaultyKernel& kernel : kernels) files.push_back(kernel.file);
  return ptx_of(files);
}

// Of kernels whose text was changed: files in a folder of this run, beside a copy of the header that they include.
std::vector<std::string> ptx_of_changed(const std::vector<FaultyKernel>& kernels) {
  const base::TemporaryFolder place;
  const std::filesystem::path folder = place.path() / "fixed";
  std::filesystem::create_directories(folder);
  std::filesystem::copy(kFolder / "words.h", place.path());
  std::vector<std::filesystem::path> files;
  for (const FaultyKernel& kernel : kernels) {
    files.push_back(folder / (std::to_string(files.size()) + ".cu"));
    std::ofstream(files.back()) << kernel.text;
  }
  return ptx_of(files);
}

std::string text_of(const FaultyRun& run) {
  std::string text = run.compile_error;
  for (const sim::Fault& fault : run.found) text += code_and_line(fault) + "\n";
  return text;
}

// Every byte of what is said.
std::string words_of(const FaultyRun& run) {
  std::string words = run.compile_error;
  for (const auto* const list : {&run.found, &run.notes})
    for (const sim::Fault& one : *list)
      words +=
          code_and_line(one) + " " + std::to_string(one.count) + " times: " + one.sentence().english() + "\n";
  return words;
}

bool is_found(const FaultyKernel& kernel, const FaultyRun& run) {
  for (const sim::Fault& fault : run.found) {
    if (kernel.lines.contains(fault.line) && kernel.codes.contains(std::string(sim::code(fault.kind))))
      return true;
  }
  return false;
}

using Mark = std::pair<std::string, int>;  // kind and line
std::set<Mark> marks_of(const FaultyRun& run) {
  std::set<Mark> marks;
  for (const sim::Fault& fault : run.found) marks.emplace(sim::code(fault.kind), fault.line);
  return marks;
}

}  // namespace

TEST_SUITE("faults") {
  TEST_CASE("the mistakes of wrong kernels are found") {
    const std::vector<FaultyKernel> kernels = read_kernels(kFolder / "wrong");
    const std::vector<std::string> ptx = ptx_of(kernels);
    int count = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::string name = kernels[k].file.stem().string();
      CAPTURE(name);
      const FaultyRun one = run_kernel(kernels[k], ptx[k], 1), eight = run_kernel(kernels[k], ptx[k], 8);
      const bool found = is_found(kernels[k], one);
      count += found;
      CHECK_MESSAGE(found, text_of(one));
      CHECK(words_of(one) == words_of(eight));
      for (const sim::Fault& fault : one.found) {
        const bool of_two_lines = fault.sentence().english().find(" which thread ") != std::string::npos;
        if (of_two_lines)
          CHECK(fault.sentence().english().find("line " + std::to_string(fault.other_line)) !=
                std::string::npos);
      }
    }
    MESSAGE(count << " of " << kernels.size());
  }

  TEST_CASE("right kernels have no finding") {
    const std::vector<FaultyKernel> kernels = read_kernels(kFolder / "right");
    const std::vector<std::string> ptx = ptx_of(kernels);
    int clean = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::string name = kernels[k].file.stem().string();
      CAPTURE(name);
      const FaultyRun run = run_kernel(kernels[k], ptx[k], 2);
      clean += run.found.empty();
      CHECK_MESSAGE(run.found.empty(), text_of(run));
    }
    MESSAGE(clean << " of " << kernels.size());
  }

  TEST_CASE("a plain test before an atomic and an exit before a barrier are noted, and nothing else is") {
    const std::vector<FaultyKernel> kernels = read_kernels(kFolder / "right");
    const std::vector<std::string> ptx = ptx_of(kernels);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::string name = kernels[k].file.stem().string();
      CAPTURE(name);
      const FaultyRun run = run_kernel(kernels[k], ptx[k], 1);
      const bool tests = kernels[k].text.find("// NOTE") != std::string::npos;
      CHECK(run.notes.size() == (tests ? 1 : 0));
      for (const sim::Fault& note : run.notes) {
        const bool exits = note.kind == sim::FaultKind::BarrierDivergence;
        CHECK(note.sentence().english().find(exits ? "releases the barrier" : "volatile") !=
              std::string::npos);
        CHECK(kernels[k].text.find("// NOTE line " + std::to_string(note.line)) != std::string::npos);
      }
    }
  }

  TEST_CASE("advice where a barrier or a fence would leave the race") {
    struct Words {
      const char *kernel, *said, *unsaid;
    };
    const std::vector<Words> words = {
        {"shared_slot_read_plainly", "take the value that the atomic of line 13 returns", "__sync"},
        {"blocks_slot_read_plainly", "take the value that the atomic of line 11 returns", "__threadfence"},
        {"blocks_doubled_by_atomic", "nothing orders the two",
         "take the value"},  // the atomic needs it before
        {"shared_counted_on_two_lines", "Use an atomic (atomicAdd, atomicMax, atomicCAS) in place of",
         "__sync"},
        {"blocks_counted_on_two_lines", "Use an atomic (atomicAdd, atomicMax, atomicCAS) in place of",
         "__threadfence"},
        {"blocks_and_warps_read_sums", "of block (1,0)", "put __syncthreads()"},
        // No flag is there, so none is spoken of.
        {"blocks_grid_barrier_missing", "split the kernel in two launches", "flag"},
        {"blocks_test_of_another", "read it through a volatile pointer", "__threadfence"},
        {"last_block_reads_volatile", "put __threadfence() between the write and the flag", "is plain"},
        {"lock_plain_release", "is plain, to a word that others touch atomically", "__syncthreads"},
        {"lock_other_lock", "both threads must hold the same one", "__syncthreads"},
        {"lock_two_buckets", "every thread takes the lock, and __threadfence_block()", "__syncwarp"},
        {"shared_flag_reset_each_round", "before line 10 runs again, outside of the branch", "If a flag"},
        {"flag_inside_a_warp", "put __threadfence_block() between the write and the flag", "__syncwarp"},
        {"blocks_bits_without_fence", "put __threadfence() between the write and the flag", "two launches"},
        {"async_arrives_at_barrier", "Wait for the phase before", "__syncthreads"},
        {"shared_producer_overtakes", "arrive at a named barrier behind it (bar.arrive)", "__syncthreads"},
        // The pair that met: not the lowest and the highest block of the line.
        {"blocks_pair_in_one_line", "block (4,0) writes `in` + 64 bytes", "of the blocks"},
        {"blocks_neighbours_of_eight", "two of the blocks (0,0) to (3,0) write", "so does block"},
    };
    std::vector<FaultyKernel> kernels = read_kernels(kFolder / "wrong");
    std::erase_if(kernels, [&](const FaultyKernel& kernel) {
      return std::none_of(words.begin(), words.end(),
                          [&](const Words& w) { return kernel.file.stem() == w.kernel; });
    });
    REQUIRE(kernels.size() == words.size());
    const std::vector<std::string> ptx = ptx_of(kernels);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const auto w = std::find_if(words.begin(), words.end(),
                                  [&](const Words& x) { return kernels[k].file.stem() == x.kernel; });
      const FaultyRun run = run_kernel(kernels[k], ptx[k], 1);
      std::string all;
      for (const sim::Fault& fault : run.found) all += fault.sentence().english() + "\n";
      CAPTURE(all);
      CHECK(all.find(w->said) != std::string::npos);
      CHECK(all.find(w->unsaid) == std::string::npos);
    }
  }

  TEST_CASE("without room there is no false positive, and the note says what was not watched") {
    for (const char* folder : {"wrong", "right"}) {
      const std::vector<FaultyKernel> kernels = read_kernels(kFolder / folder);
      const std::vector<std::string> ptx = ptx_of(kernels);
      int unwatched = 0;
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        const std::string name = kernels[k].file.stem().string();
        CAPTURE(name);
        const FaultyRun all = run_kernel(kernels[k], ptx[k], 1), few = run_kernel(kernels[k], ptx[k], 2, 1);
        CHECK(few.found.size() <= all.found.size());
        for (const sim::Fault& note : few.notes)
          unwatched += note.sentence().english().find("--check-memory") != std::string::npos;
      }
      CHECK(unwatched >= 10);
    }
  }

  // Some have two mistakes: the second is found when the first is fixed.
  TEST_CASE("fixes applied one after the other leave a kernel without a finding") {
    std::vector<FaultyKernel> kernels = read_kernels(kFolder / "wrong");
    std::map<std::string, FaultyRun> runs;
    std::set<std::pair<std::string, sim::Fix::Act>> done;  // an edit that declares something is made once
    const auto run_all = [&runs](const std::vector<FaultyKernel>& changed,
                                 const std::vector<std::string>& ptx) {
      for (std::size_t k = 0; k < changed.size(); ++k)
        runs[changed[k].file.stem()] = run_kernel(changed[k], ptx[k], 1);
    };
    run_all(kernels, ptx_of(kernels));
    for (int round = 0; round < 3; ++round) {
      std::vector<FaultyKernel> changed;
      for (FaultyKernel& kernel : kernels) {
        for (const sim::Fault& fault : runs[kernel.file.stem()].found) {
          const std::optional<std::string> text = with_edits(kernel.text, fault.fix.edits());
          if (!text || !done.emplace(kernel.file.stem(), fault.fix.act).second) continue;
          kernel.text = *text;
          changed.push_back(kernel);
          break;
        }
      }
      run_all(changed, ptx_of_changed(changed));
    }
    int clean = 0;
    for (const auto& [name, run] : runs) {
      clean += run.found.empty();
      if (!run.found.empty()) MESSAGE(name << " is left with " << text_of(run));
    }
    MESSAGE(clean << " of " << runs.size());
    CHECK(100 * clean >= 90 * static_cast<int>(runs.size()));
  }

  // "Better": the finding is gone, and no other has come.
  TEST_CASE("a fix that a finding carries, applied as data, makes the next run better") {
    struct Try {
      FaultyKernel kernel;
      sim::Fault fault;
      std::set<Mark> before;
    };
    struct Row {
      int carried = 0, applied = 0, better = 0;
    };
    const std::vector<FaultyKernel> kernels = read_kernels(kFolder / "wrong");
    const std::vector<std::string> ptx = ptx_of(kernels);
    std::map<std::string, Row> table;
    std::vector<Try> tries;
    int findings = 0, carried = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const FaultyRun run = run_kernel(kernels[k], ptx[k], 1);
      for (const sim::Fault& fault : run.found) {
        ++findings;
        carried += fault.fix.act != sim::Fix::Act::None;
        Row& row = table[std::string(sim::code(fault.fix.act))];
        ++row.carried;
        const std::optional<std::string> text = with_edits(kernels[k].text, fault.fix.edits());
        if (!text)
          MESSAGE("not applied: " << sim::code(fault.fix.act) << ": " << kernels[k].file.stem().string()
                                  << ": " << code_and_line(fault));
        if (!text) continue;
        ++row.applied;
        tries.push_back({kernels[k], fault, marks_of(run)});
        tries.back().kernel.text = *text;
      }
    }
    std::vector<FaultyKernel> changed;
    for (const Try& one : tries) changed.push_back(one.kernel);
    const std::vector<std::string> fixed = ptx_of_changed(changed);
    int better = 0;
    for (std::size_t k = 0; k < tries.size(); ++k) {
      const Try& one = tries[k];
      const FaultyRun run = run_kernel(one.kernel, fixed[k], 1);
      const std::set<Mark> after = marks_of(run);
      const bool gone = !after.contains({std::string(sim::code(one.fault.kind)), one.fault.line});
      const bool none_new = std::includes(one.before.begin(), one.before.end(), after.begin(), after.end());
      table[std::string(sim::code(one.fault.fix.act))].better += gone && none_new;
      better += gone && none_new;
      if (!gone || !none_new)
        MESSAGE(one.kernel.file.stem().string() << ": " << code_and_line(one.fault) << "; then"
                                                << (gone ? " new ones: " : ": ") << text_of(run));
    }
    for (const auto& [act, row] : table)
      MESSAGE(act << ": carried by " << row.carried << ", applied " << row.applied << ", better "
                  << row.better);
    MESSAGE(findings << " findings, " << carried << " carry a fix, " << tries.size() << " applied, " << better
                     << " better");
    CHECK(carried == findings);
    // Not applied: accesses by calls and in assembly, bytes, which no atomic is as narrow as, and a flag that
    // no line sets.
    CHECK(100 * static_cast<int>(tries.size()) >= 93 * findings);  // 163 of 172 when this was written
    // Of the others most have a second mistake beside the first, which is then found.
    CHECK(100 * better >= 92 * static_cast<int>(tries.size()));  // 154 of 163
  }
}

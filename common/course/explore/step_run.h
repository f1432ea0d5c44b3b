// A kernel run on a small matrix, one block or cluster of it recorded step by step: what `lab step` shows.
//
// Enters: a name from the command line, a matrix, a block. Leaves: a StepRun: the steps, where their accesses
// lie, what was found and at which step. Values are given as what they are: bytes, or an element of `in` that
// has the very same. Nothing is guessed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/course/explore/plain_kernel.h"
#include "common/course/explore/recorded.h"
#include "common/course/explore/step_recorder.h"

namespace lab::explore {

struct StepChoice {
  KernelChoice kernel;
  KernelOptions shape;  // of a block, where the command line says it
  std::string at;       // which block of the grid, "X,Y"; "": the first that something is found in
  StepTurns turns;      // warps that go on where others would, each in the run that those before it make
};

struct StepFound {
  sim::Fault fault;
  std::int32_t step = kNoStep;  // kNoStep: of another block, or the recording ends before it
};

struct StepRun {
  std::string kernel;  // path as a student reads it
  std::filesystem::path file;
  judge::Run run;
  device::Dim3 cluster;
  VariableTable variables;
  std::string refused;  // why the built-in compiler did not make the PTX; "": it did, or was not asked
  StepData data;
  std::vector<judge::SharedArray> arrays;
  std::uint64_t in = 0, out = 0, out_bytes = 0;  // addresses
  std::vector<std::byte> input;
  std::vector<std::string> source;
  std::vector<StepFound> found;
  StepTurns turns;  // that were chosen
  std::vector<Message> assumed;
  bool is_transpose = true;
  std::map<std::string, std::uint64_t> elements;  // of `in`, by their bytes; empty: two have the same
  [[nodiscard]] bool clean() const { return run.correct() && run.findings.empty(); }

  // Where an access of a lane lies: in an array, so many bytes behind its beginning.
  struct Place {
    enum class In : std::uint8_t { In, Out, Shared, Else } of = In::Else;
    std::size_t array = 0;  // Shared: index into `arrays`
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Place place_of(const StepAccess& access, std::size_t lane) const;
  // "in(3,5)", "tile[3][5]"; "": it has no such name.
  [[nodiscard]] std::string name_of(const Place& place) const;
  [[nodiscard]] std::string name_in(std::uint64_t element) const;  // "in(3,5)"
  // "tile[3][5]", "barrier": what lies there in shared memory; "": it has no name.
  [[nodiscard]] std::string name_in_shared(std::uint64_t offset) const;
  // "in(3,5)": what a pointer points to; "": nothing that has a name.
  [[nodiscard]] std::string name_of_target(const VariablePart& part, std::uint64_t address) const;
  // The element of `in` with these bytes.
  [[nodiscard]] std::optional<std::uint64_t> element_of(std::span<const std::byte> bytes) const;
  // Lanes that store to `out` what does not belong there, where a transpose is asked for.
  [[nodiscard]] sim::Mask wrong_lanes(const StepAccess& access) const;
  // Functions that were called and run at this step, the innermost first, with the lines that call them; none: the
  // kernel itself.
  [[nodiscard]] std::vector<VariableCall> calls_of(const WarpStep& step) const;
  [[nodiscard]] sim::Dim3 block(std::uint32_t number) const { return run.grid.at(data.blocks[number]); }
};

// Copies on their way behind a step, oldest first: `way`, behind the one before.
void go_on(std::vector<StepFlight>& way, const StepData& data, std::size_t step);
[[nodiscard]] std::vector<StepFlight> on_their_way(const StepData& data, std::size_t step);

// "12:3,20:0": steps and the warps that go on there. Throws UsageError.
[[nodiscard]] StepTurns turns_named(const std::string& text);

// Throws as record_choice does, but for a kernel that stops with a fault: the steps up to it are what is asked
// for.
[[nodiscard]] StepRun step_run(const StepChoice& choice, std::optional<compile::CompilerKind> compiler);

// Tile: a load from shared memory; Store: to global memory or another block's shared memory; Copy: an
// asynchronous copy starts.
enum class StepTo : std::uint8_t { Barrier, Fault, Wrong, Tile, Store, Copy };
// The first such step from `from` on.
[[nodiscard]] std::optional<std::size_t> next_step(const StepRun& run, std::size_t from, StepTo to);
// The same warp's next statement; not one of a function that this one calls where `over` it.
[[nodiscard]] std::optional<std::size_t> next_of_warp(const StepRun& run, std::size_t now, bool over);
[[nodiscard]] std::optional<std::size_t> next_step_on(const StepRun& run, std::size_t from, int line);

}  // namespace lab::explore

// Which kernel of a file is launched, with which arguments and in which shape, and the launch of one problem.
//
// Enters: a loaded kernel, what its file says of its launch, a Problem. Leaves: packed arguments, the grid, a Run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/course/judge/input_key.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/run.h"
#include "common/gpu/device/device.h"
#include "common/kernel/findings.h"
#include "common/kernel/gpus.h"
#include "common/kernel/launch_shape.h"

namespace lab::judge {

// Packs kernel arguments in the order in which they are added. Integers take the size that the kernel's
// parameter has (int or long). Too many, too few or a pointer that does not fit: SignatureError.
class Arguments {
 public:
  Arguments(const Problem& p, device::Address out, device::Address in, const device::Kernel& kernel);
  Arguments& out() { return pointer(out_); }
  Arguments& in() { return pointer(in_); }
  Arguments& pointer(device::Address address);
  Arguments& integer(std::int64_t value);
  Arguments& gpus(const Gpus& gpus);  // of a kernel for several (gpus.h)
  Arguments& tensor_map(const device::TensorMapBytes& map);
  [[nodiscard]] std::vector<std::byte> packed() const;  // throws when parameters are missing
  const Problem& problem;

 private:
  const device::Parameter& next(const Message& what);
  device::Address out_, in_;
  const device::Kernel& kernel_;
  std::size_t used_ = 0;
  std::vector<std::byte> bytes_;
};

class SignatureError : public text::Said<std::runtime_error> {
 public:
  using Said::Said;
};

struct Task;  // task.h

// Which entry to run, and how it wants its arguments. The defaults are the course's standard:
// transpose(T* out, const T* in, int rows, int cols).
struct Target {
  std::string entry = "transpose";
  const Task* task = nullptr;                 // null: the transpose
  std::function<void(Arguments&)> arguments;  // empty: out, in, rows, cols
  std::optional<LaunchShape> shape;           // none: the module's
  std::vector<sim::Observer*> observers;      // of the simulator; merged into after the launch
  bool checked = true;                        // races and uninitialised reads are searched for
  bool goes_on = false;                       // behind what these find: it is in Run::findings
  bool as_always = false;                     // the hardware's numbers, addresses: to be looked at
  bool followed = false;        // values and order are as always, all else of the world is drawn
  bool again = false;           // finds the module as the last launch left it
  std::uint64_t most_work = 0;  // units that a launch may cost; 0: what budget_of says
  // Called before the launch with the places of the buffers.
  std::function<void(device::Address out, std::uint64_t out_bytes, device::Address in)> placed;
};

// The kernel's parameters as the target wants them, then the tensor maps of the launch shape. Throws
// SignatureError.
[[nodiscard]] std::vector<std::byte> pack(Arguments& arguments, const Target& target,
                                          std::span<const device::TensorMapBytes> maps);

// A kernel that takes pitches as well: out, in, rows, cols, out_pitch, in_pitch.
void with_pitches(Arguments& arguments);

class ShapeError : public text::Said<std::runtime_error> {
 public:
  using Said::Said;
};

// One problem on one device: for callers with a device of their own. Throws ShapeError.
[[nodiscard]] Run judge_on(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
                           const Problem& problem, const Target& target, bool count, unsigned host_threads,
                           const InputKey& key = {});
// The grid that covers a problem: tiles along both axes as the shape says, whole clusters, one z for each
// matrix of the batch.
[[nodiscard]] device::Dim3 grid_of(const LaunchShape& shape, const Problem& problem);
// Which side of a problem takes more blocks than a grid may have along that axis; empty: the grid holds it.
[[nodiscard]] Message beyond_the_grid(const LaunchShape& shape, const Problem& problem);
// Elements of `in` that a whole cluster covers, or one block where there is none.
[[nodiscard]] TileShape covered_at_once(const LaunchShape& shape);
// Blocks of a cluster; none where the launch shape asks for none.
[[nodiscard]] device::Dim3 cluster_of(const LaunchShape& shape);
// Throws ShapeError when a launch shape makes no sense, wherever it came from.
void check_shape(const LaunchShape& shape);
// Reads the bytes of `lab_launch_shape`; throws ShapeError when they make no sense.
[[nodiscard]] LaunchShape read_launch_shape(std::span<const std::byte> bytes);
[[nodiscard]] Predictions read_predictions(std::span<const std::byte> bytes);
[[nodiscard]] Finding read_finding(std::span<const std::byte> bytes);

}  // namespace lab::judge

// Every instruction form against a GPU: the PTX of tools/golden/forms.py, parsed, decoded and launched on the
// simulator, must leave the bits that an NVIDIA H200 left (tests/golden/forms.bin). Approximate instructions
// may differ by what their row in the table of forms states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <sstream>

#include "common/sim/gpu.h"
#include "common/sim/instructions/forms.h"
#include "tests/sim/golden_files.h"
#include "tests/sim/golden_operands.h"

using namespace lab::sim;
using namespace lab::golden;

namespace {

using Words = std::vector<std::array<std::uint64_t, kSlots>>;  // of each thread

// The parts between separators; without `keep_empty`, those that are not empty.
std::vector<std::string> split(const std::string& text, std::string_view separator, bool keep_empty) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    if (keep_empty || to > from) parts.push_back(text.substr(from, to - from));
    from = to + separator.size();
  }
  return parts;
}

struct GoldenForm {
  std::string name, entry, file;
  std::vector<std::string> results, kinds;
  std::size_t offset = 0;
};
std::vector<GoldenForm> golden_forms() {
  std::vector<GoldenForm> forms;
  for (const std::string& line : lines_of(generated_text("forms.txt"))) {
    if (line[0] == '#') continue;
    const std::vector<std::string> parts = split(line, " | ", true);
    REQUIRE(parts.size() == 6);
    forms.push_back({parts[0], parts[1], parts[2], split(parts[3], " ", false), split(parts[4], " ", false),
                     std::stoul(parts[5])});
  }
  return forms;
}

// The module of a file and the memory that its variables live in.
struct Loaded {
  Memory memory;
  std::shared_ptr<ModuleImage> image;
  DeviceAddress in, out;
};
constexpr std::uint64_t kBytes = sizeof(std::uint64_t) * kSlots * kThreads;

std::unique_ptr<Loaded> load(const std::string& file) {
  auto loaded = std::make_unique<Loaded>();
  loaded->image = load_module(ptx::parse(generated_text(file)), loaded->memory);
  loaded->in = loaded->memory.allocate(kBytes, Fill::Written, "in");
  loaded->out = loaded->memory.allocate(kBytes, Fill::Written, "out");
  return loaded;
}

// Runs the form's kernel as the GPU ran it; throws what decode throws. Says what went wrong in `problem`.
Words run(Loaded& loaded, const GoldenForm& form, const Words& operands, std::string& problem) {
  const auto program = decode(*loaded.image, form.entry);
  loaded.memory.write(loaded.in, std::as_bytes(std::span(operands)));
  loaded.memory.fill(loaded.out, std::byte{0}, kBytes);
  const std::uint64_t parameters[] = {loaded.out, loaded.in};
  LaunchConfig config;
  config.grid = {1, 1, 1};
  config.block = {kThreads, 1, 1};
  LaunchOptions options;
  options.host_threads = 1;
  options.count = options.check_races = options.check_uninitialised = false;
  const LaunchResult result =
      launch(loaded.memory, *program, config, std::as_bytes(std::span(parameters)), options);
  if (!result.ok()) problem = result.faults[0].sentence().english();
  Words words(kThreads);
  loaded.memory.read(loaded.out, std::as_writable_bytes(std::span(words)));
  return words;
}

int bits_of(const std::string& type) { return type == "mem" ? 64 : std::stoi(type.substr(1)); }

// One result of all threads, as forms.py packed it: predicates are bits, memory has 32 threads.
std::vector<std::uint64_t> unpack(const std::string& bytes, std::size_t& offset, const std::string& type) {
  std::vector<std::uint64_t> values(type == "mem" ? 32 : kThreads);
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (type == "pred") {
      values[t] = (static_cast<unsigned char>(bytes.at(offset + t / 8)) >> (t % 8)) & 1;
    } else {
      const std::size_t size = static_cast<std::size_t>(bits_of(type)) / 8;
      REQUIRE(offset + (t + 1) * size <= bytes.size());
      std::memcpy(&values[t], bytes.data() + offset + t * size, size);
    }
  }
  offset +=
      type == "pred" ? (values.size() + 7) / 8 : values.size() * static_cast<std::size_t>(bits_of(type)) / 8;
  return values;
}

// How far apart two numbers of a format are, in units of the last place; NaN is equal to the same NaN alone.
double ulps(std::uint64_t a, std::uint64_t b, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const auto order = [&](std::uint64_t x) {
    return (x & sign) != 0 ? -static_cast<double>(x & (sign - 1)) : static_cast<double>(x);
  };
  return std::fabs(order(a) - order(b));
}
bool close(std::uint64_t want, std::uint64_t got, const Form& form) {
  switch (form.operand[0]) {
    case ptx::Type::F32: {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(want));
      const float y = std::bit_cast<float>(static_cast<std::uint32_t>(got));
      if (x != x || y != y || std::isinf(x) != std::isinf(y)) return want == got;
      return ulps(want, got, 32) <= form.max_ulp || std::fabs(x - y) <= form.max_absolute;
    }
    case ptx::Type::F64: {
      const auto x = std::bit_cast<double>(want), y = std::bit_cast<double>(got);
      return x != x || y != y ? want == got : ulps(want, got, 64) <= form.max_ulp;
    }
    case ptx::Type::F16:
    case ptx::Type::BF16:
      return ulps(want, got, 16) <= form.max_ulp;
    case ptx::Type::F16x2:
    case ptx::Type::BF16x2:
      return ulps(want & 0xffff, got & 0xffff, 16) <= form.max_ulp &&
             ulps(want >> 16, got >> 16, 16) <= form.max_ulp;
    default:
      return want == got;
  }
}

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << "0x" << value;
  return text.str();
}

constexpr int kShown = 3;

// The first differences between the GPU's results and ours; "" when there is none.
std::string compare(const GoldenForm& golden, const std::string& bytes, const Words& operands,
                    const Words& ours) {
  const Form* form = find_form(golden.name);
  const bool approximate = form != nullptr && (form->max_ulp > 0 || form->max_absolute > 0);
  std::size_t offset = golden.offset;
  int differences = 0;
  std::string shown;
  for (std::size_t slot = 0; slot < golden.results.size(); ++slot) {
    const std::vector<std::uint64_t> wanted = unpack(bytes, offset, golden.results[slot]);
    for (std::size_t t = 0; t < wanted.size(); ++t) {
      const std::uint64_t got = golden.results[slot] == "pred" ? ours[t][slot] & 1 : ours[t][slot];
      if (got == wanted[t] || (approximate && close(wanted[t], got, *form))) continue;
      if (++differences > kShown) continue;
      shown += "\n  thread " + std::to_string(t) + ", result " + std::to_string(slot) + ": the GPU has " +
               hex(wanted[t]) + ", we have " + hex(got) + ", operands";
      for (std::size_t k = 0; k < golden.kinds.size(); ++k) shown += " " + hex(operands[t][k]);
    }
  }
  return differences == 0 ? "" : std::to_string(differences) + " results differ" + shown;
}

}  // namespace

// Forms that must not pass, and what our answer must say instead.
const std::map<std::string, std::string>& exceptions() {
  static const std::map<std::string, std::string> table = {
      // Lane 15 reads lane 16, which the mask does not name: undefined, so a fault here.
      {"shfl.sync.down.b32 half the warp", "takes no part in this shuffle"},
  };
  return table;
}

TEST_CASE("every form leaves the bits that a GPU leaves") {
  const std::vector<GoldenForm> forms = golden_forms();
  const std::string bytes = golden_text("forms.bin");
  REQUIRE(forms.size() > 3000);
  std::string file;
  std::unique_ptr<Loaded> loaded;
  for (const GoldenForm& form : forms) {
    if (form.file != file) loaded = load(file = form.file);
    const Words operands = lab::golden::operands(form.name, form.kinds);
    std::string problem;
    try {
      const Words ours = run(*loaded, form, operands, problem);
      if (problem.empty()) problem = compare(form, bytes, operands, ours);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const auto exception = exceptions().find(form.name);
    if (exception == exceptions().end()) {
      CHECK_MESSAGE(problem.empty(), form.name, ": ", problem);
    } else {
      CHECK_MESSAGE(problem.find(exception->second) != std::string::npos, form.name, ": ", problem);
    }
  }
}

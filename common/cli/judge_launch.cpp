// The operation `launch` of `lab judge`: any kernel on any arguments.
//
// Enters: a kernel, a grid, arguments in the order of the kernel's parameters, each a number or a buffer.
// Leaves: counters, findings, and what the buffers hold afterwards.
#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "common/base/base64.h"
#include "common/base/words.h"
#include "common/cli/judge_requests.h"
#include "common/course/report/json.h"
#include "common/gpu/device/device.h"
#include "common/sim/memory/memory.h"

namespace lab::cli {
namespace {

using report::Json;

constexpr std::int64_t kMostBytes = 1ll << 30;  // of one buffer

[[noreturn]] void bad_request(const std::string& message) { throw RequestError(kBadRequest, message); }

// 64, or [64, 2, 1].
sim::Dim3 extent(const Request& request, std::string_view key) {
  const Json& value = request.at(key);
  std::array<std::int64_t, 3> sides{1, 1, 1};
  if (value.is_number_integer()) {
    sides[0] = value.get<std::int64_t>();
  } else if (value.is_array() && value.size() >= 1 && value.size() <= 3) {
    for (std::size_t i = 0; i < value.size(); ++i)
      sides[i] = value[i].is_number_integer() ? value[i].get<std::int64_t>() : 0;
  } else {
    bad_request(fmt::format("\"{}\" is a whole number, or a list of one to three.", key));
  }
  for (const std::int64_t side : sides)
    if (side < 1 || side > INT32_MAX)
      bad_request(fmt::format("\"{}\" has sides from 1 to 2 147 483 647.", key));
  return {static_cast<std::uint32_t>(sides[0]), static_cast<std::uint32_t>(sides[1]),
          static_cast<std::uint32_t>(sides[2])};
}

// The kernel of that name, also when C++ has renamed it; "": the only one.
std::string entry_of(const device::Module& module, const std::string& wanted) {
  const std::vector<std::string> entries = module.entries();
  std::vector<std::string> matches;
  for (const std::string& entry : entries) {
    if (entry == wanted) return entry;
    if (wanted.empty() || entry.starts_with(fmt::format("_Z{}{}", wanted.size(), wanted)))
      matches.push_back(entry);
  }
  if (matches.size() == 1) return matches.front();
  bad_request(fmt::format("\"entry\" names one kernel of the file; it has: {}.", base::joined(entries)));
}

constexpr std::array<std::string_view, 6> kArgumentKeys{"int", "float", "data", "bytes", "buffer", "name"};

// What JSON has no number for, as a text.
std::optional<double> real_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

struct NamedBuffer {
  std::string name;
  std::unique_ptr<device::Buffer> buffer;
};

class ArgumentList {
 public:
  ArgumentList(device::Device& device, const device::Kernel& kernel) : device_(device), kernel_(kernel) {}

  void add(const Json& value) {
    if (next_ >= kernel_.parameters().size())
      bad_request(fmt::format("The kernel has {} parameters, and more arguments were given.",
                              kernel_.parameters().size()));
    const device::Parameter& parameter = kernel_.parameters()[next_++];
    if (!value.is_object())
      bad_request(where() + " is an object: {\"int\": 4}, {\"float\": 0.5} or {\"bytes\": 4096}.");
    const Request argument(value, kArgumentKeys);
    if (argument.has("int") + argument.has("float") + argument.has("data") + argument.has("bytes") +
            argument.has("buffer") !=
        1)
      bad_request(where() + R"( has one of "int", "float", "data" (base64), "bytes" and "buffer".)");
    if (argument.has("int")) return integer(parameter, value.at("int"));
    if (argument.has("float")) return real(parameter, value.at("float"));
    if (argument.has("buffer")) return again(parameter, argument.text("buffer"));
    pointer(parameter, argument);
  }

  [[nodiscard]] std::vector<std::byte> packed() const {
    if (next_ != kernel_.parameters().size())
      bad_request(fmt::format("The kernel has {} parameters, and {} arguments were given.",
                              kernel_.parameters().size(), next_));
    return bytes_;
  }

  [[nodiscard]] Json buffers() const {
    Json all = Json::object();
    for (const NamedBuffer& one : buffers_) {
      std::vector<std::byte> bytes(one.buffer->size_bytes());
      device_.read(one.buffer->address(), bytes);
      all[one.name] = base::to_base64(bytes);
    }
    return all;
  }

 private:
  [[nodiscard]] std::string where() const { return fmt::format("Argument {}", next_); }

  void put(const device::Parameter& parameter, const void* value, std::size_t size) {
    if (parameter.size_bytes != size)
      bad_request(
          fmt::format("{} has {} bytes, the kernel's parameter {}.", where(), size, parameter.size_bytes));
    bytes_.resize(std::max<std::size_t>(bytes_.size(), parameter.offset_bytes + size));
    std::memcpy(bytes_.data() + parameter.offset_bytes, value, size);
  }

  void integer(const device::Parameter& parameter, const Json& value) {
    if (!value.is_number_integer()) bad_request(where() + ": \"int\" is a whole number.");
    if (parameter.kind == device::Parameter::Kind::Real) return real(parameter, value);  // as C++ converts
    const std::int64_t whole = value.get<std::int64_t>();
    const bool above_signed = whole < 0 && value.get<double>() > 0;
    const std::size_t size = std::min<std::size_t>(parameter.size_bytes, sizeof whole);
    const std::int64_t shifted = size == sizeof whole ? 0 : whole >> (8 * size - 1);
    // Signed or unsigned: what is lost by cutting is neither's.
    if ((shifted != 0 && shifted != -1 && shifted != 1) || (above_signed && size < sizeof whole))
      bad_request(fmt::format("{}: {} does not fit the {} bytes of the kernel's parameter.", where(),
                              value.dump(), size));
    put(parameter, &whole, size);
  }

  void real(const device::Parameter& parameter, const Json& value) {
    const std::optional<double> wide = real_number(value);
    if (!wide) bad_request(where() + R"(: "float" is a number, or "nan", "inf", "-inf".)");
    if (parameter.kind == device::Parameter::Kind::Whole)
      bad_request(where() + ": the kernel's parameter is a whole number or an address, no \"float\".");
    const float narrow = static_cast<float>(*wide);
    if (parameter.size_bytes != sizeof narrow) return put(parameter, &*wide, sizeof *wide);
    if (std::isinf(narrow) && !std::isinf(*wide))
      bad_request(fmt::format("{}: {} is too large for a float.", where(), value.dump()));
    put(parameter, &narrow, sizeof narrow);
  }

  void address_of(const device::Parameter& parameter, const device::Buffer& buffer) {
    const device::Address address = buffer.address();
    put(parameter, &address, sizeof address);
  }

  // A buffer that an earlier argument has named.
  void again(const device::Parameter& parameter, const std::string& name) {
    const NamedBuffer* earlier = find(name);
    if (earlier == nullptr)
      bad_request(fmt::format("{}: no earlier argument is named \"{}\".", where(), name));
    address_of(parameter, *earlier->buffer);
  }

  void pointer(const device::Parameter& parameter, const Request& argument) {
    std::optional<std::vector<std::byte>> data;
    if (argument.has("data") && !(data = base::from_base64(argument.text("data"))))
      bad_request(where() + ": \"data\" is no base64.");
    const std::int64_t size = data ? static_cast<std::int64_t>(data->size()) : argument.number("bytes");
    if (size < 1 || size > kMostBytes) bad_request(where() + ": a buffer has 1 byte to 1 GiB.");
    std::string name = argument.text("name", fmt::format("argument {}", next_));
    if (find(name) != nullptr)
      bad_request(fmt::format("{}: an earlier argument is named \"{}\" too.", where(), name));
    auto buffer =
        std::make_unique<device::Buffer>(device_, static_cast<std::uint64_t>(size),
                                         data ? device::Content::Data : device::Content::Poison, name);
    if (data) device_.write(buffer->address(), *data);
    address_of(parameter, *buffer);
    buffers_.push_back({std::move(name), std::move(buffer)});
  }

  [[nodiscard]] const NamedBuffer* find(std::string_view name) const {
    for (const NamedBuffer& one : buffers_)
      if (one.name == name) return &one;
    return nullptr;
  }

  device::Device& device_;
  const device::Kernel& kernel_;
  std::size_t next_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<NamedBuffer> buffers_;
};

}  // namespace

Json answer_launch(const Request& request, const JudgeSettings& settings) {
  device::Launch launch;
  launch.grid = extent(request, "grid");
  launch.block = extent(request, "block");
  if (request.has("cluster")) launch.cluster = extent(request, "cluster");
  const std::int64_t shared = request.number("shared_bytes");
  if (shared < 0 || shared > 1 << 20) bad_request("\"shared_bytes\" is 0 to 1 048 576.");
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shared);
  const Json& arguments = request.at("arguments");
  if (!arguments.is_array()) bad_request("\"arguments\" is a list, in the order of the kernel's parameters.");
  const RequestKernel file(request, settings);
  const std::unique_ptr<device::Device> device = device::make_simulator();
  const std::shared_ptr<device::Module> module = device->load({file.compiled().output});
  const std::string entry = entry_of(*module, request.text("entry"));
  const std::shared_ptr<const device::Kernel> kernel = module->kernel(entry);
  ArgumentList list(*device, *kernel);
  for (const Json& argument : arguments) list.add(argument);
  launch.parameters = list.packed();
  const device::LaunchOutcome outcome = device->launch(*kernel, launch);
  Json answer = report::launch_json(entry, launch, kernel->static_shared_bytes(), outcome);
  answer["work"] = outcome.work;
  answer["buffers"] = list.buffers();
  return answer;
}

}  // namespace lab::cli

// A device whose kernels are C++ functions: it shows the judge what no simulated kernel can do, such as a
// write outside of `out` that is not caught.
//
// Enters: a function over the bytes of `out` and `in`. Leaves: a Device that judge_on can use.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/gpu/device/device.h"

namespace lab::test {

struct FakeCall {
  std::byte* out = nullptr;  // may be written before and behind: there is room
  std::byte* in = nullptr;
  int rows = 0, cols = 0;
};

class FakeKernel final : public device::Kernel {
 public:
  explicit FakeKernel(std::function<void(const FakeCall&)> f) : function(std::move(f)) {}
  const std::string& name() const override { return name_; }
  const std::vector<device::Parameter>& parameters() const override { return parameters_; }
  std::uint32_t static_shared_bytes() const override { return 0; }
  const std::function<void(const FakeCall&)> function;

 private:
  std::string name_ = "transpose";
  std::vector<device::Parameter> parameters_ = {
      {"out", 0, 8}, {"in", 8, 8}, {"rows", 16, 4}, {"cols", 20, 4}};
};

class FakeDevice final : public device::Device {
 public:
  std::string name() const override { return "fake"; }
  bool counts() const override { return false; }
  bool catches_stray_writes() const override { return false; }
  std::shared_ptr<device::Module> load(const device::Image&) override { return nullptr; }

  device::Address allocate(std::uint64_t size_bytes, device::Content, std::string) override {
    auto bytes = std::make_unique<std::byte[]>(size_bytes);
    const auto address = reinterpret_cast<device::Address>(bytes.get());
    buffers_[address] = std::move(bytes);
    return address;
  }
  void release(device::Address base) override { buffers_.erase(base); }
  void write(device::Address to, std::span<const std::byte> bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), bytes.data(), bytes.size());
  }
  void read(device::Address from, std::span<std::byte> bytes) const override {
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(from), bytes.size());
  }
  void poison(device::Address base, std::uint64_t size_bytes, std::byte value) override {
    std::memset(reinterpret_cast<void*>(base), std::to_integer<int>(value), size_bytes);
  }
  device::TensorMapBytes tensor_map(const sim::TensorMap& map) override { return sim::encoded(map); }
  device::LaunchOutcome launch(const device::Kernel& kernel, const device::Launch& launch) override {
    FakeCall call;
    std::memcpy(&call.out, launch.parameters.data(), 8);
    std::memcpy(&call.in, launch.parameters.data() + 8, 8);
    std::memcpy(&call.rows, launch.parameters.data() + 16, 4);
    std::memcpy(&call.cols, launch.parameters.data() + 20, 4);
    dynamic_cast<const FakeKernel&>(kernel).function(call);
    ++launches;
    return {};
  }
  int launches = 0;

 private:
  std::map<device::Address, std::unique_ptr<std::byte[]>> buffers_;
};

}  // namespace lab::test

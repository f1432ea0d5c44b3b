// A compiled module on a GPU, as this process knows it.
//
// Enters: an image. Leaves: kernels and constants. The driver's handles lie in the worker process and are
// good for one worker only; they are requested here, and the module is loaded again in a new
// worker.
#pragma once

#include "common/gpu/device/gpu.h"
#include "common/gpu/device/gpu_line.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::device {

using RemoteHandle = void*;  // valid in one worker only

[[nodiscard]] sim::Fault plain_fault(sim::FaultKind kind, Message message);

class RemoteModule;

class RemoteKernel final : public Kernel {
 public:
  RemoteKernel(RemoteModule& m, const sim::ptx::Function& entry);
  const std::string& name() const override { return name_; }
  const std::vector<Parameter>& parameters() const override { return parameters_; }
  std::uint32_t static_shared_bytes() const override { return shared_bytes; }
  RemoteModule& module;
  mutable RemoteHandle handle = nullptr;
  mutable int generation = 0;  // of the worker that the handle belongs to
  std::uint32_t shared_bytes = 0;

 private:
  std::string name_;
  std::vector<Parameter> parameters_;
};

class RemoteModule final : public Module {
 public:
  // Loads it. Throws LoadError, DeviceError.
  RemoteModule(Line& line, const GpuInfo& gpu, int cuda_version, Image image);
  ~RemoteModule() override;
  RemoteModule(const RemoteModule&) = delete;
  RemoteModule& operator=(const RemoteModule&) = delete;

  std::vector<std::string> entries() const override;
  std::shared_ptr<const Kernel> kernel(std::string_view entry) override;
  std::optional<std::vector<std::byte>> constant(std::string_view name) const override;

  // Makes the kernel's handle good for the worker of now. Its static shared bytes.
  std::uint32_t bind(const RemoteKernel& kernel) const;

 private:
  // The handle in the worker of now: loaded again where it is a new one.
  RemoteHandle handle() const;
  // Asked of its own GPU, whichever is in use.
  Packet at_home(const Packet& request) const;
  // What a loading question says; a refusal is a LoadError.
  Packet asked(const Packet& request) const;

  Line& line_;
  const int at_;  // the GPU that it is loaded on
  const GpuInfo& gpu_;
  int cuda_version_;
  Image image_;
  sim::ptx::Module parsed_;
  mutable RemoteHandle handle_ = nullptr;
  mutable int generation_ = 0;
};

}  // namespace lab::device

// The driver's error codes in words. See gpu_words.h.
#include "common/gpu/device/gpu_words.h"

#include <algorithm>
#include <array>

namespace lab::device {
namespace {

struct StartWords {
  int code;
  const char* problem;
  const char* advice;
};

// Seen at cuInit, at the count of devices or when a context is made.
constexpr std::array<StartWords, 14> kStartWords = {{
    {2, "The GPU has no memory left for another program.", "End what uses it (nvidia-smi lists it)."},
    {34, "libcuda.so.1 is the stub of the CUDA Toolkit, which only serves to link programs.",
     "Take its folder out of LD_LIBRARY_PATH, so that the driver's own library is found."},
    {46, "The GPU is busy or set to serve one program alone.",
     "Wait for the other program, or ask whoever runs the machine (nvidia-smi shows its compute mode)."},
    {100, "The driver is here, and it sees no GPU.",
     "nvidia-smi should list one; in a container start it with --gpus all; look at CUDA_VISIBLE_DEVICES."},
    {101, "There is no GPU of that number.", "Look at CUDA_VISIBLE_DEVICES and --gpu-index."},
    {214, "The GPU met a memory error that it cannot correct.",
     "Report it to who runs the machine; nvidia-smi -q shows the errors."},
    {304, "The operating system does not let this program use the GPU.",
     "You need to read and write /dev/nvidia*: ask to join the group that may (often video or render), or "
     "start the container with --gpus all."},
    {800, "The driver does not let this user use the GPU.", "Ask whoever runs the machine."},
    {802, "The GPU's system is not ready yet: its fabric manager may not run.",
     "Wait a minute; on machines with NVSwitch start nvidia-fabricmanager."},
    {803, "The driver's library and the driver in the operating system have different versions.",
     "Restart the machine: the driver was updated while it ran. In a container take its own libcuda out."},
    {804, "The driver's library is newer than the driver in the operating system and cannot work with it.",
     "Update the driver, or take the compatibility library (cuda-compat) out of LD_LIBRARY_PATH."},
    {805, "NVIDIA's MPS service is asked for and does not answer.",
     "Unset CUDA_MPS_PIPE_DIRECTORY, or start it."},
    {3, "The driver did not start.", "Run nvidia-smi; it should list the GPU."},
    {999, "The driver failed and does not say why.",
     "Run nvidia-smi, as this user. After a sleep of the machine, reload nvidia_uvm or restart."},
}};

struct LaunchWords {
  int code;
  sim::FaultKind kind;
  const char* words;
};

constexpr std::array<LaunchWords, 12> kLaunchWords = {{
    {1, sim::FaultKind::InvalidLaunch, "it does not take this grid, block or amount of shared memory"},
    {700, sim::FaultKind::OutOfBounds, "a thread touched an address outside of every buffer"},
    {701, sim::FaultKind::InvalidLaunch, "a block wants more registers or shared memory than there are"},
    {702, sim::FaultKind::BudgetExceeded, "it ran longer than the driver allows"},
    {710, sim::FaultKind::Trap, "an assert in it failed"},
    {714, sim::FaultKind::StackOverflow, "the stack of a thread overflowed"},
    {715, sim::FaultKind::Trap, "it ran into an illegal instruction, as __trap() makes one"},
    {716, sim::FaultKind::Misaligned, "a thread's address is no multiple of the size of its access"},
    {717, sim::FaultKind::OutOfBounds,
     "an address does not belong to the memory that the instruction is for"},
    {718, sim::FaultKind::Trap, "a thread jumped to a place that holds no code"},
    {719, sim::FaultKind::Trap, "it broke off for a reason that the GPU does not give"},
    {721, sim::FaultKind::Trap, "tensor memory was not given back"},
}};

constexpr const char* kAskSimulator = "The GPU names no line; the simulator does: add --device sim.";

}  // namespace

void explain_start(GpuSurvey& survey, int code, const std::string& name, const std::string& call) {
  survey.error = name;
  const auto* words = std::find_if(kStartWords.begin(), kStartWords.end(),
                                   [&](const StartWords& w) { return w.code == code; });
  if (words != kStartWords.end()) {
    survey.problem = words->problem;
    survey.advice = words->advice;
  } else {
    survey.problem = msg("The driver refuses {}.", call);
    survey.advice = "Run nvidia-smi; it should list the GPU.";
  }
}

void explain_no_driver(GpuSurvey& survey, bool found, const std::string& loader_says) {
  if (!found) {
    const bool absent = loader_says.find("No such file") != std::string::npos;
    survey.problem = absent ? "No NVIDIA driver: the library libcuda.so.1 is not on this machine."
                            : msg("The driver's library cannot be opened: {}.", loader_says);
    survey.advice = absent ? "With an NVIDIA GPU, install its driver (nvidia-smi comes with it)."
                           : "Install the NVIDIA driver again; nvidia-smi should then work.";
  } else {
    survey.problem = msg("The NVIDIA driver is too old for the lab: {}.", loader_says);
    survey.advice = "Update the driver; CUDA 12 or later is good.";
  }
}

sim::Fault launch_fault(int code, const std::string& name, const std::string& gpu) {
  const auto* words = std::find_if(kLaunchWords.begin(), kLaunchWords.end(),
                                   [&](const LaunchWords& w) { return w.code == code; });
  sim::Fault fault;
  fault.kind = words == kLaunchWords.end() ? sim::FaultKind::Trap : words->kind;
  fault.message =
      msg("The {} stopped the kernel: {} ({}). {}", gpu,
          (words == kLaunchWords.end() ? "the driver reports an error" : words->words), name, kAskSimulator);
  return fault;
}

sim::Fault endless_fault(const std::string& gpu, long limit_ms) {
  sim::Fault fault;
  fault.kind = sim::FaultKind::BudgetExceeded;
  fault.message = msg("The kernel did not end within {} s on the {} and was killed. {}", limit_ms / 1000, gpu,
                      kAskSimulator);
  return fault;
}

sim::Fault load_fault(int code, const std::string& name, const std::string& log, const GpuInfo& gpu,
                      int cuda_version) {
  sim::Fault fault;
  fault.kind = sim::FaultKind::BadPtx;
  const std::string here = "the " + gpu.name + " (sm_" + gpu.architecture() + ")";
  switch (code) {
    case 2:  // out of memory
      fault.kind = sim::FaultKind::TooMuchMemory;
      fault.message =
          msg("The module's `__device__` and `__constant__` variables do not fit into the memory of {} ({}). "
              "Make them smaller.",
              here, name);
      break;
    case 222:  // unsupported PTX version
      fault.message =
          msg("The driver is too old for this PTX: it knows CUDA up to {} ({}). Update the driver, or "
              "compile with an older nvcc or with --compiler clang.",
              cuda_version_text(cuda_version), name);
      break;
    case 209:
    case 200:
      fault.message =
          msg("The compiled kernel is for another GPU than {} ({}). An nvcc that knows sm_{} is needed, or "
              "--compiler clang.",
              here, name, gpu.architecture());
      break;
    case 221:
      fault.message =
          msg("The driver has no compiler for PTX here ({}): libnvidia-ptxjitcompiler.so is missing. Install "
              "it with the driver, or use nvcc.",
              name);
      break;
    default:
      fault.message = msg("The driver refuses the compiled kernel for {} ({}).", here, name);
      if (log.empty()) fault.message += " Try the other compiler: --compiler nvcc or clang.";
  }
  if (!log.empty()) fault.message += msg(" It says: {}", log);
  return fault;
}

bool ends_context(int code) {
  constexpr std::array kEnd = {214, 220, 226, 700, 702, 709, 710, 714,
                               715, 716, 717, 718, 719, 721, 911, 999};
  return std::find(kEnd.begin(), kEnd.end(), code) != kEnd.end();
}

bool blames_machine(int code) {
  constexpr std::array kMachine = {3, 46, 101, 201, 214, 220, 226, 709, 802, 803, 911, 999};
  return std::find(kMachine.begin(), kMachine.end(), code) != kMachine.end();
}

}  // namespace lab::device

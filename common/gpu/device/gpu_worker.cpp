// The server's side of a worker: one loop that takes a request, asks the GPU, replies. See gpu_worker.h.
#include "common/gpu/device/gpu_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <new>

#include "common/gpu/device/gpu_words.h"
#include "common/gpu/device/local_gpu.h"

namespace lab::device {
namespace {

constexpr std::uint64_t kMostOutputBytes = 1 << 20;  // of device printf, for one launch

// What a kernel prints comes out of the driver on standard output; here that is a file in memory.
class Printed {
 public:
  Printed() : file_(memfd_create("lab-printf", MFD_CLOEXEC)) {
    if (file_ >= 0) (void)dup2(file_, STDOUT_FILENO);
  }
  // Since the last call.
  std::string take() {
    std::fflush(stdout);
    if (file_ < 0) return {};
    const off_t size = lseek(file_, 0, SEEK_CUR);
    if (size <= 0) return {};
    std::string text(std::min<std::uint64_t>(static_cast<std::uint64_t>(size), kMostOutputBytes), '\0');
    const ssize_t got = pread(file_, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    (void)lseek(file_, 0, SEEK_SET);
    if (ftruncate(file_, 0) != 0) text.clear();
    return text;
  }

 private:
  int file_;
};

class Server {
 public:
  Server(LocalGpu& gpu, int socket, std::byte* area) : gpu_(gpu), socket_(socket), area_(area) {}

  // Until the other side goes, or the context is gone: then this process is of no more use.
  void serve() {
    Packet request;
    for (bool alive = true; alive && receive(socket_, request, {}) == Received::Whole;) {
      Packet reply;
      alive = answer(request, reply);
      if (!send(socket_, reply)) return;
    }
  }

 private:
  // False: the context is gone.
  bool answer(Packet& request, Packet& reply) {
    log_.clear();
    try {
      Packet result;
      dispatch(request, result);
      reply.put(Status::Done);
      reply.bytes() += result.bytes();
      return true;
    } catch (const cuda::Error& error) {
      reply.put(Status::CudaFailed).put(error.code).put_text(gpu_.driver().name_of(error.code));
      reply.put_text(error.call).put_text(log_);
      return !ends_context(error.code);
    } catch (const std::bad_alloc&) {
      reply.put(Status::NoMemory);
    } catch (const std::exception& error) {
      reply.put(Status::DeviceFailed).put_text(error.what());
    }
    return true;
  }

  void dispatch(Packet& request, Packet& result) {
    gpu_.use(request.get<int>());
    switch (const Ask ask = request.get<Ask>()) {
      case Ask::Load: {
        const std::string ptx = request.get_text(), cubin = request.get_text();
        result.put(gpu_.load(ptx, cubin, log_));
        return;
      }
      case Ask::Unload:
        return gpu_.unload(request.get<cuda::Handle>());
      case Ask::Function: {
        const auto module = request.get<cuda::Handle>();
        const LocalFunction f = gpu_.function(module, request.get_text());
        result.put(f.handle).put(f.static_shared_bytes);
        return;
      }
      case Ask::Variable: {
        const auto module = request.get<cuda::Handle>();
        std::string bytes;
        result.put(gpu_.variable(module, request.get_text(), bytes)).put_text(bytes);
        return;
      }
      case Ask::TensorMap:
        result.put(gpu_.tensor_map(request.get<sim::TensorMap>()));
        return;
      case Ask::Launch:
        return launch(request, result);
      case Ask::Time:
        return time(request, result);
      case Ask::Cublas:
        result.put_text(gpu_.cublas().version());
        return;
      case Ask::Allocate:
        result.put(gpu_.allocate(request.get<std::uint64_t>()));
        return;
      default:
        move_bytes(ask, request);
    }
  }

  void move_bytes(Ask ask, Packet& request) {
    const auto address = request.get<Address>();
    if (ask == Ask::Release) return gpu_.release(address);
    const auto size = request.get<std::uint64_t>();
    if (ask == Ask::Write) return gpu_.write(address, area_, size);
    if (ask == Ask::Read) return gpu_.read(address, area_, size);
    gpu_.fill(address, size, request.get<std::byte>());
  }

  static Launch get_launch(Packet& request) {
    Launch launch;
    launch.grid = request.get<Dim3>();
    launch.block = request.get<Dim3>();
    launch.cluster = request.get<Dim3>();
    launch.dynamic_shared_bytes = request.get<std::uint32_t>();
    return launch;
  }

  static std::vector<std::uint32_t> get_offsets(Packet& request) {
    std::vector<std::uint32_t> offsets(request.get<std::uint64_t>());
    for (std::uint32_t& offset : offsets) offset = request.get<std::uint32_t>();
    return offsets;
  }

  static std::vector<std::byte> get_bytes(Packet& request) {
    const std::string text = request.get_text();
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }

  void launch(Packet& request, Packet& result) {
    const auto function = request.get<cuda::Handle>();
    Launch launch = get_launch(request);
    const std::vector<std::uint32_t> offsets = get_offsets(request);
    launch.parameters = get_bytes(request);
    const double seconds = gpu_.launch(function, launch, offsets);
    result.put(seconds).put_text(printed_.take());
  }

  static LocalWork get_work(Packet& request) {
    LocalWork local;
    local.function = request.get<cuda::Handle>();
    TimedWork& work = local.work;
    work.kind = request.get<TimedWork::Kind>();
    work.launch = get_launch(request);
    local.offsets = get_offsets(request);
    work.turns_at_once = request.get<int>();
    work.copy_bytes = request.get<std::uint64_t>();
    work.rows = request.get<std::int64_t>(), work.cols = request.get<std::int64_t>();
    work.elem_bytes = request.get<int>();
    for (auto turns = request.get<std::uint64_t>(); turns > 0; --turns) {
      TimedWork::Turn& turn = work.turns.emplace_back();
      turn.parameters = get_bytes(request);
      turn.to = request.get<Address>(), turn.from = request.get<Address>();
    }
    return local;
  }

  void time(Packet& request, Packet& result) {
    const auto plan = request.get<TimingPlan>();
    std::vector<LocalWork> by_gpu(request.get<std::uint64_t>());
    for (LocalWork& work : by_gpu) work = get_work(request);
    const std::vector<double> samples = gpu_.time(by_gpu, plan);
    (void)printed_.take();
    result.put(static_cast<std::uint64_t>(samples.size()));
    for (const double s : samples) result.put(s);
  }

  LocalGpu& gpu_;
  int socket_;
  std::byte* area_;
  Printed printed_;
  std::string log_;
};

[[noreturn]] void live(int socket, std::byte* area, int index, bool child_of_main_thread) {
  // Only the main thread's end is the program's end.
  if (child_of_main_thread) prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int s : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT}) signal(s, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    LocalGpu gpu;
    if (index >= 0) gpu.open(index);
    Packet hello;
    put_survey(hello, gpu.survey());
    if (send(socket, hello) && index >= 0 && gpu.survey().usable()) Server(gpu, socket, area).serve();
  } catch (...) {
    _exit(3);
  }
  _exit(0);
}

}  // namespace

Worker start_worker(int index) {
  Worker worker;
  std::array<int, 2> pair{};
  void* area = mmap(nullptr, kAreaBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw DeviceError("There is no room for another process to hold the GPU's driver.");
  std::fflush(nullptr);  // or the worker would print it again
  const bool main_thread = getpid() == gettid();
  worker.process = fork();
  if (worker.process == 0) {
    close(pair[0]);
    live(pair[1], static_cast<std::byte*>(area), index, main_thread);
  }
  close(pair[1]);
  worker.socket = pair[0];
  worker.area = static_cast<std::byte*>(area);
  if (worker.process < 0) {
    stop_worker(worker);
    throw DeviceError("There is no room for another process to hold the GPU's driver.");
  }
  return worker;
}

Message stop_worker(Worker& worker) {
  Message how = "ended";
  if (worker.socket >= 0) close(worker.socket);
  if (worker.process > 0) {
    int status = 0;
    pid_t done = waitpid(worker.process, &status, WNOHANG);
    if (done == 0) {
      kill(worker.process, SIGKILL);
      while ((done = waitpid(worker.process, &status, 0)) < 0 && errno == EINTR) {
      }
    }
    if (done > 0 && WIFSIGNALED(status)) how = msg("was ended by signal {}", WTERMSIG(status));
    if (done > 0 && WIFEXITED(status)) how = msg("ended with exit code {}", WEXITSTATUS(status));
  }
  if (worker.area != nullptr) munmap(worker.area, kAreaBytes);
  worker = {};
  return how;
}

void put_survey(Packet& packet, const GpuSurvey& survey) {
  packet.put_text(survey.driver).put(survey.cuda_version).put(survey.together);
  packet.put_message(survey.problem).put_message(survey.advice).put_text(survey.error);
  packet.put(static_cast<std::uint64_t>(survey.gpus.size()));
  for (const GpuInfo& gpu : survey.gpus) {
    packet.put(gpu.index).put_text(gpu.name).put(gpu.major).put(gpu.minor);
    packet.put(gpu.memory_bytes).put(gpu.l2_bytes).put(gpu.multiprocessors);
  }
}

GpuSurvey get_survey(Packet& packet) {
  GpuSurvey survey;
  survey.driver = packet.get_text();
  survey.cuda_version = packet.get<int>();
  survey.together = packet.get<int>();
  survey.problem = packet.get_message();
  survey.advice = packet.get_message();
  survey.error = packet.get_text();
  for (auto left = packet.get<std::uint64_t>(); left > 0; --left) {
    GpuInfo& gpu = survey.gpus.emplace_back();
    gpu.index = packet.get<int>();
    gpu.name = packet.get_text();
    gpu.major = packet.get<int>(), gpu.minor = packet.get<int>();
    gpu.memory_bytes = packet.get<std::uint64_t>(), gpu.l2_bytes = packet.get<std::uint64_t>();
    gpu.multiprocessors = packet.get<int>();
  }
  return survey;
}

GpuSurvey read_hello(Worker& worker, std::chrono::milliseconds limit) {
  Packet hello;
  const Received got = receive(worker.socket, hello, limit);
  if (got == Received::Whole) return get_survey(hello);
  GpuSurvey survey;
  if (got == Received::TooLate) {
    survey.problem = msg("The driver did not answer within {} s.", limit.count() / 1000);
  } else {
    survey.problem = msg("The driver broke down while it started: its process {}.", stop_worker(worker));
  }
  survey.advice = "Run nvidia-smi; it should list the GPU.";
  return survey;
}

}  // namespace lab::device

// Further schedules of a launch. See schedules.h.
#include "common/run/cudart/schedules.h"
#include "common/run/cudart/request.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lab::cudart {
namespace {

constexpr std::uint64_t kFirstSeed = 0x5eed;
constexpr int kMostSeconds = 30;  // of one launch's schedules together, of CPU time
// A child of a program with threads may wait for ever for a lock that one of them held (those of an allocator that knows no fork, as
// AddressSanitizer's). It is ended when it has said nothing for so long.
constexpr int kSilentSeconds = 5, kSilentSecondsAsked = 10 * kMostSeconds;
// Where none was asked for, counted in launches and instructions, since findings do not depend on the machine.
constexpr int kUnasked = 2, kUnaskedLaunches = 32;
constexpr std::uint64_t kUnaskedInstructions = 100'000;  // of warps; some 10 ms

// Numbers and texts through a pipe, in the order of `transfer`.
class Writer {
 public:
  explicit Writer(int file) : file_(file) {}
  template <class T>
  void number(T& value) {
    put(&value, sizeof value);
  }
  [[nodiscard]] static bool more() { return true; }
  void text(std::string& value) {
    std::uint64_t size = value.size();
    number(size);
    put(value.data(), value.size());
  }

 private:
  void put(const void* data, std::size_t size) const {
    const auto* at = static_cast<const char*>(data);
    while (size != 0) {
      const ssize_t done = ::write(file_, at, size);
      if (done <= 0) return;
      at += done;
      size -= static_cast<std::size_t>(done);
    }
  }
  int file_;
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  template <class T>
  void number(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.copy(reinterpret_cast<char*>(&value), sizeof value, std::min(at_, bytes_.size())) !=
        sizeof value)
      at_ = bytes_.size();
    at_ += sizeof value;
  }
  void text(std::string& value) {
    std::uint64_t size = 0;
    number(size);
    if (at_ >= bytes_.size()) return;
    value = bytes_.substr(at_, size);
    at_ += size;
  }
  [[nodiscard]] bool more() const { return at_ < bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

template <class Way>
void transfer(Way& way, Message& message);

// The alternative of that number, with the value that stands there or comes next.
template <class Way, std::size_t K = 0>
void transfer(Way& way, text::Argument& argument, std::size_t kind) {
  if constexpr (K < std::variant_size_v<text::Argument>) {
    if (K != kind) return transfer<Way, K + 1>(way, argument, kind);
    if (argument.index() != K) argument.emplace<K>();
    auto& value = std::get<K>(argument);
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, Message>) {
      transfer(way, value);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      way.text(value);
    } else if constexpr (std::is_same_v<Value, text::Place>) {
      way.text(value.variable);
      way.number(value.variable_offset_bytes);
      way.number(value.bytes);
      way.number(value.last_bytes);
    } else {
      way.number(value);
    }
  }
}

template <class Way>
void transfer(Way& way, Message& message) {
  std::string form = message.form();
  std::vector<text::Argument> arguments = message.arguments();
  std::uint64_t count = arguments.size();
  way.text(form);
  way.number(count);
  if (!way.more()) count = 0;
  arguments.resize(count);
  for (text::Argument& argument : arguments) {
    std::uint64_t kind = argument.index();
    way.number(kind);
    transfer(way, argument, kind);
  }
  message = Message(form, std::move(arguments));
}

template <class Way>
void transfer(Way& way, sim::Fault& fault) {
  way.number(fault.kind);
  for (Message* words : {&fault.message, &fault.went_into, &fault.decides, &fault.advice, &fault.after})
    transfer(way, *words);
  way.text(fault.file);
  way.number(fault.line);
  way.text(fault.other_file);
  way.number(fault.other_line);
  way.number(fault.block);
  way.number(fault.thread);
  way.number(fault.address);
  way.number(fault.block_index);
  way.number(fault.array_offset_bytes);
  way.number(fault.array_bytes);
  way.number(fault.access_bytes);
  way.number(fault.about);
  way.number(fault.illegal_instruction);
  way.text(fault.assertion);
  way.number(fault.fix.act);
  way.text(fault.fix.file);
  way.number(fault.fix.after);
  way.number(fault.fix.before);
  way.number(fault.fix.in_loop);
  way.text(fault.fix.variable);
  way.number(fault.fix.bytes);
  way.text(fault.fix.element);
  way.number(fault.fix.whole_block);
  way.number(fault.count);
}

[[noreturn]] void run_one(const sim::LaunchOptions& options, const LaunchOnce& launch, int to, int seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto most = static_cast<rlim_t>(seconds);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_CPU, &limit);
  sim::LaunchResult result = launch(options);
  Writer writer(to);
  for (std::vector<sim::Fault>* list : {&result.faults, &result.findings})
    for (sim::Fault& fault : *list) transfer(writer, fault);
  ::_exit(0);
}

// Null where it kept silent for too long.
std::optional<std::string> all_of(int file, int seconds) {
  std::string bytes;
  char buffer[4096];
  for (;;) {
    pollfd ready{file, POLLIN, 0};
    if (::poll(&ready, 1, seconds * 1000) == 0) return std::nullopt;
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

// At one line; or a race of two lines that another order reported the other way round.
bool same_place(const sim::Fault& one, const sim::Fault& other) {
  if (one.kind != other.kind) return false;
  const bool turned = one.other_line != 0 && one.line == other.other_line && one.file == other.other_file &&
                      other.line == one.other_line && other.file == one.other_file;
  return turned || (one.line == other.line && one.file == other.file);
}

}  // namespace

bool wants_schedules() { return request().schedules > 0; }

Elsewhere other_schedules(const sim::LaunchOptions& options, bool turns_decide, const LaunchOnce& launch) {
  static int unasked_launches = 0;  // the library's lock is held
  Elsewhere seen;
  const bool asked = request().schedules >= 0;
  if (!asked && (!turns_decide || !options.check_races || ++unasked_launches > kUnaskedLaunches)) return seen;
  const auto count = static_cast<std::uint64_t>(asked ? request().schedules : kUnasked);
  int seconds_left = kMostSeconds;
  for (std::uint64_t k = 1; k <= count; ++k) {
    sim::LaunchOptions drawn = options;
    if (!asked) drawn.budget_instructions = drawn.block_budget_instructions = kUnaskedInstructions;
    drawn.schedule = kFirstSeed + k;
    drawn.host_threads = 1;
    drawn.count = false;
    int ends[2];
    if (::pipe(ends) != 0) return seen;
    forks_for_schedules() = true;
    const pid_t child = ::fork();
    forks_for_schedules() = false;
    if (child == 0) run_one(drawn, launch, ends[1], seconds_left);
    ::close(ends[1]);
    const std::optional<std::string> said = all_of(ends[0], asked ? kSilentSecondsAsked : kSilentSeconds);
    ::close(ends[0]);
    if (!said && child > 0) ::kill(child, SIGKILL);
    rusage spent{};
    if (child > 0) ::wait4(child, nullptr, 0, &spent);
    if (!said) unasked_launches = kUnaskedLaunches;  // the next would wait as long
    Reader reader(said.value_or(""));
    bool too_long = !said;
    while (reader.more()) {
      sim::Fault fault;
      transfer(reader, fault);
      if (!asked && fault.kind == sim::FaultKind::BudgetExceeded) {
        too_long = true;
        continue;
      }
      fault.advice.then(msg("Seen in schedule {} of {}.", k, count));
      seen.findings.push_back(std::move(fault));
    }
    if (too_long) return seen;
    seconds_left -= static_cast<int>(spent.ru_utime.tv_sec + spent.ru_stime.tv_sec);
    if (seconds_left > 0 || k == count) continue;
    sim::Fault& note = seen.notes.emplace_back();
    note.kind = sim::FaultKind::BudgetExceeded;
    note.message =
        msg("{} of {} schedules were tried, the last perhaps not to its end: together they took {} "
            "seconds. Run a smaller case to see more of them",
            k, count, kMostSeconds);
    break;
  }
  return seen;
}

bool& forks_for_schedules() {
  static thread_local bool forks = false;
  return forks;
}

void add_unseen(sim::LaunchResult& result, Elsewhere elsewhere) {
  std::move(elsewhere.notes.begin(), elsewhere.notes.end(), std::back_inserter(result.notes));
  for (sim::Fault& fault : elsewhere.findings) {
    const auto same = [&](const sim::Fault& other) { return same_place(fault, other); };
    const bool known = std::any_of(result.faults.begin(), result.faults.end(), same) ||
                       std::any_of(result.findings.begin(), result.findings.end(), same);
    if (!known) result.findings.push_back(std::move(fault));
  }
}

}  // namespace lab::cudart

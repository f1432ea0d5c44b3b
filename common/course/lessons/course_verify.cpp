// Runs all items of the course in worker processes and gathers what they say.
#include "common/course/lessons/course_verify.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <new>
#include <thread>

#include "common/base/json.h"
#include "common/base/project.h"
#include "common/base/text/message_json.h"
#include "common/base/threads.h"
#include "common/course/judge/checks.h"
#include "common/course/lessons/lesson_numbers.h"

namespace lab::course {
namespace {

using base::Json;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string packed(std::size_t index, const CourseOutcome& o) {
  return Json{{"index", index},
              {"kept", o.kept},
              {"wrong", text::json(o.wrong)},
              {"passed", o.passed},
              {"case", o.case_name},
              {"case_id", o.case_id},
              {"code", o.code},
              {"message", text::json(o.message)},
              {"line", o.line},
              {"counters", o.counters},
              {"seconds", o.seconds},
              {"points", o.points}}
             .dump() +
         "\n";
}

void unpack(const std::string& line, std::vector<CourseOutcome>& outcomes) {
  const Json j = Json::parse(line);
  CourseOutcome& o = outcomes.at(j.at("index").get<std::size_t>());
  o.kept = j.at("kept");
  o.wrong = text::message_from(j.at("wrong"));
  o.passed = j.at("passed");
  o.case_name = j.at("case");
  o.case_id = j.at("case_id");
  o.code = j.at("code");
  o.message = text::message_from(j.at("message"));
  o.line = j.at("line");
  for (std::size_t i = 0; i < o.counters.size(); ++i) o.counters[i] = j.at("counters").at(i);
  o.seconds = j.at("seconds");
  o.points = j.at("points");
}

// A number that processes share: the next item to take.
class SharedCounter {
 public:
  SharedCounter() {
    void* page = mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    number_ = new (page) Number(0);
  }
  ~SharedCounter() { munmap(number_, sizeof(Number)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  std::size_t next() { return (*number_)++; }
  [[nodiscard]] std::size_t taken() const { return *number_; }

 private:
  using Number = std::atomic<std::size_t>;
  static_assert(Number::is_always_lock_free);
  Number* number_;
};

// Neighbouring items of one kernel file by one compiler.
struct Group {
  std::size_t first = 0, count = 0;
};

std::vector<Group> groups_of(const std::vector<CourseItem>& items) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool goes_on =
        i > 0 && items[i].file == items[i - 1].file && items[i].compiler == items[i - 1].compiler;
    if (!goes_on) groups.push_back({i, 0});
    ++groups.back().count;
  }
  return groups;
}

struct Worker {
  pid_t process = -1;
  std::FILE* answers = nullptr;
};

Worker start_worker(const CourseReport& report, const std::vector<compile::CompileResult>& compiled,
                    const judge::Inputs& inputs, SharedCounter& counter) {
  Worker worker;
  worker.answers = std::tmpfile();
  if (worker.answers == nullptr) throw std::runtime_error("No temporary file can be made; is the disk full?");
  std::fflush(nullptr);
  worker.process = fork();
  if (worker.process < 0) throw std::runtime_error("No process can be started.");
  if (worker.process > 0) return worker;
  const std::vector<Group> groups = groups_of(report.items);
  for (std::size_t g = counter.next(); g < groups.size(); g = counter.next()) {
    const auto [first, count] = groups[g];
    const auto outcomes = judge_items(std::span(report.items).subspan(first, count), compiled[first], inputs);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string line = packed(first + i, outcomes[i]);
      std::fwrite(line.data(), 1, line.size(), worker.answers);
    }
    std::fflush(worker.answers);
  }
  _exit(0);
}

void gather(const Worker& worker, std::vector<CourseOutcome>& outcomes) {
  int status = 0;
  waitpid(worker.process, &status, 0);
  std::rewind(worker.answers);
  std::string line;
  for (int c = std::fgetc(worker.answers); c != EOF; c = std::fgetc(worker.answers)) {
    if (c != '\n') {
      line.push_back(static_cast<char>(c));
      continue;
    }
    unpack(line, outcomes);
    line.clear();
  }
  std::fclose(worker.answers);
}

void check_lessons(CourseReport& report) {
  const LessonReport lessons = verify_lessons(base::project_root(), all_lessons(base::project_root()));
  report.lesson_numbers = lessons.checked;
  for (const LessonFinding& f : lessons.findings)
    report.lesson_findings.push_back(msg("{}:{}: {}", f.file, f.line, f.message));
  if (lessons.checked == 0) report.lesson_findings.push_back("No number of any lesson was counted again.");
}

// Until the last worker has ended; they stay unreaped.
void print_progress(const std::vector<Worker>& workers, const SharedCounter& counter, std::size_t all,
                    const CourseOptions& options) {
  const auto runs = [](const Worker& worker) {
    siginfo_t ended{};
    return waitid(P_PID, static_cast<id_t>(worker.process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
  };
  while (std::any_of(workers.begin(), workers.end(), runs)) {
    options.progress(std::min(counter.taken(), all), all);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void judge_all(CourseReport& report, const std::vector<compile::CompileResult>& compiled,
               const CourseOptions& options, unsigned jobs) {
  CourseOutcome lost;
  lost.wrong =
      "The process that judged it ended before it answered: a defect of the checks or of the simulator.";
  report.outcomes.assign(report.items.size(), lost);
  SharedCounter counter;
  std::vector<Worker> workers;
  // Findings of kept files answer the public tables; data, shapes and worlds are the key's.
  const judge::Inputs inputs{options.key, {}, {}, std::string(judge::kPracticeKey)};
  for (unsigned j = 0; j < jobs; ++j) workers.push_back(start_worker(report, compiled, inputs, counter));
  try {
    if (options.lessons) check_lessons(report);  // meanwhile
  } catch (const std::exception& error) {
    report.lesson_findings.push_back(text::message_of(error));
  }
  if (options.progress) print_progress(workers, counter, groups_of(report.items).size(), options);
  for (const Worker& worker : workers) gather(worker, report.outcomes);
}

Message counted(const CourseReport& report, std::size_t index) {
  std::string numbers;
  for (const std::uint64_t number : report.outcomes[index].counters) numbers += " " + std::to_string(number);
  return msg("{} counts{}", name(report.items[index].compiler), numbers);
}

// Solutions must count the same, with every compiler.
void compare_compilers(CourseReport& report) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    const CourseItem& item = report.items[i];
    if (item.task != CourseTask::Solution || !report.outcomes[i].kept) continue;
    const auto [at, is_new] = first.emplace(item.chapter, i);
    if (is_new || report.outcomes[at->second].counters == report.outcomes[i].counters) continue;
    report.differences.push_back(
        msg("{}: {}; {}", item.chapter, counted(report, at->second), counted(report, i)));
  }
}

// Lines of code: comments, blank lines and the spaces around them are left out.
std::vector<std::string> code_lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(in, line)) {
    line.erase(std::min(line.find("//"), line.size()));
    line.erase(line.find_last_not_of(" \t") + 1);
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Lines that only one of both has, by the longest common subsequence.
CourseReport::Step step_between(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<int> above(b.size() + 1), row(b.size() + 1);
  for (const std::string& line : a) {
    for (std::size_t j = 0; j < b.size(); ++j)
      row[j + 1] = line == b[j] ? above[j] + 1 : std::max(above[j + 1], row[j]);
    std::swap(above, row);
  }
  CourseReport::Step step;
  step.removed = static_cast<int>(a.size()) - above.back();
  step.added = static_cast<int>(b.size()) - above.back();
  return step;
}

std::vector<CourseReport::Step> steps_of(const std::filesystem::path& root) {
  std::vector<CourseReport::Step> steps;
  const auto chapters = judge::all_chapters();
  for (std::size_t i = 1; i < chapters.size(); ++i) {
    const auto lines = [&](const judge::ChapterInfo* c) {
      return code_lines(root / "solutions" / c->name / "transpose.cu");
    };
    CourseReport::Step step = step_between(lines(chapters[i - 1]), lines(chapters[i]));
    step.from = chapters[i - 1]->name;
    step.to = chapters[i]->name;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<compile::CompilerKind> kinds_here() {
  std::vector<compile::CompilerKind> kinds;
  for (const compile::KernelCompiler& compiler : compile::kernel_compilers()) {
    if (std::find(kinds.begin(), kinds.end(), compiler.kind) == kinds.end()) kinds.push_back(compiler.kind);
  }
  if (kinds.empty()) kinds.push_back(compile::find_kernel_compiler().kind);  // throws, and says what to do
  return kinds;
}

}  // namespace

bool CourseReport::kept() const {
  return !outcomes.empty() && differences.empty() && lesson_findings.empty() &&
         std::all_of(outcomes.begin(), outcomes.end(), [](const CourseOutcome& o) { return o.kept; });
}

CourseReport verify_course(const CourseOptions& options) {
  const unsigned jobs = options.jobs ? options.jobs : base::usable_cores();
  const auto kinds = options.compilers.empty() ? kinds_here() : options.compilers;
  CourseReport report;
  for (const compile::CompilerKind kind : kinds) {
    report.compilers.push_back(std::string(name(kind)) + " " + compile::find_kernel_compiler(kind).version);
  }
  report.items = course_items(base::project_root(), kinds);
  if (options.only) std::erase_if(report.items, [&](const CourseItem& item) { return !options.only(item); });
  std::vector<compile::CompileRequest> requests(report.items.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].file = report.items[i].file;
    requests[i].compiler = report.items[i].compiler;
    requests[i].kernel_rules = report.items[i].task == CourseTask::Cheat;  // some break them
  }
  auto start = Clock::now();
  const std::vector<compile::CompileResult> compiled = compile::compile_all(requests, jobs);
  report.compile_seconds = since(start);
  start = Clock::now();
  judge_all(report, compiled, options, jobs);
  report.judge_seconds = since(start);
  compare_compilers(report);
  report.steps = steps_of(base::project_root());
  return report;
}

}  // namespace lab::course

// Compiles and judges one kernel. See judge.h.
#include "common/class/grade/judge.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/base/text/message_json.h"
#include "common/base/words.h"
#include "common/compile/wall_limit.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/examine.h"
#include "common/course/judge/subject.h"

namespace lab::grade {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes kMostWait{5};  // for a compiler; its processor time decides long before

// Names of this machine's folders, as compilers and messages print them.
class Paths {
 public:
  Paths(const fs::path& source, const compile::KernelCompiler& compiler)
      : source_(fs::weakly_canonical(source)), toolkit_(compiler.toolkit) {
    if (toolkit_.empty()) toolkit_ = fs::weakly_canonical(compiler.path).parent_path().parent_path();
  }
  [[nodiscard]] std::string without(std::string text) const {
    // The file's name is one by its content: found nowhere by chance.
    for (const std::string& name : {source_.string(), base::shown_path(source_), source_.filename().string()})
      text = base::replaced_all(std::move(text), name, kKernelName);
    if (toolkit_.string().size() > 1) text = base::replaced_all(std::move(text), toolkit_.string() + "/", "");
    return text;
  }

 private:
  fs::path source_, toolkit_;
};

// Texts go into JSON, and into bytes that must be the same everywhere.
std::string valid_utf8(const std::string& text) {
  return report::Json::parse(report::dump(report::Json(text))).get<std::string>();
}

Message without(const Paths& paths, Message message) {
  message.for_each_name([&](std::string& words) { words = valid_utf8(paths.without(std::move(words))); });
  return message;
}

void clean(judge::Evaluation& evaluation, const Paths& paths) {
  for (judge::CaseResult& c : evaluation.cases) {
    for (judge::Reason& reason : c.reasons) {
      reason.message = without(paths, std::move(reason.message));
      reason.file = valid_utf8(paths.without(std::move(reason.file)));
    }
  }
}

report::Json reason_json(const judge::Reason& reason) {
  report::Json figures = report::Json::array();
  for (const judge::Figure& f : reason.figures)
    figures.push_back({{"name", f.name.english()}, {"value", f.value}, {"goal", f.goal}});
  const std::string_view op = reason.path ? sim::info(*reason.path).key : "";
  return {{"code", reason.code},
          {"message", reason.message.english()},
          {"said", text::json(reason.message)},
          {"file", reason.file},
          {"line", reason.line},
          {"op", op},
          {"figures", figures}};
}

judge::Reason reason_from(const report::Json& json) {
  judge::Reason reason;
  reason.code = json.at("code");
  reason.message = text::message_from(json.value("said", nullptr), json.at("message"));
  reason.file = json.at("file");
  reason.line = json.at("line");
  reason.path = sim::path_with_key(json.at("op").get<std::string>());
  for (const auto& f : json.at("figures"))
    reason.figures.push_back({Message(f.at("name").get<std::string>(), {}), f.at("value"), f.at("goal")});
  return reason;
}

judge::CaseResult case_from(const report::Json& json) {
  judge::CaseResult c;
  c.id = json.at("id");
  c.name = json.at("name");
  for (const auto kind : {judge::CaseKind::Holds, judge::CaseKind::Goal, judge::CaseKind::Prediction})
    if (json.at("kind").get<std::string>() == name(kind)) c.kind = kind;
  c.points = static_cast<decltype(c.points)>(json.at("points").get<double>());
  c.earns = json.value("earns", c.kind == judge::CaseKind::Goal);
  c.passed = json.at("passed");
  c.reached = json.at("reached");
  c.shapes = json.value("shapes", c.shapes);  // records have none
  for (const auto& reason : json.at("reasons")) c.reasons.push_back(reason_from(reason));
  if (const report::Json* finding = json.find("finding")) c.finding = finding_from(*finding);
  return c;
}

// bubblewrap ends before the process that it walled in, whose time would count nowhere: this process adopts
// it, and waits for it. It has no other children: each kernel is judged in a process of its own.
void wait_for_adopted() {
  constexpr auto kPause = std::chrono::milliseconds(1);
  for (int tries = 0; tries < 100; ++tries) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return;
    if (ended == 0) std::this_thread::sleep_for(kPause);
  }
}

// Does the kernel compile to what the skeleton compiles to? Debug rows do not count.
bool is_untouched(const judge::ChapterInfo& chapter, const std::string& ptx, const JudgeOptions& options) {
  std::error_code error;
  compile::CompileRequest request;
  request.file = judge::skeleton_kernel(chapter);
  if (!fs::exists(request.file, error)) return false;
  request.compiler = options.compiler;
  request.sandbox = options.sandbox;
  request.shown_name = kKernelName;
  try {
    const compile::CompileResult compiled = compile::compile(request);
    wait_for_adopted();
    return compiled.ok && judge::without_debug_rows(compiled.ptx()) == judge::without_debug_rows(ptx);
  } catch (const base::LabError&) {
    return false;  // it says nothing about the kernel
  }
}

// Processor time of this process and of those that it waited for.
double processor_seconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      sum += double(t.tv_sec) + double(t.tv_usec) * 1e-6;
  }
  return sum;
}

Judgement judge_compiled(const judge::ChapterInfo& chapter, compile::CompileResult compiled,
                         const Paths& paths, const JudgeOptions& options, const judge::Rebuild& rebuild,
                         JudgeCost& cost) {
  compiled.output = paths.without(std::move(compiled.output));
  const std::string key = base::sha256(fmt::format("ptx2 {} {} {} {}", chapter.name, options.store_key,
                                                   base::sha256(options.key), base::sha256(compiled.output)));
  if (auto known = load_judgement(options.store, key, chapter.name)) return *known;
  const std::string ptx = compiled.output;
  const judge::Examination e =
      judge::examine_compiled(chapter, kKernelName, std::move(compiled), 1, {options.key, {}}, rebuild);
  cost.work = e.work.units;
  Judgement judgement{judge::state_of(e), e.evaluation};
  if (e.compiled && !e.load && asks_for_seat(chapter)) judgement.seat = judge::Subject(ptx, 1).seat();
  const double before = processor_seconds();
  judgement.untouched = e.compiled && !e.passed() && is_untouched(chapter, ptx, options);
  cost.compile_seconds += processor_seconds() - before;  // of the skeleton
  clean(judgement.evaluation, paths);
  if (e.compiled) save_judgement(options.store, key, judgement);
  return judgement;
}

}  // namespace

bool asks_for_seat(const judge::ChapterInfo& chapter) {
  return base::read_file(judge::skeleton_kernel(chapter)).value_or("").find("\nSEAT =") != std::string::npos;
}

Judgement not_judged(const judge::ChapterInfo& chapter, const std::string& state, const std::string& code,
                     const Message& message) {
  judge::Reason reason;
  reason.code = code;
  reason.message = message;
  reason.message.for_each_name([](std::string& words) { words = valid_utf8(words); });
  return {state, judge::not_evaluated(chapter, reason)};
}

Judgement judge(const judge::ChapterInfo& chapter, const fs::path& source, const JudgeOptions& options,
                JudgeCost* measured) {
  JudgeCost unasked;
  JudgeCost& cost = measured != nullptr ? *measured : unasked;
  const Paths paths(source, compile::find_kernel_compiler(options.compiler));
  compile::CompileRequest request;
  request.file = source;
  request.compiler = options.compiler;
  request.kernel_rules = true;
  request.sandbox = options.sandbox;
  request.shown_name = kKernelName;
  request.limits.wall_time = kMostWait;
  try {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const double start = processor_seconds();
    compile::CompileResult compiled = compile::compile(request);
    wait_for_adopted();
    cost.compile_seconds = processor_seconds() - start;
    const judge::Rebuild rebuild = [&]() -> std::optional<std::string> {
      std::optional<std::string> ptx = judge::with_builtin_compiler(request)();
      wait_for_adopted();
      if (ptx) ptx = paths.without(*std::move(ptx));
      return ptx;
    };
    Judgement judgement = judge_compiled(chapter, std::move(compiled), paths, options, rebuild, cost);
    cost.simulate_seconds = processor_seconds() - start - cost.compile_seconds;
    return judgement;
  } catch (const base::UsageError& error) {
    return not_judged(chapter, "refused", "not-a-kernel", without(paths, error.message()));
  } catch (const compile::WallLimit& error) {  // the clock decides nothing
    return not_judged(chapter, "stopped", "judge-timeout", without(paths, error.message()));
  } catch (const base::LimitError& error) {
    return not_judged(chapter, "limit", "compiler-limit", without(paths, error.message()));
  }
}

report::Json to_json(const Judgement& judgement) {
  report::Json cases = report::Json::array();
  for (const judge::CaseResult& c : judgement.evaluation.cases) {
    report::Json reasons = report::Json::array();
    for (const judge::Reason& reason : c.reasons) reasons.push_back(reason_json(reason));
    report::Json item = {{"id", c.id},           {"name", c.name},     {"kind", name(c.kind)},
                         {"points", c.points},   {"earns", c.earns},   {"passed", c.passed},
                         {"reached", c.reached}, {"shapes", c.shapes}, {"reasons", reasons}};
    if (c.finding) item["finding"] = judge::to_json(*c.finding);
    cases.push_back(item);
  }
  report::Json json = {{"state", judgement.state}, {"untouched", judgement.untouched}, {"cases", cases}};
  if (judgement.seat) json["seat"] = *judgement.seat;
  return json;
}

judge::SaidFinding finding_from(const report::Json& json) {
  return {json.at("seat").get<int>(), json.at("line").get<int>(), json.at("cause").get<int>(),
          json.at("worth").get<int>(), json.at("right").get<bool>()};
}

std::optional<Judgement> judgement_from(const std::string& text, const std::string& chapter) {
  try {
    const report::Json json = report::Json::parse(text);
    Judgement judgement;
    judgement.state = json.at("state");
    judgement.untouched = json.value("untouched", false);
    if (json.contains("seat")) judgement.seat = json.at("seat").get<int>();
    judgement.evaluation.chapter = chapter;
    for (const auto& c : json.at("cases")) judgement.evaluation.cases.push_back(case_from(c));
    if (judgement.evaluation.cases.empty()) return std::nullopt;
    return judgement;
  } catch (const report::Json::exception&) {
    return std::nullopt;
  }
}

std::optional<Judgement> load_judgement(const fs::path& store, const std::string& key,
                                        const std::string& chapter) {
  if (store.empty()) return std::nullopt;
  const auto bytes = base::read_file(store / key.substr(0, 2) / key);
  const std::size_t line_end = bytes ? bytes->find('\n') : std::string::npos;
  if (line_end == std::string::npos) return std::nullopt;
  const std::string body = bytes->substr(line_end + 1);
  if (bytes->substr(0, line_end) != base::sha256(key + body)) return std::nullopt;
  return judgement_from(body, chapter);
}

bool is_damaged(const fs::path& store, const std::string& key, const std::string& chapter) {
  return !store.empty() && base::read_file(store / key.substr(0, 2) / key) &&
         !load_judgement(store, key, chapter);
}

void save_judgement(const fs::path& store, const std::string& key, const Judgement& judgement) {
  if (store.empty()) return;
  const std::string body = report::dump(to_json(judgement));
  base::write_file_atomically(store / key.substr(0, 2) / key, base::sha256(key + body) + "\n" + body);
}

}  // namespace lab::grade

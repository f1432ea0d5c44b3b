// Requests of a debugger's client, answered from a recording. See dap_session.h.
#include "common/course/commands/dap_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/text/text.h"
#include "common/base/words.h"
#include "common/course/report/step_words.h"

namespace lab::cli {
namespace {

using base::UsageError;
using explore::WarpStep;
using text::tr;

constexpr std::size_t kMostValues = 1 << 16;  // of a message: a breakpoint is a few

// The same file, however it is spelled.
bool same_file(const std::string& name, const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::equivalent(name, file, error) && !error;
}

}  // namespace

const std::vector<DapSession::Operation>& DapSession::operations() {
  using S = State;
  static const std::vector<Operation> all = {
      {"initialize", S::Fresh, S::Fresh, &DapSession::initialize},
      {"launch", S::Initialized, S::Initialized, &DapSession::launch},
      {"setBreakpoints", S::Recorded, S::Stopped, &DapSession::set_breakpoints},
      {"setExceptionBreakpoints", S::Recorded, S::Stopped, &DapSession::set_exception_breakpoints},
      {"configurationDone", S::Recorded, S::Recorded, &DapSession::configuration_done},
      {"threads", S::Recorded, S::Stopped, &DapSession::threads},
      {"stackTrace", S::Stopped, S::Stopped, &DapSession::stack_trace},
      {"scopes", S::Stopped, S::Stopped, &DapSession::scopes},
      {"variables", S::Stopped, S::Stopped, &DapSession::variables},
      {"evaluate", S::Stopped, S::Stopped, &DapSession::evaluate},
      {"exceptionInfo", S::Stopped, S::Stopped, &DapSession::exception_info},
      {"continue", S::Stopped, S::Stopped, &DapSession::go_on},
      {"reverseContinue", S::Stopped, S::Stopped, &DapSession::go_back},
      {"next", S::Stopped, S::Stopped, &DapSession::next},
      {"stepIn", S::Stopped, S::Stopped, &DapSession::step_in},
      {"stepOut", S::Stopped, S::Stopped, &DapSession::step_out},
      {"stepBack", S::Stopped, S::Stopped, &DapSession::step_back},
      {"pause", S::Stopped, S::Stopped, &DapSession::pause},
      {"disconnect", S::Fresh, S::Ended, &DapSession::disconnect},
      {"terminate", S::Fresh, S::Ended, &DapSession::terminate},
  };
  return all;
}

std::vector<Json> DapSession::answer(std::string_view text) {
  events_.clear();
  Json response = {{"type", "response"}, {"request_seq", 0}, {"success", false}, {"command", ""}};
  try {
    const Json asked = Json::parse(text, kMostValues);
    if (const Json* seq = asked.find("seq"); seq != nullptr && seq->is_number_integer())
      response["request_seq"] = *seq;
    if (const Json* command = asked.find("command"); command != nullptr && command->is_string())
      response["command"] = *command;
    const Json body = answered(asked);
    response["success"] = true;
    if (!body.is_null()) response["body"] = body;
  } catch (const Json::exception& error) {
    response["message"] = tr("This request cannot be read: {}.", error.what());
  } catch (const std::exception& error) {
    response["message"] = text::translated(error);
  }
  if (const Json* said = response.find("message"); said != nullptr) {
    events_.clear();
    const Json shown = *said;
    response["body"] = {
        {"error", {{"id", 1}, {"format", "{said}"}, {"variables", {{"said", shown}}}, {"showUser", true}}}};
  }
  std::vector<Json> all{std::move(response)};
  all.insert(all.end(), events_.begin(), events_.end());
  return all;
}

Json DapSession::answered(const Json& asked) {
  const Json* type = asked.find("type");
  const Json* command = asked.find("command");
  if (type == nullptr || *type != Json("request") || command == nullptr || !command->is_string())
    throw UsageError("A message is an object of the Debug Adapter Protocol whose `type` is `request`.");
  const auto is_it = [&](const Operation& o) { return Json(o.name) == *command; };
  const auto at = std::find_if(operations().begin(), operations().end(), is_it);
  if (at == operations().end()) {
    std::vector<std::string_view> names;
    for (const Operation& o : operations()) names.push_back(o.name);
    throw UsageError(msg("There is no request `{}` here; there are: {}.", command->get<std::string>(),
                         base::joined(names)));
  }
  if (state_ < at->from)
    throw UsageError(msg("`{}` comes too early: initialize, launch and configurationDone go before.",
                         std::string(at->name)));
  if (state_ > at->to)
    throw UsageError(
        msg("`{}` comes too late: the session is past it, or has ended.", std::string(at->name)));
  const Json none = Json::object();
  const Json* arguments = asked.find("arguments");
  return (this->*at->answer)(DapRequest{arguments == nullptr ? none : *arguments});
}

void DapSession::event(std::string_view name, const Json& body) {
  Json one = {{"type", "event"}, {"event", name}};
  if (!body.is_null()) one["body"] = body;
  events_.push_back(std::move(one));
}

Json DapSession::initialize(const DapRequest& request) {
  first_line_ = request.flag("linesStartAt1", true) ? 1 : 0;
  state_ = State::Initialized;
  const auto filter = [](const char* name, const std::string& label) {
    return Json{{"filter", name}, {"label", label}, {"default", true}};
  };
  return {{"supportsConfigurationDoneRequest", true},
          {"supportsStepBack", true},
          {"supportsEvaluateForHovers", true},
          {"supportsExceptionInfoRequest", true},
          {"supportsTerminateRequest", true},
          {"exceptionBreakpointFilters",
           Json::array({filter("fault", tr("Fault or race")), filter("wrong", tr("Wrong store"))})}};
}

Json DapSession::launch(const DapRequest& request) {
  choice_ = request.choice();
  stops_on_entry_ = request.flag("stopOnEntry", true);
  record();
  state_ = State::Recorded;
  event("initialized", nullptr);
  for (const Message& note : report::step_notes(*run_))
    event("output", {{"category", "console"}, {"output", translated(note) + "\n"}});
  return nullptr;
}

void DapSession::record() {
  auto run = std::make_unique<explore::StepRun>(explore::step_run(choice_, compiler_));
  std::vector<std::size_t> statements;
  for (std::size_t k = 0; k < run->data.steps.size(); ++k)
    if (run->data.steps[k].what == WarpStep::What::Statement) statements.push_back(k);
  if (statements.empty()) throw UsageError(msg("{}: no statement of this block runs.", run->kernel));
  statements_ = std::move(statements);
  run_ = std::move(run);
  view_.emplace(*run_, statements_.front());
}

// Each on the line itself, or on the next one that has a statement.
Json DapSession::set_breakpoints(const DapRequest& request) {
  const Json* source = request.find("source");
  const bool ours = source != nullptr && same_file(DapRequest{*source}.text("path"), run_->file);
  if (ours) breakpoints_.clear();
  Json list = Json::array();
  for (const Json& wanted : request.list("breakpoints")) {
    if (DapRequest{wanted}.find("line") == nullptr) throw UsageError("A breakpoint has a `line`.");
    const std::int64_t line = DapRequest{wanted}.number("line", 0) + 1 - first_line_;
    const std::set<int>& lines = run_->data.lines;
    const auto bounded = static_cast<int>(std::clamp<std::int64_t>(line, 0, std::numeric_limits<int>::max()));
    const auto at = lines.lower_bound(bounded);
    Json one = {{"verified", ours && at != lines.end()}};
    if (!ours) {
      one["message"] = tr("This is not the file that runs: {}.", run_->kernel);
    } else if (at == lines.end()) {
      one["message"] = tr("No statement stands on this line or behind it.");
    } else {
      one["id"] = breakpoints_.emplace(*at, *at).first->second;
      one["line"] = *at - 1 + first_line_;
    }
    list.push_back(std::move(one));
  }
  return {{"breakpoints", list}};
}

Json DapSession::set_exception_breakpoints(const DapRequest& request) {
  at_faults_ = at_wrong_ = false;
  for (const Json& filter : request.list("filters")) {
    at_faults_ = at_faults_ || filter == Json("fault");
    at_wrong_ = at_wrong_ || filter == Json("wrong");
  }
  return nullptr;
}

Json DapSession::configuration_done(const DapRequest& /*request*/) {
  state_ = State::Stopped;
  const std::size_t first = statements_.front();
  if (stops_on_entry_)
    stop(first, "entry", translated(report::step_sentence(*run_, first)));
  else if (!stops_at(first, nullptr))
    walk(1, nullptr);
  return nullptr;
}

Json DapSession::threads(const DapRequest& /*request*/) { return {{"threads", view_->threads()}}; }

DapThread DapSession::thread_numbered(std::int64_t number) const {
  for (const std::size_t k : statements_)
    if (const DapThread thread = DapThread::of(run_->data.steps[k]); thread.number() == number) return thread;
  throw UsageError(msg("There is no thread {}.", number));
}

DapThread DapSession::thread_named(const DapRequest& request) const {
  return thread_numbered(request.number("threadId", DapThread::of(view_->step()).number()));
}

DapFrame DapSession::frame_named(const DapRequest& request) const {
  const std::int64_t number = request.number("frameId", DapThread::of(view_->step()).number());
  const DapThread thread = thread_numbered(number % DapFrame::kMostThreads);
  const Json frames = view_->frames(thread);
  const auto depth = static_cast<std::size_t>(number / DapFrame::kMostThreads);
  if (depth >= std::max<std::size_t>(frames.size(), 1))
    throw UsageError(msg("There is no frame {}.", number));
  return {thread, depth};
}

Json DapSession::stack_trace(const DapRequest& request) {
  const std::filesystem::path file = std::filesystem::absolute(run_->file);
  Json frames = view_->frames(thread_named(request));
  for (std::size_t k = 0; k < frames.size(); ++k) {
    Json& frame = frames.at(k);
    frame["source"] = {{"name", file.filename().string()}, {"path", file.string()}};
    frame["line"] = frame["line"].get<int>() - 1 + first_line_;
    frame["column"] = first_line_;
  }
  return {{"stackFrames", frames}, {"totalFrames", frames.size()}};
}

Json DapSession::scopes(const DapRequest& request) {
  return {{"scopes", view_->scopes(frame_named(request))}};
}

Json DapSession::variables(const DapRequest& request) {
  const Json all = view_->list(request.number("variablesReference", 0));
  const std::int64_t from = request.number("start", 0), count = request.number("count", 0);
  Json list = Json::array();
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(all.size()); ++k)
    if (k >= from && (count <= 0 || k - from < count)) list.push_back(all.at(k));
  return {{"variables", list}};
}

// A name; or "first 3": warp 3 goes on at this step, and the run is recorded anew.
Json DapSession::evaluate(const DapRequest& request) {
  const std::string text = request.text("expression");
  unsigned warp = 0;
  char behind = 0;
  if (std::sscanf(text.c_str(), "first %9u%c", &warp, &behind) == 1) {
    const std::size_t now = view_->now();
    const explore::StepTurns kept = choice_.turns;
    choice_.turns.erase(choice_.turns.lower_bound(now), choice_.turns.end());
    choice_.turns[now] = warp;
    try {
      record();
    } catch (...) {
      choice_.turns = kept;
      throw;
    }
    event("continued", {{"threadId", DapThread::of(view_->step()).number()}, {"allThreadsContinued", true}});
    stop(now, "goto", translated(report::step_sentence(*run_, now)));
    return {{"result", tr("warp {} goes on", warp)}, {"variablesReference", 0}};
  }
  Json found = view_->evaluate(frame_named(request), text);
  const std::string value = found["value"];
  found["result"] = value;
  found.erase("value");
  return found;
}

std::string DapSession::found_at(std::size_t step) const {
  std::string text;
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : "\n") + sentence; };
  for (const explore::StepFound& found : run_->found)
    if (at_faults_ && found.step == static_cast<std::int32_t>(step)) add(translated(found.fault.sentence()));
  const auto& accesses = run_->data.steps[step].accesses;
  const auto is_wrong = [&](const explore::StepAccess& a) { return run_->wrong_lanes(a) != 0; };
  if (at_wrong_ && std::any_of(accesses.begin(), accesses.end(), is_wrong))
    add(translated(report::step_sentence(*run_, step)));
  return text;
}

Json DapSession::exception_info(const DapRequest& /*request*/) {
  const std::string found = found_at(view_->now());
  if (found.empty()) throw UsageError("Nothing is found at this step.");
  return {{"exceptionId", tr("found in this run")}, {"description", found}, {"breakMode", "always"}};
}

// What happens there is a line of the console: editors show a `description` in the place of the thread's name.
void DapSession::stop(std::size_t at, std::string_view reason, const std::string& sentence) {
  view_->move(at);
  const std::string where = tr("warp {}, step {}", view_->step().warp, at);
  event("output", {{"category", "console"}, {"output", where + ": " + sentence + "\n"}});
  Json body = {
      {"reason", reason}, {"threadId", DapThread::of(view_->step()).number()}, {"allThreadsStopped", true}};
  if (reason == "exception") body["text"] = sentence;
  if (const auto breakpoint = breakpoints_.find(view_->step().line); breakpoint != breakpoints_.end())
    body["hitBreakpointIds"] = Json::array({breakpoint->second});
  event("stopped", body);
}

bool DapSession::stops_at(std::size_t step, const Wanted& wanted) {
  const std::string found = found_at(step), sentence = translated(report::step_sentence(*run_, step));
  if (!found.empty())
    stop(step, "exception", found);
  else if (breakpoints_.contains(run_->data.steps[step].line))
    stop(step, "breakpoint", sentence);
  else if (wanted && wanted(step))
    stop(step, "step", sentence);
  else
    return false;
  return true;
}

void DapSession::walk(int by, const Wanted& wanted) {
  const auto here =
      std::lower_bound(statements_.begin(), statements_.end(), view_->now()) - statements_.begin();
  const auto count = static_cast<std::ptrdiff_t>(statements_.size());
  for (std::ptrdiff_t k = here + by; k >= 0 && k < count; k += by)
    if (stops_at(statements_[static_cast<std::size_t>(k)], wanted)) return;
  if (by < 0) return stop(statements_.front(), "entry", tr("the recording begins here"));
  if (here + 1 == count) return end();
  stop(statements_.back(), "end", tr("the recording ends here"));
}

void DapSession::end() {
  state_ = State::Ended;
  event("terminated", nullptr);
  event("exited", {{"exitCode", 0}});
}

Json DapSession::go_on(const DapRequest& request) {
  (void)thread_named(request);
  walk(1, nullptr);
  return {{"allThreadsContinued", true}};
}

Json DapSession::go_back(const DapRequest& request) {
  (void)thread_named(request);
  walk(-1, nullptr);
  return nullptr;
}

// That warp's next statement, over calls; of one that has none any warp's.
Json DapSession::next(const DapRequest& request) {
  const DapThread thread = thread_named(request);
  const std::optional<std::size_t> at = view_->stand_of(thread);
  const std::size_t depth = at ? view_->depth(*at) : 0;
  const auto its = [&](std::size_t k) {
    return k > view_->now() && view_->runs(thread, k) && view_->depth(k) <= depth;
  };
  const bool has = std::any_of(statements_.begin(), statements_.end(), its);
  walk(1, [&](std::size_t k) { return !has || its(k); });
  return nullptr;
}

Json DapSession::step_in(const DapRequest& request) {
  (void)thread_named(request);
  walk(1, [](std::size_t) { return true; });
  return nullptr;
}

// Out of the function that this warp is in; in the kernel behind its next barrier.
Json DapSession::step_out(const DapRequest& request) {
  const DapThread thread = thread_named(request);
  const std::optional<std::size_t> at = view_->stand_of(thread);
  const std::size_t depth = at ? view_->depth(*at) : 0;
  walk(1, [&](std::size_t k) {
    if (!view_->runs(thread, k)) return false;
    if (depth != 0) return view_->depth(k) < depth;
    const std::optional<std::size_t> before = view_->before(thread, k);
    return before && run_->data.steps[*before].arrives;
  });
  return nullptr;
}

Json DapSession::step_back(const DapRequest& request) {
  const DapThread thread = thread_named(request);
  const bool has = view_->before(thread, view_->now()).has_value();
  walk(-1, [&](std::size_t k) { return !has || view_->runs(thread, k); });
  return nullptr;
}

// A recording stands still between requests.
Json DapSession::pause(const DapRequest& request) {
  (void)thread_named(request);
  stop(view_->now(), "pause", translated(report::step_sentence(*run_, view_->now())));
  return nullptr;
}

Json DapSession::disconnect(const DapRequest& /*request*/) {
  state_ = State::Over;
  return nullptr;
}

Json DapSession::terminate(const DapRequest& /*request*/) {
  if (state_ != State::Ended) end();
  return nullptr;
}

}  // namespace lab::cli

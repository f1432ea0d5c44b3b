// A debugger's session over a recording: the Debug Adapter Protocol, one message in, some out.
//
// Enters: the text of a message, whatever it is. Leaves: the response, then events that follow from it. A row of
// a table for each command that is understood; everything else, and what comes out of order, is a response that
// says so. `now` is the step that is about to run: going back is as exact as going on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/compile/compile.h"
#include "common/course/commands/dap_request.h"
#include "common/course/commands/dap_views.h"

namespace lab::cli {

class DapSession {
 public:
  explicit DapSession(std::optional<compile::CompilerKind> compiler) : compiler_(compiler) {}
  // Messages without their `seq`.
  [[nodiscard]] std::vector<Json> answer(std::string_view text);
  [[nodiscard]] bool over() const { return state_ == State::Over; }

 private:
  // In this order; of a session that has ended all but `disconnect` and `terminate` are refused.
  enum class State : std::uint8_t { Fresh, Initialized, Recorded, Stopped, Ended, Over };
  struct Operation {
    std::string_view name;
    State from, to;  // states in which it is understood
    Json (DapSession::*answer)(const DapRequest&);
  };
  static const std::vector<Operation>& operations();

  Json initialize(const DapRequest& request);
  Json launch(const DapRequest& request);
  Json set_breakpoints(const DapRequest& request);
  Json set_exception_breakpoints(const DapRequest& request);
  Json configuration_done(const DapRequest& request);
  Json threads(const DapRequest& request);
  Json stack_trace(const DapRequest& request);
  Json scopes(const DapRequest& request);
  Json variables(const DapRequest& request);
  Json evaluate(const DapRequest& request);
  Json exception_info(const DapRequest& request);
  Json go_on(const DapRequest& request);
  Json go_back(const DapRequest& request);
  Json next(const DapRequest& request);
  Json step_in(const DapRequest& request);
  Json step_out(const DapRequest& request);
  Json step_back(const DapRequest& request);
  Json pause(const DapRequest& request);
  Json disconnect(const DapRequest& request);
  Json terminate(const DapRequest& request);

  using Wanted = std::function<bool(std::size_t)>;
  [[nodiscard]] Json answered(const Json& asked);
  void record();  // anew, with the choices
  // On to the first wanted step, breakpoint or exception in this direction, else to the end.
  void walk(int by, const Wanted& wanted);
  [[nodiscard]] bool stops_at(std::size_t step, const Wanted& wanted);  // and says so
  [[nodiscard]] std::string found_at(std::size_t step) const;           // sentences of what stops there
  void stop(std::size_t at, std::string_view reason, const std::string& sentence);
  [[nodiscard]] DapThread thread_numbered(std::int64_t number) const;
  [[nodiscard]] DapThread thread_named(const DapRequest& request) const;
  [[nodiscard]] DapFrame frame_named(const DapRequest& request) const;
  void event(std::string_view name, const Json& body);
  void end();

  std::optional<compile::CompilerKind> compiler_;
  State state_ = State::Fresh;
  std::vector<Json> events_;  // that follow the response
  explore::StepChoice choice_;
  std::unique_ptr<explore::StepRun> run_;
  std::optional<DapView> view_;
  std::vector<std::size_t> statements_;  // steps that are one: where it can stop
  std::map<int, int> breakpoints_;       // by line: its number
  bool at_faults_ = true, at_wrong_ = true, stops_on_entry_ = true;
  int first_line_ = 1;  // as the client counts
};

}  // namespace lab::cli

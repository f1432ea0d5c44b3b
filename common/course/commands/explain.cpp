// `lab explain CODE`: what a diagnosis or fault means, and what to do.
#include <fmt/core.h>

#include "common/base/errors.h"
#include "common/base/nearest.h"
#include "common/course/commands/commands.h"
#include "common/course/report/json.h"
#include "common/ui/explain.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

int explain(const Session& session, const std::string& code, bool json) {
  const std::size_t columns = report::terminal_columns();
  if (code.empty() && json) {
    report::Json codes = report::Json::array();
    for (const report::Explanation& e : report::all_explanations())
      codes.push_back({{"code", e.code}, {"meaning", e.meaning}, {"remedy", e.remedy}});
    print_json({{"codes", codes}});
    return 0;
  }
  if (code.empty()) {
    for (const report::Explanation& e : report::all_explanations())
      fmt::print("{}", report::wrapped(fmt::format("{:<22} {}", e.code, text::translated_form(e.meaning)),
                                       columns, "", std::string(23, ' ')));
    return 0;
  }
  const report::Explanation* found = report::find_explanation(code);
  if (found == nullptr) {
    std::vector<std::string> codes;
    for (const report::Explanation& e : report::all_explanations()) codes.emplace_back(e.code);
    const std::string meant = base::did_you_mean(code, codes);
    throw base::UsageError(msg("There is no code \"{}\"; `./lab explain` lists them all.{}", code, meant));
  }
  if (json) {
    print_json({{"code", found->code}, {"meaning", found->meaning}, {"remedy", found->remedy}});
  } else {
    fmt::print(
        "{}\n{}", session.style().paint(found->code, report::Ink::Strong),
        report::wrapped(text::translated_form(found->meaning) + "\n" + text::translated_form(found->remedy),
                        columns, "  ", "  "));
  }
  return 0;
}

}  // namespace

Command explain_command(const Session& session) {
  Command command{"explain",
                  "What a diagnosis or fault means, and what to do.\nExample: ./lab explain bank-conflict"};
  struct Options {
    std::string code;
    bool json = false;
  };
  static Options options;
  command.option("code", options.code, "As `check --json` names it; none: all of them");
  command.json(options.json);
  command.run = [&session] { return explain(session, options.code, options.json); };
  return command;
}

}  // namespace lab::cli

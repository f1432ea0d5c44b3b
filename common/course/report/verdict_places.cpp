// A verdict as places in files.
#include "common/course/report/verdict_places.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/base/project.h"
#include "common/base/text/text.h"

namespace lab::report {
namespace {

Annotation annotation(const judge::Reason& reason, std::string title, const std::string& kernel) {
  Annotation made{.code = reason.code,
                  .title = std::move(title),
                  .message = text::translated(reason.message),
                  .file = {}};
  for (const judge::Figure& figure : reason.figures)
    made.message += fmt::format("\n{}: {}, {} {}", text::translated(figure.name), figure.value,
                                text::tr("goal"), figure.goal);
  made.file = inside(reason.file.empty() ? kernel : reason.file, base::project_root());
  made.line = std::max(reason.line, 1);
  return made;
}

}  // namespace

std::vector<Annotation> annotations(const judge::Examination& e) {
  if (!e.compiled) return compiler_errors(e.compile_log, e.kernel);
  if (e.load) return {annotation(*e.load, text::tr("cannot run"), e.kernel)};
  std::vector<Annotation> found;
  for (const judge::CaseResult& c : e.evaluation.cases) {
    if (c.passed || !c.reached) continue;
    for (const judge::Reason& reason : c.reasons) {
      found.push_back(annotation(reason, text::translated_form(c.name), e.kernel));
      found.back().is_error = c.kind != judge::CaseKind::Prediction;
    }
  }
  return found;
}

}  // namespace lab::report

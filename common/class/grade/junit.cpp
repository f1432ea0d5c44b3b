// JUnit XML of a class: what CI systems show. See formats.h.
//
// The dialect is the one that Jenkins' xunit schema describes and others read: testsuites, testsuite,
// testcase with failure, error or skipped. No times: they would differ from run to run.
#include <fmt/core.h>

#include "common/base/markup.h"
#include "common/class/grade/formats.h"

namespace lab::grade {
namespace {

enum class Outcome : std::uint8_t { Passed, Failed, Error, Skipped };

// A kernel that never ran fails its first case, so that a submission without one is not taken for a pass.
Outcome outcome_of(const Graded& g, std::size_t index) {
  const judge::CaseResult& c = g.record.judgement.evaluation.cases[index];
  if (c.passed) return Outcome::Passed;
  if (!g.record.judgement.is_verdict()) return index == 0 ? Outcome::Error : Outcome::Skipped;
  return c.reached || index == 0 ? Outcome::Failed : Outcome::Skipped;
}

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  void add(Outcome outcome) {
    ++tests;
    failures += outcome == Outcome::Failed;
    errors += outcome == Outcome::Error;
    skipped += outcome == Outcome::Skipped;
  }
  [[nodiscard]] std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures, errors,
                       skipped);
  }
};

std::string case_xml(const Graded& g, std::size_t index) {
  const judge::CaseResult& c = g.record.judgement.evaluation.cases[index];
  const Outcome outcome = outcome_of(g, index);
  std::string text =
      fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\"", base::markup_escaped(g.record.student),
                  g.record.chapter, base::markup_escaped(c.name));
  if (outcome == Outcome::Passed) return text + "/>\n";
  const std::string code = c.reasons.empty() ? "failed" : c.reasons.front().code;
  const std::string message = c.reasons.empty() ? "" : c.reasons.front().message.english();
  const std::string first = base::markup_escaped(message.substr(0, message.find('\n')));
  if (outcome == Outcome::Skipped)
    return text + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", first);
  const char* element = outcome == Outcome::Error ? "error" : "failure";
  return text + fmt::format(">\n      <{} type=\"{}\" message=\"{}\">{}</{}>\n    </testcase>\n", element,
                            base::markup_escaped(code), first, base::markup_escaped(reasons_text(c)),
                            element);
}

std::string suite_xml(const Graded& g, Counts& all) {
  Counts counts;
  std::string cases;
  for (std::size_t i = 0; i < g.record.judgement.evaluation.cases.size(); ++i) {
    counts.add(outcome_of(g, i));
    all.add(outcome_of(g, i));
    cases += case_xml(g, i);
  }
  std::string text =
      fmt::format("  <testsuite name=\"{} {}\" {}>\n    <properties>\n",
                  base::markup_escaped(g.record.student), g.record.chapter, counts.attributes());
  const std::pair<const char*, std::string> properties[] = {
      {"points", points_text(g.points)},
      {"points_possible", points_text(g.points_possible)},
      {"state", g.record.judgement.state},
      {"submission", g.record.source}};
  for (const auto& [name, value] : properties)
    text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, base::markup_escaped(value));
  return text + "    </properties>\n" + cases + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const ClassResult& result) {
  Counts all;
  std::string suites;
  for (const Graded& g : result.graded) suites += suite_xml(g, all);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Transpose Lab\" {}>\n{}</testsuites>\n",
      all.attributes(), suites);
}

}  // namespace lab::grade

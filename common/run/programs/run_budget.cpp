// What a program's launches may cost. See run_budget.h.
#include "common/run/programs/run_budget.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/text/message_json.h"
#include "common/base/text/text.h"
#include "common/sim/base/kernel_name.h"
#include "common/sim/memory/memory.h"
#include "common/ui/explain.h"

namespace lab::programs {
namespace {

namespace fs = std::filesystem;
using base::UsageError;
using report::Annotation;
using report::Json;
using text::tr;

struct Limit {
  const char* key;
  bool shared;  // wavefronts of shared memory; else sectors of global memory
  std::optional<std::uint64_t> Budget::*most;
  std::optional<double> Budget::*most_per_ideal;
};
constexpr Limit kLimits[] = {{"sectors", false, &Budget::sectors, nullptr},
                             {"wavefronts", true, &Budget::wavefronts, nullptr},
                             {"sectors_per_ideal", false, nullptr, &Budget::sectors_per_ideal},
                             {"wavefronts_per_ideal", true, nullptr, &Budget::wavefronts_per_ideal}};

Budget budget(const std::string& kernel, const Json& limits, const std::string& file) {
  Budget made{
      .kernel = kernel, .sectors = {}, .wavefronts = {}, .sectors_per_ideal = {}, .wavefronts_per_ideal = {}};
  for (const base::JsonMember& member : limits.items()) {
    const Limit* const limit = std::find_if(std::begin(kLimits), std::end(kLimits),
                                            [&](const Limit& one) { return member.key == one.key; });
    if (limit == std::end(kLimits))
      throw UsageError(
          msg("{}: \"{}\" of \"{}\" is no limit; there are sectors, wavefronts, sectors_per_ideal and "
              "wavefronts_per_ideal.",
              file, member.key, kernel));
    const bool whole = limit->most != nullptr;
    const bool fits = whole ? member.value.is_number_integer() && member.value.get<double>() >= 0
                            : member.value.is_number() && member.value.get<double>() >= 1;
    if (!fits && whole)
      throw UsageError(msg("{}: \"{}\" of \"{}\" is a whole number.", file, member.key, kernel));
    if (!fits)
      throw UsageError(msg("{}: \"{}\" of \"{}\" is a number of at least 1.", file, member.key, kernel));
    if (whole)
      made.*limit->most = member.value.get<std::uint64_t>();
    else
      made.*limit->most_per_ideal = member.value.get<double>();
  }
  if (limits.items().empty()) throw UsageError(msg("{}: \"{}\" has no limit.", file, kernel));
  return made;
}

// `*` alone, of all that patterns of a shell know: names of kernels hold brackets of their own.
std::string only_stars(const std::string& kernel) {
  std::string pattern;
  for (const char c : kernel) {
    if (c == '[' || c == '?' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string short_name(const LaunchRow& row) { return sim::short_kernel_name(row.kernel); }

bool names(const Budget& budget, const LaunchRow& row) {
  const std::string pattern = only_stars(budget.kernel);
  return ::fnmatch(pattern.c_str(), row.kernel.c_str(), 0) == 0 ||
         ::fnmatch(pattern.c_str(), short_name(row).c_str(), 0) == 0;
}

// The line that wastes most of what the limit counts.
void blame(Annotation& annotation, const LaunchRow& row, bool shared) {
  std::uint64_t worst = 0;
  for (const sim::LineCounters& line : row.lines) {
    const sim::PathInfo& path = sim::info(line.path);
    const sim::PathCounters& c = line.counters[line.path];
    if (path.weighs != (shared ? sim::Space::Shared : sim::Space::Global) || line.line == 0) continue;
    if (c.cost <= worst) continue;
    worst = c.cost;
    annotation.file = report::from_here(line.file);
    annotation.line = line.line;
  }
}

void compare(std::vector<Annotation>& over, const LaunchRow& row, const Limit& limit, const Budget& budget,
             const std::string& program) {
  const sim::PathCounters total = limit.shared ? row.counters.shared_total() : row.counters.global_total();
  std::uint64_t most = 0;
  if (limit.most != nullptr) {
    if (!(budget.*limit.most)) return;
    most = *(budget.*limit.most);
  } else {
    if (!(budget.*limit.most_per_ideal)) return;
    const double product = std::floor(*(budget.*limit.most_per_ideal) * double(total.ideal) + 1e-9);
    if (product >= double(total.cost)) return;  // it may be larger than an integer can say
    most = static_cast<std::uint64_t>(product);
  }
  if (total.cost <= most) return;
  Annotation made{.code = "over-budget", .title = short_name(row), .message = {}, .file = program};
  made.message = limit.shared ? tr("{} wavefronts of shared memory, the budget is {}; {} would do.",
                                   sim::grouped(total.cost), sim::grouped(most), sim::grouped(total.ideal))
                              : tr("{} sectors, the budget is {}; {} would do.", sim::grouped(total.cost),
                                   sim::grouped(most), sim::grouped(total.ideal));
  blame(made, row, limit.shared);
  over.push_back(std::move(made));
}

// Launches of one kernel say the same many times.
std::vector<Annotation> each_once(std::vector<Annotation> all) {
  std::set<std::tuple<std::string, std::string, int, std::string>> seen;
  std::erase_if(all, [&](const Annotation& a) {
    return !seen.emplace(a.code, a.file, a.line, a.code == "over-budget" ? a.title + a.message : "").second;
  });
  return all;
}

}  // namespace

std::vector<Budget> read_budgets(const std::filesystem::path& file) {
  const std::optional<std::string> bytes = base::read_file(file);
  if (!bytes) throw UsageError(msg("Cannot read the budget {}. Check the name.", file.string()));
  Json json;
  try {
    json = Json::parse(*bytes);
  } catch (const Json::exception& error) {
    throw UsageError(msg("{} is no JSON: {}.", file.string(), text::message_of(error)));
  }
  if (!json.is_object() || json.empty())
    throw UsageError(
        msg("{} is no budget: {{\"kernel*\": {{\"sectors_per_ideal\": 1.05}}}}.", file.string()));
  std::vector<Budget> all;
  for (const base::JsonMember& member : json.items()) {
    if (!member.value.is_object())
      throw UsageError(msg("{}: \"{}\" is an object of limits.", file.string(), member.key));
    all.push_back(budget(member.key, member.value, file.string()));
  }
  return all;
}

std::vector<Annotation> annotations(const RunRecords& records, const std::string& program) {
  std::vector<Annotation> all;
  const auto add = [&](const RecordedFault& fault, const std::string& title) {
    Annotation made{.code = fault.kind,
                    .title = title,
                    .message = text::translated(text::message_from(fault.said, fault.message)),
                    .file = fault.line == 0 || fault.file.empty() ? program : report::from_here(fault.file),
                    .line = std::max(fault.line, 1)};
    const std::string fix(report::remedy_for(fault.kind, report::KernelOf::Any));
    if (!fix.empty()) made.message += "\n" + text::translated_form(fix);
    all.push_back(std::move(made));
  };
  for (const LaunchRow& row : records.launches)
    for (const RecordedFault& fault : row.faults) add(fault, short_name(row));
  for (const RecordedFault& fault : records.found) add(fault, program);
  return each_once(std::move(all));
}

std::vector<Annotation> annotations(const BuildResult& built, const std::string& program) {
  std::vector<Annotation> all = report::compiler_errors(built.log, program);
  for (Annotation& error : all) error.file = report::from_here(error.file);
  return all;
}

std::vector<Annotation> over_budget(const RunRecords& records, const std::vector<Budget>& budgets,
                                    const std::string& program) {
  std::vector<Annotation> all;
  for (const Budget& budget : budgets) {
    bool any = false;
    for (const LaunchRow& row : records.launches) {
      if (!names(budget, row)) continue;
      any = true;
      for (const Limit& limit : kLimits) compare(all, row, limit, budget, program);
    }
    if (any) continue;
    all.push_back(
        {.code = "over-budget",
         .title = budget.kernel,
         .message = tr("The budget names a kernel that the program did not launch: it checks nothing."),
         .file = program});
  }
  return each_once(std::move(all));
}

}  // namespace lab::programs

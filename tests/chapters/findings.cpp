// What a student says is wrong with a kernel. See the header.
#include "tests/chapters/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/sha256.h"
#include "tests/chapters/course_checks.h"

namespace lab::course {
namespace {

using namespace lab::judge;

constexpr std::size_t kSealChars = 12;

bool is_sealed(const std::string& answer, std::string_view seals) {
  const std::string seal = seal_of(answer);
  for (std::size_t at = 0; at + kSealChars <= seals.size(); at += kSealChars) {
    if (seals.substr(at, kSealChars) == seal) return true;
  }
  return false;
}

}  // namespace

std::string seal_of(std::string_view answer) {
  return base::hmac_sha256("transpose-lab-findings", answer).substr(0, kSealChars);
}

bool is_sealed(const Finding& finding, const std::string& kernel, const SealedFinding& sealed) {
  const bool asks_line = !sealed.lines.empty();
  return (!asks_line || is_sealed(fmt::format("{} line {}", kernel, finding.line), sealed.lines)) &&
         is_sealed(fmt::format("{} cause {}", kernel, static_cast<int>(finding.cause)), sealed.cause);
}

Message missing_in(const Finding& finding, const std::string& entry) {
  constexpr int kFirstOfSources = static_cast<int>(Cause::kBarrierInBranch);
  const bool names_cause = finding.cause != Cause::kNotSaid, names_line = finding.line != 0;
  const bool of_table = entry.starts_with("table"),
             of_source = static_cast<int>(finding.cause) >= kFirstOfSources;
  if (!names_cause && !names_line)
    return msg("FINDING_OF({}) says nothing yet. Write what you think it is; the kernel runs after that.",
               entry);
  if (!names_cause) return msg("FINDING_OF({}) names no cause yet.", entry);
  if (of_table == of_source)
    return of_table
               ? msg("FINDING_OF({}) names a cause of chapter 18; this lesson has a list of its own.", entry)
               : msg("FINDING_OF({}) names a cause of chapter 17; this lesson has a list of its own.", entry);
  if (!finding.says_something())
    return msg("FINDING_OF({}) names no line yet: its letter, as in .line = 'c'.", entry);
  if (names_line && (finding.line < 'a' || finding.line > 'z'))
    return msg("FINDING_OF({}): .line is a small letter in quotes, as in .line = 'c'.", entry);
  return {};
}

void found(Check& check, const std::string& entry, const std::function<bool(const Finding&)>& is_right) {
  const Finding finding = check.subject().finding(entry);
  const Message missing = missing_in(finding, entry);
  check.that(missing.empty(), "finding-missing", missing);
  if (!missing.empty()) return;
  const bool right = is_right(finding);
  const int worth = std::min(check.points(), 1);  // of a page the rest is for fixing it
  check.said({check.subject().seat(), finding.line, static_cast<int>(finding.cause), worth, right});
  // Which half is right stays unsaid: else who tries them one by one has both.
  check.that(right, "finding-wrong", msg("FINDING_OF({}): it is something else.", entry));
}

std::vector<Problem> page_shapes(Check& check, const std::string& entry) {
  constexpr std::int64_t kStep = 128, kLong = 9;
  const auto of = static_cast<std::int64_t>(static_cast<unsigned char>(entry.back()));
  const auto drawn = [&](std::int64_t which) {
    return static_cast<std::int64_t>(check.subject().input_key().draw({256, of, which}) % 3);
  };
  const bool is_strip = check.subject().input_key().draw({256, of, 2}) % 2 == 0, high = drawn(1) == 0;
  const std::int64_t a = is_strip ? 1 : 1 + drawn(0), b = is_strip ? kLong : 2 + drawn(1);
  return {{256, 256}, is_strip && high ? Problem{kStep * b, kStep * a} : Problem{kStep * a, kStep * b}};
}

namespace {

// Shapes that the kernel itself names, or decides about otherwise; the tasks run whole there. And a long one.
void right_where_it_chooses(Check& check, const Target& target) {
  constexpr std::int64_t kMostOfTask = 1 << 20;
  const ChapterInfo& chapter = check.chapter();
  for (const Problem& p : check.subject().other_ways(chapter.measured, chapter.row_bytes, target)) {
    if (!check.passing()) return;
    if (target.task == nullptr)
      check.right(check.subject().drawn(p, target, false));
    else if (p.rows * p.cols <= kMostOfTask)
      check.right_on(p, target);
  }
  if (target.task == nullptr && check.passing()) right_on_long(check, target);
}

}  // namespace

void right_on_pages(Check& check, const Target& target) {
  if (check.subject().inputs().only) return check.right_on(*check.subject().inputs().only, target);
  constexpr std::array kSides = {1, 2, 31, 32, 33, 64, 65};
  std::vector<Problem> shapes;
  for (const int rows : kSides) {
    for (const int cols : kSides) shapes.push_back({.rows = rows, .cols = cols});
  }
  for (const Problem& p :
       {Problem{40, 150}, Problem{150, 40}, Problem{97, 161}, Problem{161, 97}, Problem{5, 300}})
    shapes.push_back(p);
  for (const Problem& p : check.subject().drawn_shapes()) shapes.push_back(p);
  // Longer than anything that is counted.
  const auto drawn = [&](std::int64_t which, std::int64_t least, std::int64_t of) {
    return least + static_cast<std::int64_t>(check.subject().input_key().draw({0x6c6f6e67, which}) %
                                             static_cast<std::uint64_t>(of));
  };
  shapes.push_back({.rows = drawn(0, 33, 32), .cols = drawn(1, 2049, 4096)});
  shapes.push_back({.rows = drawn(2, 2049, 4096), .cols = drawn(3, 33, 32)});
  if (target.task != nullptr) shapes.push_back({.rows = drawn(4, 1025, 300), .cols = drawn(5, 1025, 300)});
  check.right_on(shapes, target);
  for (const Problem& p : page_shapes(check, target.entry)) {
    if (check.passing()) check.right(check.subject().run(p, target));
  }
  if (check.passing()) right_where_it_chooses(check, target);
}

}  // namespace lab::course

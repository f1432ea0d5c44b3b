// Finds the numbers of a lesson, line by line. See the header.
#include "common/course/lessons/lesson_text.h"
#include "common/base/characters.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace lab::course {
namespace {

constexpr double kLarge = 1000;
constexpr std::string_view kTimes = "×";
// What may stand between the three digits of a group: a space, a no-break space, a narrow one.
constexpr std::array<std::string_view, 3> kGaps = {" ", "\u00a0", "\u202f"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Line {
 public:
  Line(std::string_view text, int number, bool is_code, std::vector<LessonNumber>& found)
      : text_(text), number_(number), is_code_(is_code), found_(found) {}

  void read() {
    while (at_ < text_.size()) {
      if (!is_code_ && skip_markup()) continue;
      if (is_letter(text_[at_])) {
        while (at_ < text_.size() && (is_letter(text_[at_]) || base::is_digit(text_[at_]))) ++at_;
      } else if (base::is_digit(text_[at_])) {
        number();
      } else {
        ++at_;
      }
    }
  }

 private:
  [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  bool skip_to(std::string_view open, std::string_view close) {
    if (!starts(open)) return false;
    const std::size_t end = text_.find(close, at_ + open.size());
    at_ = end == text_.npos ? text_.size() : end + close.size();
    return true;
  }

  bool skip_markup() {
    return skip_to("`", "`") || skip_to("](", ")") || skip_to("<!--", "-->") || skip_to("<", ">");
  }

  [[nodiscard]] std::size_t digits_from(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && base::is_digit(text_[end])) ++end;
    return end - from;
  }

  void number() {
    LessonNumber n;
    n.line = number_;
    const std::size_t start = at_;
    std::string digits(text_.substr(at_, digits_from(at_)));
    at_ += digits.size();
    bool grouped = digits.size() <= 3;
    while (grouped) {  // one gap and exactly three digits
      grouped = false;
      for (const std::string_view gap : kGaps) {
        if (!starts(gap) || digits_from(at_ + gap.size()) != 3) continue;
        digits += text_.substr(at_ + gap.size(), 3);
        at_ += gap.size() + 3;
        grouped = true;
        break;
      }
    }
    if (starts(".") && digits_from(at_ + 1) > 0) {
      n.decimals = static_cast<int>(digits_from(at_ + 1));
      digits += text_.substr(at_, 1 + static_cast<std::size_t>(n.decimals));
      at_ += 1 + static_cast<std::size_t>(n.decimals);
    }
    n.text = text_.substr(start, at_ - start);
    n.value = std::strtod(digits.c_str(), nullptr);
    if (at_ < text_.size() && is_letter(text_[at_])) return;  // "2nd", "4x": no number
    const bool side = is_side(start);
    take_formula(n);
    n.unit = is_code_ ? "" : unit();
    n.claim = (n.value >= kLarge && !side) || !n.unit.empty();
    if (n.claim || !n.formula.empty()) found_.push_back(std::move(n));
  }

  // One side of a size, or the value of an option of a command line.
  [[nodiscard]] bool is_side(std::size_t start) const {
    std::string_view before = text_.substr(0, start), after = text_.substr(at_);
    const bool spaced = before.ends_with(' ');
    while (before.ends_with(' ')) before.remove_suffix(1);
    while (after.starts_with(' ')) after.remove_prefix(1);
    if (before.ends_with(kTimes) || after.starts_with(kTimes)) return true;
    const std::size_t word = before.rfind(' ') + 1;
    return is_code_ && spaced && before.substr(word).starts_with("--");
  }

  void take_formula(LessonNumber& n) {
    if (!starts("<!--") || is_code_) return;
    const std::size_t end = text_.find("-->", at_);
    if (end == text_.npos) return;
    std::string_view inside = text_.substr(at_ + 4, end - at_ - 4);
    inside.remove_prefix(std::min(inside.find_first_not_of(' '), inside.size()));
    if (!inside.starts_with('=') && !inside.starts_with('~')) return;
    n.about = inside.front() == '~';
    inside.remove_prefix(1);
    n.formula = inside.empty() ? " " : std::string(inside);  // an empty formula is a wrong one
    at_ = end + 3;
  }

  // The same in Chinese: 1 048 576 个扇区, 32 路冲突. "" when `rest` goes on in another way.
  [[nodiscard]] static std::string chinese_unit(std::string_view rest) {
    using Word = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Word, 4> kUnits = {
        {{"扇区", "sectors"}, {"波前", "wavefronts"}, {"请求", "requests"}, {"路", "way"}}};
    static constexpr std::array<std::string_view, 10> kBefore = {"个",   "次",   "完整的", "不同的", "理想的",
                                                                 "共享", "全局", "加载",   "存储",   "半"};
    for (int words = 0; words < 4; ++words) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" *"), rest.size()));
      for (const auto& [word, unit] : kUnits)
        if (rest.starts_with(word)) return std::string(unit);
      const auto before = std::find_if(kBefore.begin(), kBefore.end(),
                                       [&](std::string_view word) { return rest.starts_with(word); });
      if (before == kBefore.end()) return "";
      rest.remove_prefix(before->size());
    }
    return "";
  }

  // What is counted: the next word, with an adjective or two before it.
  [[nodiscard]] std::string unit() const {
    if (const std::string chinese = chinese_unit(text_.substr(at_)); !chinese.empty()) return chinese;
    static constexpr std::array<std::string_view, 14> kAdjectives = {
        "whole", "half", "shared", "load",      "store", "global",   "distinct",
        "ideal", "more", "full",   "different", "such",  "separate", "other"};
    std::string_view rest = text_.substr(at_);
    for (int words = 0; words < 4; ++words) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" *-"), rest.size()));
      const std::size_t end =
          static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_letter) - rest.begin());
      const std::string_view word = rest.substr(0, end);
      for (const std::string_view unit : {"sector", "wavefront", "request"}) {
        if (word.starts_with(unit)) return std::string(unit) + "s";
      }
      if (word == "way") return "way";
      if (std::find(kAdjectives.begin(), kAdjectives.end(), word) == kAdjectives.end()) return "";
      rest.remove_prefix(end);
    }
    return "";
  }

  std::string_view text_;
  int number_;
  bool is_code_;
  std::vector<LessonNumber>& found_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<LessonNumber> lesson_numbers(std::string_view markdown) {
  std::vector<LessonNumber> found;
  bool is_code = false;
  for (int number = 1; !markdown.empty(); ++number) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
    if (line.starts_with("```")) {
      is_code = !is_code;
    } else {
      Line(line, number, is_code, found).read();
    }
  }
  return found;
}

}  // namespace lab::course

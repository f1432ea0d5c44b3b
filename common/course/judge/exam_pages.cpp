// Draws the exam of chapter 18. See exam_pages.h.
//
// A program of pages.inc is right as it stands; what begins with a mark belongs to a fault (A, B, …):
//   ?A line   stands there instead of the next unmarked line, and may be named; !A line  may not
//   -A        the next line is missing: the lines before and behind it may be named; !A alone  may not
//   +A        the next line may be named too
// Between bars stands what comes above the kernel, once in a file; above all programs the head of the file.
#include "common/course/judge/exam_pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/base/shuffle.h"
#include "common/base/words.h"
#include "common/course/judge/input_key.h"

namespace lab::judge {
namespace {

constexpr const char* kPrograms =
#include "solutions/18_bugs_in_the_wild/pages.inc"
    ;
constexpr const char* kChapter = "18_bugs_in_the_wild";
constexpr std::size_t kPages = 8, kMostOfOne = 2;  // pages of one program, and of one cause
constexpr int kLetters = 26;

// As the enumeration spells it (common/kernel/findings.h): the compiler knows the name of its argument.
template <Cause kCause>
std::string_view spelled() {
  const std::string_view all = __PRETTY_FUNCTION__;
  const std::size_t end = all.find_first_of(";]", all.find("kCause = "));
  return all.substr(0, end).substr(all.rfind(':', end) + 1);
}

Cause cause_named(std::string_view name) {
  constexpr int kMost = 64;
  Cause found = Cause::kNotSaid;
  const auto look = [&]<int... kNumbers>(std::integer_sequence<int, kNumbers...>) {
    ((spelled<Cause{kNumbers}>() == name ? void(found = Cause{kNumbers}) : void()), ...);
  };
  look(std::make_integer_sequence<int, kMost>{});
  if (found == Cause::kNotSaid) throw std::logic_error(fmt::format("pages.inc: no cause {}", name));
  return found;
}

struct Fault {
  char mark = 0;
  std::string cause, quote;
};

struct Program {
  std::string name, note, above;  // `note` stands behind the quote
  std::uint32_t shared_bytes = 0;
  bool asynchronous = false, beyond_32_bits = false;
  std::vector<Fault> faults;
  std::vector<std::string> lines;  // marked and unmarked
};

bool is_marked(const std::string& line) {
  return line.size() >= 2 && std::string_view("?!-+").find(line[0]) != std::string_view::npos;
}

Fault fault_from(std::istringstream& words) {
  Fault fault;
  words >> fault.mark >> fault.cause;
  std::getline(words, fault.quote);
  fault.quote.erase(0, 1);
  return fault;
}

Program program_from(std::istringstream& words) {
  Program program;
  words >> program.name >> program.shared_bytes;
  for (std::string word; words >> word;)
    (word == "asynchronous" ? program.asynchronous : program.beyond_32_bits) = true;
  return program;
}

std::vector<Program> read_programs() {
  std::vector<Program> programs;
  std::istringstream text(kPrograms);
  int bars = 0;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "program") {
      programs.push_back(program_from(words));
      bars = 0;
    } else if (programs.empty()) {  // the head of the file
      continue;
    } else if (first == "fault") {
      programs.back().faults.push_back(fault_from(words));
    } else if (line.starts_with('|')) {
      if (++bars == 1) programs.back().note = line.substr(1);
    } else if (bars == 1 && programs.back().lines.empty() && !line.starts_with("extern")) {
      programs.back().above += line + "\n";
    } else {
      programs.back().lines.push_back(line);
    }
  }
  return programs;
}

const std::vector<Program>& programs() {
  static const std::vector<Program> all = read_programs();
  return all;
}

// Closing braces and the head of the kernel have none.
bool has_letter(const std::string& line) {
  return line.find_first_not_of(" }") != std::string::npos && !line.starts_with("extern");
}

struct Line {
  std::string text;
  bool named = false;  // in a right finding
};

// The program with one of its faults; with none, 0, right.
std::vector<Line> with_fault(const Program& program, char fault) {
  std::vector<Line> lines;
  bool replaced = false, missing = false, named = false, next_named = false;
  const auto add = [&](const std::string& text, bool is_named) {
    lines.push_back({text, has_letter(text) && (is_named || next_named)});
    if (has_letter(text)) next_named = false;
  };
  for (const std::string& line : program.lines) {
    if (is_marked(line)) {
      if (line[1] != fault) continue;
      const std::string text = line.substr(2);
      if (line[0] == '+') named = true;
      if (line[0] == '-') missing = true;
      if (line[0] == '?' || line[0] == '!') replaced = true;
      if ((line[0] == '?' || line[0] == '!') && !text.empty()) add(text, line[0] == '?');
      continue;
    }
    if (missing) {
      const auto before =
          std::find_if(lines.rbegin(), lines.rend(), [](const Line& l) { return has_letter(l.text); });
      before->named = next_named = true;
    } else if (!replaced) {
      add(line, named);
    }
    replaced = missing = named = false;
  }
  return lines;
}

// Letters behind the lines of the body, one column.
std::string with_letters(const std::vector<Line>& lines, int first_letter, std::string& named) {
  std::size_t columns = 0;
  for (const Line& line : lines)
    if (has_letter(line.text)) columns = std::max(columns, line.text.size());
  std::string text;
  int letter = first_letter;
  for (const Line& line : lines) {
    if (!has_letter(line.text)) {
      text += line.text + "\n";
      continue;
    }
    const char shown = static_cast<char>('a' + letter++ % kLetters);
    if (line.named) named += shown;
    text += fmt::format("{:<{}}  // {}\n", line.text, columns, shown);
  }
  return text;
}

ExamPage page_of(const Program& program, const Fault& fault, std::size_t number, int first_letter) {
  ExamPage page;
  page.entry = fmt::format("bug_{}", number);
  page.program = program.name;
  page.cause = cause_named(fault.cause);
  page.shared_bytes = program.shared_bytes;
  page.asynchronous = program.asynchronous;
  page.beyond_32_bits = program.beyond_32_bits;
  const std::string faulty = with_letters(with_fault(program, fault.mark), first_letter, page.lines);
  std::string unused;
  const std::string fixed = with_letters(with_fault(program, 0), first_letter, unused);
  const std::string head = fmt::format("// Page {}. {}{}\n", number, fault.quote, program.note);
  const auto text = [&](const std::string& line, const std::string& cause, const std::string& kernel) {
    return base::replaced_all(
        head + "ABOVE" + fmt::format("FINDING_OF(PAGE) = {{.line = {}, .cause = {}}};\n", line, cause) +
            kernel,
        "PAGE", page.entry);
  };
  page.faulty = text("0", "kNotSaid", faulty);
  page.fixed = text(fmt::format("'{}'", page.lines.at(0)), fault.cause, fixed);
  return page;
}

struct Choice {
  const Program* program;
  const Fault* fault;
};

std::vector<Choice> all_choices() {
  std::vector<Choice> all;
  for (const Program& program : programs())
    for (const Fault& fault : program.faults) all.push_back({&program, &fault});
  return all;
}

// The pages of the lesson.
std::vector<Choice> choices_of_lesson() {
  using Name = std::pair<std::string_view, char>;
  std::vector<Choice> chosen;
  for (const auto& [name, mark] :
       {Name{"flat", 'A'}, Name{"tile", 'A'}, Name{"warps", 'A'}, Name{"stages", 'A'}, Name{"tile", 'B'},
        Name{"longs", 'A'}, Name{"guard", 'A'}, Name{"groups", 'A'}}) {
    for (const Choice& c : all_choices())
      if (c.program->name == name && c.fault->mark == mark) chosen.push_back(c);
  }
  return chosen;
}

// What stands above the programs; its first line of pages, its second of fixed ones.
std::string head_of_file(int seat, bool fixed) {
  const std::string_view all(kPrograms);
  const std::string head(all.substr(0, all.find("program flat")));
  const std::size_t second = head.find('\n') + 1, rest = head.find('\n', second) + 1;
  return base::replaced_all(
      (fixed ? head.substr(second, rest - second) : head.substr(0, second)) + head.substr(rest), "NUMBER",
      fmt::format("{}", seat));
}

}  // namespace

bool ExamPage::is(const Finding& finding) const {
  return finding.cause == cause && finding.line > 0 && finding.line < 128 &&
         lines.find(static_cast<char>(finding.line)) != std::string::npos;
}

std::vector<ExamPage> exam_pages(std::string_view key, int seat) {
  const InputKey drawing(key, kChapter);
  const auto draw = [&](int what, std::size_t of, std::uint64_t below) {
    return drawing.draw({seat, what, static_cast<std::int64_t>(of)}) % below;
  };
  std::vector<Choice> chosen;
  if (seat == 0) {
    chosen = choices_of_lesson();
  } else {
    std::vector<Choice> all = all_choices();
    base::shuffle(all, [&](std::size_t i) { return draw(0, i, i + 1); });
    std::map<std::string, std::size_t> taken;
    for (const Choice& c : all) {
      if (chosen.size() == kPages) break;
      if (taken[c.program->name] == kMostOfOne || taken[c.fault->cause] == kMostOfOne) continue;
      ++taken[c.program->name], ++taken[c.fault->cause];
      chosen.push_back(c);
    }
  }
  std::vector<ExamPage> pages;
  for (const Choice& c : chosen) {
    const int first = seat == 0 ? 0 : static_cast<int>(draw(1, pages.size(), kLetters));
    pages.push_back(page_of(*c.program, *c.fault, pages.size() + 1, first));
  }
  return pages;
}

std::string exam_file(const std::vector<ExamPage>& pages, int seat, bool fixed) {
  std::string text = head_of_file(seat, fixed);
  std::set<std::string> there;
  for (const ExamPage& page : pages) {
    const auto program = std::find_if(programs().begin(), programs().end(),
                                      [&](const Program& p) { return p.name == page.program; });
    std::string above = base::replaced_all(program->above, "PAGE", page.entry);
    if (!there.insert(page.program).second) {  // what the first one declared is there
      const std::size_t shape = above.find("LAUNCH_SHAPE_OF");
      above = shape == std::string::npos ? "" : above.substr(shape);
    }
    text += "\n" + base::replaced_all(fixed ? page.fixed : page.faulty, "ABOVE", above);
  }
  return text;
}

}  // namespace lab::judge

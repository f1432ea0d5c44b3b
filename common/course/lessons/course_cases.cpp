// Lists what the course promises about its own kernels. See the header.
#include "common/course/lessons/course_cases.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "common/course/judge/checks.h"

namespace lab::course {
namespace {

std::optional<std::string> after(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return std::string(line);
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

judge::Problem read_shape(const std::filesystem::path& file, const std::string& text) {
  judge::Problem p;
  const auto sides = split(text, 'x');
  const auto read = [](const std::string& s, std::int64_t& to) {
    return std::from_chars(s.data(), s.data() + s.size(), to).ec == std::errc();
  };
  if (sides.size() != 2 || !read(sides[0], p.rows) || !read(sides[1], p.cols)) {
    throw text::Said<std::runtime_error>(
        msg("{}: `// shape: {}` is no shape; write 32x64.", file.filename().string(), text));
  }
  return p;
}

std::vector<std::filesystem::path> kernels_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw text::Said<std::runtime_error>(msg("There is no kernel in {}.", folder.string()));
  return files;
}

// "04_shared_tile, 05_padding"
std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words = split(text, ',');
  for (std::string& word : words) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
  }
  return words;
}

int read_points(const std::filesystem::path& file, const std::string& text) {
  int points = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), points).ec == std::errc()) return points;
  throw text::Said<std::runtime_error>(
      msg("{}: `// points: {}` is no number; write 0.", file.filename().string(), text));
}

bool passes(CourseTask task) { return task == CourseTask::Right || task == CourseTask::Open; }

bool says_too_little(const CourseItem& item, const std::vector<std::string>& judges) {
  if (judges.empty() != (item.task == CourseTask::Fault)) return true;
  if (item.codes.empty() != passes(item.task)) return true;
  return item.task == CourseTask::Mutant && item.case_name.empty();
}

struct Folder {
  const char* name;
  CourseTask task;
};
constexpr Folder kFolders[] = {{"course", CourseTask::Mutant},
                               {"faults", CourseTask::Fault},
                               {"cheats", CourseTask::Cheat},
                               {"right", CourseTask::Right},
                               {"open", CourseTask::Open}};

// Its kernels do not compile there.
bool is_left_out(const judge::ChapterInfo& chapter, compile::CompilerKind compiler) {
  return chapter.hopper && !compile::compiles_for_hopper(compiler);
}

std::filesystem::path solution_of(const std::filesystem::path& root, const char* chapter) {
  return root / "solutions" / chapter / "transpose.cu";
}

}  // namespace

std::string_view name(CourseTask task) {
  static constexpr std::string_view kNames[] = {"solution", "skeleton", "earlier", "mutant",
                                                "fault",    "cheat",    "right",   "open"};
  return kNames[static_cast<std::size_t>(task)];
}

std::vector<CourseItem> read_promises(CourseTask task, const std::filesystem::path& file) {
  std::ifstream in(file);
  CourseItem item;
  item.task = task;
  item.file = file;
  std::vector<std::string> judges;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (const auto chapters = after(line, "// judged by:")) {
      judges = split_list(*chapters);
    } else if (const auto failing = after(line, "// fails:")) {
      item.case_name = *failing;
    } else if (const auto codes = after(line, "// code:")) {
      item.codes = split(*codes, '|');
    } else if (const auto says = after(line, "// says:")) {
      item.says = *says;
    } else if (const auto points = after(line, "// points:")) {
      item.points = read_points(file, *points);
    } else if (const auto shape = after(line, "// shape:")) {
      item.problem = read_shape(file, *shape);
    } else if (line.ends_with("// <-- here")) {
      item.lines.push_back(number);
    }
  }
  if (says_too_little(item, judges)) {
    throw text::Said<std::runtime_error>(
        msg("{}: the first lines do not say which diagnosis is expected; see tests/mutants/README.md.",
            file.filename().string()));
  }
  if (judges.empty()) return {item};
  std::vector<CourseItem> items;
  for (const std::string& chapter : judges) {
    items.push_back(item);
    items.back().chapter = chapter;
  }
  return items;
}

std::vector<CourseItem> course_items(const std::filesystem::path& root,
                                     const std::vector<compile::CompilerKind>& compilers) {
  std::vector<CourseItem> items;
  const auto chapters = judge::all_chapters();
  for (const compile::CompilerKind compiler : compilers) {
    for (std::size_t own = 0; own < chapters.size(); ++own) {
      if (is_left_out(*chapters[own], compiler)) continue;
      CourseItem item;
      item.file = solution_of(root, chapters[own]->name);
      item.compiler = compiler;
      item.chapter = item.solution = chapters[own]->name;
      items.push_back(item);
      item.task = CourseTask::Earlier;
      for (std::size_t later = own + 1; later < chapters.size() && compiler == compilers.front(); ++later) {
        item.chapter = chapters[later]->name;
        items.push_back(item);
      }
    }
    for (const judge::ChapterInfo* chapter : chapters) {
      if (is_left_out(*chapter, compiler)) continue;
      CourseItem item;
      item.task = CourseTask::Skeleton;
      item.file = root / "chapters" / chapter->name / "transpose.cu";
      item.compiler = compiler;
      item.chapter = chapter->name;
      item.case_name = chapter->skeleton_case;
      item.codes = {chapter->skeleton_code};
      items.push_back(std::move(item));
    }
  }
  for (const Folder& folder : kFolders) {
    for (const auto& file : kernels_in(root / "tests" / "mutants" / folder.name)) {
      for (CourseItem& item : read_promises(folder.task, file)) {
        const judge::ChapterInfo* chapter = judge::find_chapter(item.chapter);
        if (chapter != nullptr && is_left_out(*chapter, compilers.front())) continue;
        item.compiler = compilers.front();
        items.push_back(std::move(item));
      }
    }
  }
  return items;
}

}  // namespace lab::course

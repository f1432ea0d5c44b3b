// Reads chapter names and numbers out of file names. See match.h.
#include "common/grade/match.h"
#include "common/base/characters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "common/base/files.h"
#include "common/judge/examine.h"

namespace lab::grade {
namespace {

using Chapters = std::vector<const judge::ChapterInfo*>;

// How plainly a part of a path names a chapter.
enum Clarity { kSilent = 0, kNumber = 1, kName = 2, kBoth = 3, kExact = 4 };
struct Mention {
  Clarity clarity = kSilent;
  int chapter = 0;
  bool torn = false;  // it names several
};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// "05 Padding (1)" → "05padding1".
std::string letters_of(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) result += lower(c);
  }
  return result;
}

int number_of(const judge::ChapterInfo& chapter) { return std::atoi(chapter.name); }

std::string idea_of(const judge::ChapterInfo& chapter) {
  const std::string_view name = chapter.name;
  const std::size_t cut = name.find('_');
  return letters_of(name.substr(cut == name.npos ? 0 : cut + 1));
}

// Where the letters of `wanted` stand in `text`, separators left out: first and last place.
std::optional<std::pair<std::size_t, std::size_t>> find_letters(std::string_view text,
                                                                std::string_view wanted) {
  for (std::size_t start = 0; start < text.size(); ++start) {
    std::size_t at = start, matched = 0;
    while (at < text.size() && matched < wanted.size()) {
      if (lower(text[at]) == wanted[matched]) {
        ++matched;
      } else if (matched == 0 || std::isalnum(static_cast<unsigned char>(text[at])) != 0) {
        break;
      }
      ++at;
    }
    if (matched == wanted.size()) return std::make_pair(start, at);
  }
  return std::nullopt;
}

struct Number {
  int value = 0;
  bool padded = false;  // "05"
};

// Numbers that may mean a chapter: not "v2", not "(1)", not those of long digit runs.
std::vector<Number> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!base::is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && base::is_digit(text[end])) ++end;
    const bool copy = at > 0 && text[at - 1] == '(';
    const bool version = at > 0 && lower(text[at - 1]) == 'v' &&
                         (at == 1 || std::isalpha(static_cast<unsigned char>(text[at - 2])) == 0);
    if (!copy && !version && end - at <= 2)
      numbers.push_back({std::atoi(std::string(text.substr(at, end - at)).c_str()), text[at] == '0'});
    at = end;
  }
  return numbers;
}

// "05_padding (1)", "05_padding - Copy": what browsers and desktops add. Such a file is as plain as the
// other.
std::string_view without_copy_mark(std::string_view text) {
  const auto trim = [&] {
    while (!text.empty() && std::string_view(" -_").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
  };
  if (const std::size_t open = text.rfind('(');
      open != std::string_view::npos && open > 0 && text.ends_with(')')) {
    const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
    if (!inner.empty() && std::all_of(inner.begin(), inner.end(), base::is_digit))
      text = text.substr(0, open), trim();
  }
  if (text.size() > 5 && letters_of(text).ends_with("copy") && lower(text.back()) == 'y') {
    text.remove_suffix(4);
    trim();
  }
  return text;
}

class Reader {
 public:
  explicit Reader(const Chapters& all) : all_(all) {}

  // One folder's name, or a file's without its ending.
  [[nodiscard]] Mention read(std::string_view whole) const {
    const std::string_view text = without_copy_mark(whole);
    for (const auto* chapter : all_) {
      if (letters_of(text) == letters_of(chapter->name)) return {kExact, number_of(*chapter), false};
    }
    std::string rest(text);
    const std::set<int> named = take_names(rest);
    std::set<int> padded, plain;
    for (const Number& n : numbers_in(rest)) {
      if (is_chapter(n.value)) (n.padded ? padded : plain).insert(n.value);
    }
    if (named.size() > 1) return {kName, 0, true};
    if (named.size() == 1) return with_name(*named.begin(), padded, plain);
    const std::set<int>& numbers = padded.empty() ? plain : padded;  // "hw2_05" is about 05
    if (numbers.empty()) return {};
    return {kNumber, *numbers.begin(), numbers.size() > 1};
  }

 private:
  [[nodiscard]] bool is_chapter(int number) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto* c) { return number_of(*c) == number; });
  }

  static Mention with_name(int chapter, const std::set<int>& padded, const std::set<int>& plain) {
    if (padded.count(chapter) + plain.count(chapter) > 0) return {kBoth, chapter, false};
    return {kName, chapter, !padded.empty()};  // "04_padding" contradicts itself, "padding_2" does not
  }

  // Cut out, longest first, so that the 4 of float4 is no number.
  std::set<int> take_names(std::string& text) const {
    Chapters by_length = all_;
    std::stable_sort(by_length.begin(), by_length.end(),
                     [](const auto* a, const auto* b) { return idea_of(*a).size() > idea_of(*b).size(); });
    std::set<int> found;
    for (const auto* chapter : by_length) {
      const auto place = find_letters(text, idea_of(*chapter));
      if (!place) continue;
      text.replace(place->first, place->second - place->first, "/");
      found.insert(number_of(*chapter));
    }
    return found;
  }

  const Chapters& all_;
};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  if (!parts.empty() && parts.back().size() > 3) parts.back().resize(parts.back().size() - 3);  // ".cu"
  return parts;
}

// chapters/05_padding/transpose.cu, whatever stands before it.
bool is_course_layout(const std::vector<std::string>& parts, const Reader& reader) {
  const std::size_t n = parts.size();
  return n >= 3 && letters_of(parts[n - 3]) == "chapters" && reader.read(parts[n - 2]).clarity == kExact &&
         letters_of(parts[n - 1]) == "transpose";
}

// Folders of a clone that hold kernels which are not the student's.
bool is_courses_own(const std::vector<std::string>& parts) {
  static const std::set<std::string> kFolders = {"solutions", "tests", "common", "tools", "docs", "chapters"};
  return std::any_of(parts.begin(), parts.end() - 1,
                     [](const std::string& part) { return kFolders.contains(letters_of(part)); });
}

struct Candidate {
  const SourceFile* file = nullptr;
  int chapter = 0;
  int rank = 0;  // the highest wins
  bool torn = false;
};

Candidate candidate_of(const SourceFile& file, const Reader& reader) {
  constexpr int kCourseLayoutRank = 100;
  const std::vector<std::string> parts = parts_of(file.path);
  Candidate best{&file, 0, 0, false};
  if (parts.empty()) return best;
  if (is_course_layout(parts, reader))
    return {&file, reader.read(parts[parts.size() - 2]).chapter, kCourseLayoutRank, false};
  for (std::size_t i = parts.size(); i-- > 0;) {  // what stands deeper wins when as plain
    const Mention mention = reader.read(parts[i]);
    const bool own = i + 1 == parts.size();
    const int rank = 2 * mention.clarity + (own || letters_of(parts.back()) == "transpose" ? 1 : 0);
    if (mention.clarity != kSilent && rank / 2 > best.rank / 2)
      best = {&file, mention.chapter, rank, mention.torn};
  }
  return best;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMost ? fmt::format("{} and {} more", text, names.size() - kMost) : text;
}

std::string listed(const std::vector<const SourceFile*>& files) {
  std::vector<std::string> names;
  for (const SourceFile* file : files) names.push_back(file->path);
  return listed(names);
}

// What lies there instead, for who looks for a kernel: "final_FINAL.cu", "05_padding.cu.txt", "work.zip".
std::string what_is_there(const Submission& submission, const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const Candidate& c : candidates) {
    if (c.rank == 0) names.push_back(c.file->path);
  }
  bool renamed = false, packed = false;
  for (const std::string& name : submission.others) {
    renamed |= letters_of(name).ends_with("cutxt");
    packed |= is_archive_name(name);
    names.push_back(name);
  }
  if (names.empty()) return submission.files.empty() ? " The submission holds no file." : "";
  return fmt::format(" Files that name no chapter: {}.{}{}", listed(names),
                     renamed ? " A kernel file ends in .cu, not in .cu.txt." : "",
                     packed ? " An archive in an archive, or beside kernels, is not opened." : "");
}

// A file that is there and was not read: "it is larger than 4 MiB".
const SourceFile* refused_for(const judge::ChapterInfo& chapter, const Submission& submission,
                              const Reader& reader, bool any) {
  for (const SourceFile& file : submission.refused) {
    const Candidate candidate = candidate_of(file, reader);
    if ((candidate.chapter == number_of(chapter) && !candidate.torn) || (any && candidate.rank == 0))
      return &file;
  }
  return nullptr;
}

// Of the files that the platform names, the one that was handed in last; it decides, whatever its name is.
std::optional<ChapterKernel> named_by_platform(const judge::ChapterInfo& chapter,
                                               const std::vector<Candidate>& candidates,
                                               const std::vector<HandIn>& rows) {
  const HandIn* best = nullptr;
  const SourceFile* file = nullptr;
  bool tied = false;
  for (const Candidate& c : candidates) {
    const HandIn* row = c.torn || c.chapter != number_of(chapter) ? nullptr : newest(rows, c.file->path);
    if (row == nullptr || (best != nullptr && row->seconds < best->seconds)) continue;
    tied = best != nullptr && row->seconds == best->seconds && file->bytes != c.file->bytes;
    best = row;
    file = c.file;
  }
  if (best == nullptr || tied) return std::nullopt;  // two at one moment: as without a list
  return ChapterKernel{&chapter, ChapterKernel::State::Found, *file, "", best->time};
}

ChapterKernel choose(const judge::ChapterInfo& chapter, const std::vector<Candidate>& candidates,
                     const std::vector<HandIn>& rows) {
  if (auto named = named_by_platform(chapter, candidates, rows)) return *std::move(named);
  ChapterKernel kernel;
  kernel.chapter = &chapter;
  if (const HandIn* all = newest(rows, ""); all != nullptr) kernel.submitted = all->time;
  int best = 0;
  std::vector<const SourceFile*> files;
  for (const Candidate& c : candidates) {
    if (c.torn || c.chapter != number_of(chapter) || c.rank < best) continue;
    if (c.rank > best) files.clear();
    best = c.rank;
    files.push_back(c.file);
  }
  if (files.empty()) {
    kernel.reason =
        fmt::format("There is no kernel for {}: a file chapters/{}/transpose.cu or {}.cu was expected.",
                    chapter.name, chapter.name, chapter.name);
    return kernel;
  }
  const bool alike = std::all_of(files.begin(), files.end(),
                                 [&](const SourceFile* f) { return f->bytes == files.front()->bytes; });
  if (!alike) {
    kernel.state = ChapterKernel::State::Ambiguous;
    if (std::all_of(files.begin(), files.end(),
                    [&](const SourceFile* f) { return f->path == files.front()->path; })) {
      kernel.reason = fmt::format(
          "The archive holds {} more than once, and not the same each time. Pack it anew, with one of them.",
          files.front()->path);
      return kernel;
    }
    kernel.reason = fmt::format(
        "Several files may be the kernel of {}: {}. Hand in one of them as {}.cu, or let "
        "{} say when each was handed in.",
        chapter.name, listed(files), chapter.name, kManifestName);
    return kernel;
  }
  kernel.state = ChapterKernel::State::Found;
  kernel.file = *files.front();
  return kernel;
}

// The other chapter whose untouched skeleton this is: a folder of 06 answers no other chapter.
const judge::ChapterInfo* begins(const std::string& bytes, const judge::ChapterInfo& wanted,
                                 const Chapters& all) {
  const auto is = [&](const std::filesystem::path& file) { return base::read_file(file) == bytes; };
  if (is(judge::skeleton_kernel(wanted))) return nullptr;
  for (const auto* chapter : all) {
    if (chapter != &wanted && is(judge::skeleton_kernel(*chapter))) return chapter;
  }
  return nullptr;
}

}  // namespace

std::vector<ChapterKernel> find_kernels(const Submission& submission, const Chapters& wanted,
                                        const Chapters& all) {
  const Reader reader(all);
  std::vector<Candidate> candidates;
  bool clone = false;
  for (const SourceFile& file : submission.files) {
    candidates.push_back(candidate_of(file, reader));
    clone |= is_course_layout(parts_of(file.path), reader);
  }
  std::vector<const SourceFile*> torn;
  for (const Candidate& c : candidates) {
    if (c.torn) torn.push_back(c.file);
  }
  if (clone) {
    std::erase_if(candidates, [&](const Candidate& c) {
      const auto parts = parts_of(c.file->path);
      return !is_course_layout(parts, reader) && is_courses_own(parts);
    });
  }
  const bool only_one = wanted.size() == 1 && submission.files.size() == 1;
  std::vector<ChapterKernel> kernels;
  for (const auto* chapter : wanted) {
    ChapterKernel kernel = choose(*chapter, candidates, submission.hand_ins);
    if (kernel.state == ChapterKernel::State::Missing && only_one && candidates.size() == 1 &&
        candidates[0].rank == 0) {  // one file, one chapter asked for, no other named
      if (const auto* other = begins(submission.files.front().bytes, *chapter, all)) {
        kernel.reason +=
            fmt::format(" {} is what chapter {} begins with.", submission.files.front().path, other->name);
        kernels.push_back(std::move(kernel));
        continue;
      }
      kernel.state = ChapterKernel::State::Found;
      kernel.file = submission.files.front();
      kernel.reason.clear();
    } else if (kernel.state == ChapterKernel::State::Missing && !torn.empty()) {
      kernel.reason += fmt::format(" These names fit several chapters: {}.", listed(torn));
    }
    if (kernel.state == ChapterKernel::State::Missing) {
      const bool any = wanted.size() == 1 && submission.files.empty() && submission.refused.size() == 1;
      if (const SourceFile* refused = refused_for(*chapter, submission, reader, any)) {
        kernel.state = ChapterKernel::State::Refused;
        kernel.reason = fmt::format("{} was not read: {}.", refused->path, refused->bytes);
        kernels.push_back(std::move(kernel));
        continue;
      }
      kernel.reason += what_is_there(submission, candidates);
      for (std::size_t i = 0; i < std::min<std::size_t>(submission.problems.size(), 3); ++i)
        kernel.reason += fmt::format(" {}{}.", i == 0 ? "Note: " : "", submission.problems[i]);
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace lab::grade

// Chooses the kernel of each chapter among the files of a submission. See match.h.
#include "common/class/grade/match.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/base/source_text.h"
#include "common/class/grade/chapter_names.h"
#include "common/course/judge/examine.h"
#include "common/course/judge/named_kernel.h"

namespace lab::grade {
namespace {

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
bool is_course_layout(const std::vector<std::string>& parts, const ChapterNames& names) {
  const std::size_t n = parts.size();
  return n >= 3 && letters_of(parts[n - 3]) == "chapters" && names.read(parts[n - 2]).clarity == kExact &&
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

// Null `file`: one that was not read.
Candidate candidate_of(const std::string& path, const SourceFile* file, const ChapterNames& names) {
  constexpr int kCourseLayoutRank = 100;
  const std::vector<std::string> parts = parts_of(path);
  Candidate best{file, 0, 0, false};
  if (parts.empty()) return best;
  if (is_course_layout(parts, names))
    return {file, names.read(parts[parts.size() - 2]).chapter, kCourseLayoutRank, false};
  for (std::size_t i = parts.size(); i-- > 0;) {  // what stands deeper wins when as plain
    const Mention mention = names.read(parts[i]);
    const bool own = i + 1 == parts.size();
    const int rank = 2 * mention.clarity + (own || letters_of(parts.back()) == "transpose" ? 1 : 0);
    if (mention.clarity != kSilent && rank / 2 > best.rank / 2)
      best = {file, mention.chapter, rank, mention.torn};
  }
  return best;
}

Message listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMost ? msg("{} and {} more", text, names.size() - kMost) : text::verbatim(text);
}

Message listed(const std::vector<const SourceFile*>& files) {
  std::vector<std::string> names;
  for (const SourceFile* file : files) names.push_back(file->path);
  return listed(names);
}

// What is there in place of a kernel: "final_FINAL.cu", "05_padding.cu.txt", "work.zip".
Message what_is_there(const Submission& submission, const std::vector<Candidate>& candidates) {
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
  if (names.empty()) return submission.files.empty() ? Message(" The submission holds no file.") : Message();
  return msg(" Files that name no chapter: {}.{}{}", listed(names),
             renamed ? " A kernel file ends in .cu, not in .cu.txt." : "",
             packed ? " An archive beside kernels is not opened." : "");
}

// A file that is there and was not read: "it is larger than 4 MiB".
const RefusedFile* refused_for(const judge::ChapterInfo& chapter, const Submission& submission,
                               const ChapterNames& names, bool any) {
  for (const RefusedFile& file : submission.refused) {
    const Candidate candidate = candidate_of(file.path, nullptr, names);
    if ((candidate.chapter == number_of(chapter) && !candidate.torn) || (any && candidate.rank == 0))
      return &file;
  }
  return nullptr;
}

// The file that was handed in last, among those that the platform names: it decides, whatever its name is.
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
    kernel.reason = msg("There is no kernel for {}: a file chapters/{}/transpose.cu or {}.cu was expected.",
                        chapter.name, chapter.name, chapter.name);
    return kernel;
  }
  const bool alike = std::all_of(files.begin(), files.end(),
                                 [&](const SourceFile* f) { return f->bytes == files.front()->bytes; });
  if (!alike) {
    kernel.state = ChapterKernel::State::Ambiguous;
    if (std::all_of(files.begin(), files.end(),
                    [&](const SourceFile* f) { return f->path == files.front()->path; })) {
      kernel.reason = msg(
          "The archive holds {} more than once, and not the same each time. Pack it anew, with one of them.",
          files.front()->path);
      return kernel;
    }
    kernel.reason =
        msg("Several files may be the kernel of {}: {}. Hand in one of them as {}.cu, or let {} say when "
            "each was handed in.",
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
  const std::string text = base::source_text(bytes);
  const auto is = [&](const std::filesystem::path& file) { return base::read_source_text(file) == text; };
  if (is(judge::skeleton_kernel(wanted))) return nullptr;
  for (const auto* chapter : all) {
    if (chapter != &wanted && is(judge::skeleton_kernel(*chapter))) return chapter;
  }
  return nullptr;
}

// The files of a submission, by what their names say.
struct Named {
  std::vector<Candidate> candidates;    // those of a clone that are the course's own left out
  std::vector<const SourceFile*> torn;  // they fit several chapters
};

Named read_names(const Submission& submission, const ChapterNames& names) {
  Named named;
  bool clone = false;
  for (const SourceFile& file : submission.files) {
    named.candidates.push_back(candidate_of(file.path, &file, names));
    if (named.candidates.back().torn) named.torn.push_back(&file);
    clone |= is_course_layout(parts_of(file.path), names);
  }
  if (clone) {
    std::erase_if(named.candidates, [&](const Candidate& c) {
      const auto parts = parts_of(c.file->path);
      return !is_course_layout(parts, names) && is_courses_own(parts);
    });
  }
  return named;
}

// No file names the chapter: the only one may be meant, or the message lists the files. `alone`: no
// other chapter is asked for.
void look_further(ChapterKernel& kernel, const Submission& submission, const Named& named,
                  const ChapterNames& names, bool alone) {
  if (alone && submission.files.size() == 1 && named.candidates.size() == 1 &&
      named.candidates[0].rank == 0) {
    const SourceFile& file = submission.files.front();
    if (const auto* other = begins(file.bytes, *kernel.chapter, names.all())) {
      kernel.reason += msg(" {} is what chapter {} begins with.", file.path, other->name);
      return;
    }
    kernel.state = ChapterKernel::State::Found;
    kernel.file = file;
    kernel.reason = {};
    return;
  }
  const bool any = alone && submission.files.empty() && submission.refused.size() == 1;
  if (const RefusedFile* refused = refused_for(*kernel.chapter, submission, names, any)) {
    kernel.state = ChapterKernel::State::Refused;
    kernel.reason = msg("{} was not read: {}.", refused->path, refused->why);
    return;
  }
  if (!named.torn.empty()) kernel.reason += msg(" These names fit several chapters: {}.", listed(named.torn));
  kernel.reason += what_is_there(submission, named.candidates);
  for (std::size_t i = 0; i < std::min<std::size_t>(submission.problems.size(), 3); ++i)
    kernel.reason += i == 0 ? msg(" Note: {}.", submission.problems[i]) : msg(" {}.", submission.problems[i]);
}

}  // namespace

std::vector<ChapterKernel> find_kernels(const Submission& submission, const Chapters& wanted,
                                        const Chapters& all) {
  const ChapterNames names(all);
  const Named named = read_names(submission, names);
  std::vector<ChapterKernel> kernels;
  for (const auto* chapter : wanted) {
    ChapterKernel kernel = choose(*chapter, named.candidates, submission.hand_ins);
    if (kernel.state == ChapterKernel::State::Missing)
      look_further(kernel, submission, named, names, wanted.size() == 1);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace lab::grade

// Grades a class. See grading.h.
#include "common/class/grade/grading.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/sha256.h"
#include "common/base/words.h"
#include "common/class/grade/exports.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/labels.h"
#include "common/class/grade/overrides.h"
#include "common/course/judge/checks.h"

namespace lab::grade {
namespace fs = std::filesystem;
using judge::ChapterInfo;

namespace {

// A kernel text of a chapter, and whose it is.
struct Unit {
  OpenKernel kernel;
  std::vector<std::size_t> records;  // places in the list of all
};

class ClassGrader {
 public:
  ClassGrader(const GradingOptions& options, const Rubric& rubric,
              const std::function<void(const Progress&)>& progress)
      : options_(options),
        rubric_(rubric),
        progress_(progress),
        tools_(compile::find_tools(options.compiler, options.rubric_text)),
        course_(judge::all_chapters()),
        by_hand_(read_overrides(base::read_file(options.out.overrides()).value_or(""), kOverridesName)) {}

  ClassResult run(const std::vector<Place>& places) {
    const auto start = std::chrono::steady_clock::now();
    settle_decisions(places);
    if (options_.write_files) begin_folder(places);
    result_.drop_lowest = rubric_.drop_lowest();
    if (!take_in_all(places)) return std::move(result_);
    take_known();
    if (options_.judge_here) {
      result_.complete = judge_all();
    } else {
      result_.complete = open_.empty();
      for (const std::size_t i : open_) result_.open.push_back(units_[i].kernel);
    }
    keep_fingerprints();
    note_overrides();
    result_.different = units_.size();
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  void keep(const fs::path& path, const std::string& bytes) const {
    if (options_.write_files && !base::write_file_atomically(path, bytes))
      throw base::EnvironmentError(
          msg("Cannot write {}. Give --out a folder of yours with room in it.", path.string()));
  }

  void begin_folder(const std::vector<Place>& places) const {
    options_.out.refuse_others_files(options_.rubric_text);
    base::remove_dead_drafts(options_.out.root);  // of a run that was killed
    make_private(options_.out.root);
    keep(options_.out.rubric(), options_.rubric_text);
    const auto before = base::read_file(options_.out.people());
    if (const std::string people = people_text(before.value_or(""), places); !people.empty())
      keep(options_.out.people(), people);
    std::error_code error;
    fs::create_directories(options_.out.records(), error);
  }

  // Records hold names, points and the class's key: a folder that is made is for its owner's eyes.
  static void make_private(const fs::path& folder) {
    std::error_code error;
    if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  }

  // False when it was asked to stop.
  bool take_in_all(const std::vector<Place>& places) {
    Progress progress;
    progress.submissions = places.size();
    for (const Place& place : places) {
      if (stop_requested) {
        result_.complete = false;
        result_.unread = true;
        return false;
      }
      take_in(place);
      ++progress.read;
      progress_(progress);
    }
    return true;
  }

  // Finds the kernels of one submission; the kernels' bytes are not kept in memory.
  void take_in(const Place& place) {
    Submission submission = read_submission(place);
    refuse_several_people(submission);
    if (place.anonymous) leave_names_out(place, submission);
    result_.students.push_back(submission.student);
    result_.about[submission.student] = {place.who, place.feedback,
                                         place.kind == Place::Kind::None && place.path.empty()};
    if (!submission.problems.empty()) result_.problems[submission.student] = submission.problems;
    for (const ChapterKernel& kernel : find_kernels(submission, options_.chapters, course_)) {
      Graded entry;
      entry.record = record_of(place, submission, kernel);
      if (kernel.state == ChapterKernel::State::Found) {
        entry.record.source = base::sha256(kernel.file.bytes);
        add_unit(*kernel.chapter, entry.record, kernel.file.bytes);
        entry.record.judgement =
            not_judged(*kernel.chapter, "open", "not-judged-yet", "It is not judged yet.");
        entry = graded(std::move(entry.record), rubric_);
      } else {
        entry.record.judgement = no_kernel(kernel);
      }
      result_.graded.push_back(std::move(entry));
      if (kernel.state != ChapterKernel::State::Found) finish(result_.graded.size() - 1);
    }
  }

  [[nodiscard]] Record record_of(const Place& place, const Submission& submission,
                                 const ChapterKernel& kernel) const {
    Record record;
    record.student = submission.student;
    record.chapter = kernel.chapter->name;
    record.file = place.anonymous && !kernel.file.path.empty() ? record.chapter + ".cu" : kernel.file.path;
    record.tools = tools_;
    record.key = options_.key;
    record.submitted = kernel.submitted;
    record.extension = place.extension;
    if (place.seat && asks_for_seat(*kernel.chapter)) record.seat = place.seat;
    record.by_hand = decided_for(record);
    record.first_findings = first_findings_of(record);
    return record;
  }

  // What was handed in to be graded into this folder before. A record that cannot be read says nothing.
  [[nodiscard]] std::map<std::string, judge::SaidFinding> first_findings_of(const Record& record) const {
    const auto text = base::read_file(options_.out.record(record.student, record.chapter));
    const auto json = text ? report::Json::try_parse(*text) : std::nullopt;
    try {
      if (json && json->is_object()) return first_findings_in(*json, record.key);
    } catch (const report::Json::exception&) {
    }
    return {};
  }

  // Finds those whom overrides.csv speaks of, under whatever name; no one is guessed.
  void settle_decisions(const std::vector<Place>& places) {
    if (by_hand_.empty()) return;
    const Directory people = directory_of(places);
    Overrides settled;
    for (auto& [whom, decided] : by_hand_) {
      const std::vector<std::size_t> called = people.called(whom.first);
      const std::string student = called.size() == 1 ? places[called.front()].student : whom.first;
      if (called.size() > 1) {
        std::vector<std::string> names;
        for (const std::size_t place : called) names.push_back(places[place].student);
        result_.notes.push_back(
            msg("{} speaks of {}, who may be any of these, and decides nothing: {}. Write the name "
                "as it stands here, or the id",
                kOverridesName, whom.first, first_of(names)));
      } else if (!settled.emplace(std::pair(student, whom.second), std::move(decided)).second) {
        throw base::UsageError(msg("{} has {} {} twice, under two names; nothing was graded.", kOverridesName,
                                   student, whom.second));
      }
    }
    by_hand_ = std::move(settled);
  }

  [[nodiscard]] std::optional<ByHand> decided_for(const Record& record) const {
    const auto decided = by_hand_.find({record.student, record.chapter});
    return decided == by_hand_.end() ? std::nullopt : std::optional(decided->second);
  }
  // What overrides.csv says today, of a record of an earlier run.
  void decide(Graded& earlier) const {
    earlier.record.by_hand = decided_for(earlier.record);
    const auto& decided = earlier.record.by_hand;
    earlier.points = decided && decided->points ? *decided->points : earlier.judged_points;
  }

  // Names of files and folders may hold the person's; what the kernel's own text says is ignored.
  static void leave_names_out(const Place& place, Submission& submission) {
    const auto leave_out = [&](std::string& words) {
      for (const std::string& name : place.called)
        words = base::replaced_all(std::move(words), name, place.student);
    };
    for (Message& problem : submission.problems) problem.for_each_name(leave_out);
  }

  void note_overrides() {
    std::vector<std::string> elsewhere;
    for (const auto& decision : by_hand_) {
      const auto& whom = decision.first;
      const bool there = std::any_of(result_.graded.begin(), result_.graded.end(), [&](const Graded& g) {
        return g.record.student == whom.first && g.record.chapter == whom.second;
      });
      if (!there) elsewhere.push_back(whom.first + " " + whom.second);
    }
    if (!elsewhere.empty())
      result_.notes.push_back(
          msg("{} speaks of what is not graded in this run: {}", kOverridesName, base::joined(elsewhere)));
  }

  // An export inside of a class: whose points would they be?
  static void refuse_several_people(Submission& submission) {
    const std::vector<std::string> people = several_people_in(submission);
    if (people.empty()) return;
    submission.problems.push_back(
        msg("it holds files of {} people: {}. Grade that export by itself, as its platform made it",
            people.size(), base::joined(people)));
    submission.files.clear();
    submission.refused.clear();
  }

  void add_unit(const ChapterInfo& chapter, const Record& record, const std::string& bytes) {
    ++result_.kernels;
    const std::string key = judgement_key(chapter, record.source, tools_, options_.key);
    const auto [at, is_new] = by_key_.emplace(key, units_.size());
    if (is_new) {
      units_.push_back({{&chapter, record.source, key, record.student}, {}});
      keep(options_.out.source(record.source), bytes);  // for the compiler, and for disputes
    }
    units_[at->second].records.push_back(result_.graded.size());
  }

  // Scores and writes the record of one entry.
  void finish(std::size_t index) {
    Graded& entry = result_.graded[index];
    entry = graded(std::move(entry.record), rubric_);
    const fs::path file = options_.out.record(entry.record.student, entry.record.chapter);
    const std::string text = record_text(entry);
    keep_old(file, text, entry);
    keep(file, text);
    fingerprints_[entry.record.student + "/" + entry.record.chapter] = base::sha256(text);
  }

  // A record that says something else now: the old one stays in history/, and new points are said.
  void keep_old(const fs::path& file, const std::string& text, const Graded& entry) {
    const auto old = base::read_file(file);
    if (!old || *old == text) return;
    keep(options_.out.history(entry.record.student, entry.record.chapter, *old), *old);
    const auto json = report::Json::try_parse(*old);
    const std::string before = json && json->contains("points") ? report::dump((*json)["points"]) : "?";
    if (const std::string now = report::dump(report::Json::parse(text)["points"]); before != now)
      result_.notes.push_back(msg("{} {}: {} points before, {} now (the old record is in history/)",
                                  entry.record.student, entry.record.chapter, before, now));
  }

  // Says which records of the folder this run did not write, and keeps the list of all fingerprints.
  void keep_fingerprints() {
    if (fingerprints_.empty()) return;                       // nothing was written
    std::map<std::string, std::string> all = fingerprints_;  // in one order, however many runs there were
    std::vector<std::string> earlier;
    bool same_class = false;  // one of its students was graded in this folder before
    if (const auto text = base::read_file(options_.out.fingerprints())) {
      const auto json = report::Json::try_parse(*text);
      const report::Json before = json && json->is_object() ? *json : report::Json::object();
      for (const auto& [name, fingerprint] : before.items()) {
        same_class |= is_student(name.substr(0, name.rfind('/')));
        if (fingerprint.is_string() && all.emplace(name, fingerprint.get<std::string>()).second)
          earlier.push_back(name);
      }
    }
    report::Json list = report::Json::object();
    for (const auto& [name, fingerprint] : all) list[name] = fingerprint;
    keep(options_.out.fingerprints(), list.dump(1) + "\n");
    if (same_class) return take_earlier(earlier);
    if (!earlier.empty())
      result_.notes.push_back(
          msg("{} records in the folder are of another class, and in no table of this one: {}",
              earlier.size(), first_of(earlier)));
  }

  [[nodiscard]] bool is_student(const std::string& name) const {
    return std::find(result_.students.begin(), result_.students.end(), name) != result_.students.end();
  }

  // What earlier runs graded and this one did not stands in the tables as its records have it: so weeks come
  // together, and a single student can be graded again.
  void take_earlier(const std::vector<std::string>& names) {
    std::vector<std::string> taken;
    for (const std::string& name : names) {
      const std::size_t slash = name.rfind('/');
      const auto text = base::read_file(options_.out.record(name.substr(0, slash), name.substr(slash + 1)));
      auto before = text ? graded_before(*text) : std::nullopt;
      if (!before) continue;
      decide(*before);
      const std::string& student = before->record.student;
      if (!is_student(student)) result_.students.push_back(student);
      taken.push_back(student + " " + before->record.chapter);
      result_.graded.push_back(*std::move(before));
    }
    if (taken.empty()) return;
    std::sort(result_.students.begin(), result_.students.end());
    std::stable_sort(result_.graded.begin(), result_.graded.end(), [](const Graded& a, const Graded& b) {
      return std::tie(a.record.student, a.record.chapter) < std::tie(b.record.student, b.record.chapter);
    });
    result_.notes.push_back(
        msg("{} records of an earlier run stand in the tables as they are, scored by the rubric of that run: "
            "{}. To leave one out, delete its file in records/",
            taken.size(), first_of(taken)));
  }

  void finish(const Unit& unit, const Judgement& judgement) {
    for (const std::size_t index : unit.records) {
      result_.graded[index].record.judgement = judgement;
      finish(index);
    }
  }

  [[nodiscard]] std::optional<Judgement> known(const OpenKernel& kernel) {
    if (options_.fresh) return std::nullopt;
    for (const fs::path& store : {options_.out.judgements(), options_.unsettled}) {
      if (auto judgement = load_judgement(store, kernel.key, kernel.chapter->name)) return judgement;
      if (is_damaged(store, kernel.key, kernel.chapter->name)) {
        result_.damaged.push_back(msg(
            "The judgement of {} {} is damaged (its fingerprint does not fit it): {} does not count.",
            kernel.student, kernel.chapter->name, (store / kernel.key.substr(0, 2) / kernel.key).string()));
      }
    }
    return std::nullopt;
  }

  void take_known() {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (const auto judgement = known(units_[i].kernel)) {
        ++result_.known;
        finish(units_[i], *judgement);
      } else {
        open_.push_back(i);
      }
    }
  }

  bool judge_all() {
    std::vector<OpenKernel> kernels;
    for (const std::size_t i : open_) kernels.push_back(units_[i].kernel);
    Progress progress;
    progress.all = open_.size();
    const auto done = [&](std::size_t i, const UnitEnd& end) {
      if (end.killed && stop_requested) return;  // nothing is known: it stays open
      finish(units_[open_[i]], end.judgement);
      result_.costs.push_back(end.cost);
      ++progress.done;
    };
    const auto tick = [&](const std::vector<RunningJob>& running) {
      progress.running.clear();
      for (const RunningJob& job : running)
        progress.running.push_back({kernels[job.job].student, kernels[job.job].chapter->name, job.seconds});
      progress_(progress);
      show_results(progress.done);
    };
    return judge_kernels(kernels, options_, tools_, done, tick);
  }

  // At the start, and when something new is known, every few seconds.
  void show_results(std::size_t done) {
    constexpr auto kPause = std::chrono::seconds(2);
    const auto now = std::chrono::steady_clock::now();
    if (!options_.as_results_come || !options_.write_files || done == shown_ || now - last_shown_ < kPause)
      return;
    result_.complete = false;
    options_.as_results_come(result_);
    shown_ = done;
    last_shown_ = now;
  }

  const GradingOptions& options_;
  const Rubric& rubric_;
  const std::function<void(const Progress&)>& progress_;
  const compile::Tools tools_;
  const std::vector<const ChapterInfo*> course_;
  ClassResult result_;
  std::vector<Unit> units_;
  std::map<std::string, std::size_t> by_key_;
  std::map<std::string, std::string> fingerprints_;  // by STUDENT/CHAPTER, of records that were written
  std::vector<std::size_t> open_;                    // units that are not judged yet
  Overrides by_hand_;
  std::size_t shown_ = ~std::size_t{0};
  std::chrono::steady_clock::time_point last_shown_;
};

}  // namespace

fs::path OutputFolder::records() const { return root / "records"; }
fs::path OutputFolder::record(const std::string& student, const std::string& chapter) const {
  return records() / student / (chapter + ".json");
}
bool OutputFolder::was_graded_into() const {
  std::error_code error;
  return fs::is_regular_file(rubric(), error) && fs::is_directory(records(), error);
}
void OutputFolder::refuse_others_files(const std::string& rubric_text) const {
  if (was_graded_into()) return;
  std::vector<std::string> theirs = existing_reports(*this);
  if (base::read_file(rubric()).value_or(rubric_text) != rubric_text)
    theirs.emplace_back(rubric().filename());
  if (!theirs.empty())
    throw base::UsageError(
        msg("{} holds {}, which no grading run wrote, and reports would take the place of it. Give --out a "
            "new folder.",
            root.string(), base::joined(theirs)));
}
fs::path OutputFolder::source(const std::string& sha256) const { return root / "sources" / (sha256 + ".cu"); }
fs::path OutputFolder::judgements() const { return root / "judgements"; }
fs::path OutputFolder::rubric() const { return root / "rubric.toml"; }
fs::path OutputFolder::overrides() const { return root / kOverridesName; }
fs::path OutputFolder::people() const { return root / kPeopleName; }
fs::path OutputFolder::fingerprints() const { return root / "fingerprints.json"; }
fs::path OutputFolder::history(const std::string& student, const std::string& chapter,
                               const std::string& text) const {
  return root / "history" / student / (chapter + "-" + base::sha256(text).substr(0, 12) + ".json");
}
fs::path OutputFolder::slurm() const { return root / "slurm"; }
fs::path OutputFolder::unsettled() const { return slurm() / "unsettled"; }

ClassResult grade_class(const std::vector<Place>& places, const GradingOptions& options, const Rubric& rubric,
                        const std::function<void(const Progress&)>& progress) {
  return ClassGrader(options, rubric, progress).run(places);
}

}  // namespace lab::grade

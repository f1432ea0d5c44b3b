// Judges a record again. See verify.h.
#include "common/class/grade/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/printable.h"
#include "common/base/sha256.h"
#include "common/class/grade/match.h"
#include "common/class/grade/rubric.h"
#include "common/compile/sandbox.h"
#include "common/course/judge/checks.h"

namespace lab::grade {
namespace fs = std::filesystem;
using base::UsageError;
using report::Json;

namespace {

struct OldRecord {
  std::string text, student, chapter, source, state, file, compiler_name, submitted;
  Json json;
};

OldRecord read_record(const fs::path& file) {
  const auto text = base::read_file(file);
  if (!text) throw UsageError(msg("Cannot read the record {}. Check the name.", file.string()));
  OldRecord record;
  record.text = *text;
  try {
    record.json = Json::parse(*text);
    if (record.json.at("format") != kRecordFormat)
      throw UsageError(msg("{} is a record of another format than \"{}\".", file.string(), kRecordFormat));
    record.student = record.json.at("student");
    record.chapter = record.json.at("chapter");
    record.state = record.json.at("state");
    record.source = record.json.at("hashes").at("submission");
    record.file = record.json.value("file", "");
    record.submitted = record.json.value("submitted", "");
    record.compiler_name = record.json.at("hashes").value("compiler_name", "");
  } catch (const Json::exception&) {
    throw UsageError(msg("{} is no record of `lab grade`: records lie in OUT/records/STUDENT/CHAPTER.json.",
                         file.string()));
  }
  return record;
}

const judge::ChapterInfo& chapter_of(const OldRecord& record) {
  const judge::ChapterInfo* chapter = judge::find_chapter(record.chapter);
  if (chapter == nullptr)
    throw UsageError(
        msg("The record speaks of a chapter \"{}\", which this course has not.", record.chapter));
  return *chapter;
}

bool is_fingerprint(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The output folder that a record lies in: OUT/records/STUDENT/CHAPTER.json.
OutputFolder folder_of(const fs::path& record) {
  return {fs::absolute(record).parent_path().parent_path().parent_path()};
}

// As it was kept when it was graded.
ChapterKernel kept_kernel(const OldRecord& record, const fs::path& file) {
  ChapterKernel kernel;
  kernel.chapter = &chapter_of(record);
  kernel.state = ChapterKernel::State::Found;
  kernel.file.path = record.file;
  const auto bytes =
      is_fingerprint(record.source) ? base::read_file(folder_of(file).source(record.source)) : std::nullopt;
  if (!bytes) {
    throw UsageError(
        msg("The kernel of this record is not at hand (sources/ is not beside records/, or there was no "
            "kernel). Name the submission too: lab grade --verify {} SUBMISSION",
            file.string()));
  }
  kernel.file.bytes = *bytes;
  return kernel;
}

ChapterKernel handed_in_kernel(const OldRecord& record, const std::vector<Place>& places) {
  const Place* place = places.size() == 1 ? &places.front() : nullptr;
  for (const Place& p : places) {
    if (p.student == record.student) place = &p;
  }
  if (place == nullptr) throw UsageError(msg("None of these submissions is {}'s.", record.student));
  return find_kernels(read_submission(*place), {&chapter_of(record)}, judge::all_chapters()).front();
}

struct UsedRubric {
  Rubric rubric;
  std::string text;  // "" where the record itself says what it was
};

// The one that is named, the one that was kept beside the record, what the record holds of it, or the
// course's.
UsedRubric rubric_for(const OldRecord& old, const fs::path& file, const std::optional<fs::path>& named,
                      const CasesOfChapters& cases) {
  const fs::path kept = folder_of(file).rubric();
  fs::path path = named ? *named : kept;
  if (!named && !base::read_file(kept)) {
    try {
      if (old.json.contains("terms")) return {Rubric::of_terms(old.json.at("terms"), old.chapter), ""};
    } catch (const Json::exception&) {
      throw UsageError(msg("The record {} has terms that were not written by `lab grade`.", file.string()));
    }
    path = default_rubric_file();
  }
  const std::string text = rubric_text(path);
  return {Rubric::parse(text, path.string(), cases), text};
}

// Records of earlier versions say nothing of their terms, of what points wait for, of findings.
std::string in_form_of(const OldRecord& old, const std::string& text) {
  const auto any_case = [](const Json& record, const auto& has) {
    for (const Json& c : record.at("cases"))
      if (has(c)) return true;
    return false;
  };
  const auto says = [](const Json& c) {
    for (const Json& reason : c.at("reasons"))
      if (reason.contains("said")) return true;
    return false;
  };
  const auto finds = [](const Json& c) { return c.contains("finding"); };
  Json json = Json::parse(text);
  const bool no_terms = !old.json.contains("terms"),
             no_said = any_case(json, says) && !any_case(old.json, says),
             no_findings = any_case(json, finds) && !any_case(old.json, finds);
  if (!no_terms && !no_said && !no_findings) return text;
  if (no_terms) json.erase("terms");
  for (Json& c : json["cases"]) {
    if (no_terms) c.erase("gate");
    if (no_findings) c.erase("finding");
    for (Json& reason : c["reasons"])
      if (no_said) reason.erase("said");
  }
  return json.dump(1) + "\n";
}

// The record's fingerprint in the list that grading wrote; "" where there is none.
std::string kept_fingerprint(const OldRecord& record, const fs::path& file) {
  const auto text = base::read_file(folder_of(file).fingerprints());
  const auto json = text ? Json::try_parse(*text) : std::nullopt;
  return json && json->is_object() ? json->value(record.student + "/" + record.chapter, std::string()) : "";
}

// More time until when this student had; none where the rubric gives none.
std::optional<std::int64_t> more_time(const OldRecord& old, const LatePolicy& late) {
  // What a roster or worksheet gave is part of the time until which it had to be handed in.
  if (const Json* terms = old.json.find("terms"); terms != nullptr && terms->contains("late"))
    return terms->at("late").at("due").get<std::int64_t>();
  Places alone;
  alone.places.emplace_back().student = old.student;
  give_more_time(late, alone);
  return alone.places.front().extension;
}

Record judge_again(const OldRecord& old, const ChapterKernel& kernel, const GradingOptions& options,
                   const compile::Tools& tools, const LatePolicy& late) {
  Record record;
  record.student = old.student;
  record.chapter = old.chapter;
  record.file = kernel.file.path;
  record.tools = tools;
  record.key = options.key;
  record.submitted = old.submitted;
  if (old.json.contains("seat")) record.seat = old.json.at("seat").get<int>();
  record.by_hand = by_hand_of(old.json);
  record.first_findings = first_findings_in(old.json, record.key);
  record.extension = more_time(old, late);
  if (kernel.state == ChapterKernel::State::Found) {
    record.source = base::sha256(kernel.file.bytes);
    if (record.source == old.source) record.file = old.file;  // wherever it lies now
    record.judgement = judge_alone(*kernel.chapter, kernel.file.bytes, options, tools);
  } else {
    record.judgement = no_kernel(kernel);
  }
  return record;
}

std::string shown(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : report::dump(value);
  if (is_fingerprint(text)) text.resize(12);
  return text.substr(0, text.find('\n'));
}

void compare(const Json& record, const Json& here, const std::string& where,
             std::vector<Difference>& differences) {
  constexpr std::size_t kMost = 40;
  if (record == here || differences.size() >= kMost) return;
  if (record.is_object() && here.is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : record.items()) keys.insert(key);
    for (const auto& [key, value] : here.items()) keys.insert(key);
    for (const std::string& key : keys)
      compare(record.value(key, Json()), here.value(key, Json()), where.empty() ? key : where + "." + key,
              differences);
  } else if (record.is_array() && here.is_array() && record.size() == here.size()) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      const Json& item = here[i];
      const std::string name = item.is_object() && item.contains("name") && item["name"].is_string()
                                   ? shown(item["name"])
                                   : std::to_string(i + 1);
      compare(record[i], item, fmt::format("{}[{}]", where, name), differences);
    }
  } else {
    differences.push_back({where, shown(record), shown(here)});
  }
}

// A record as today's course would call its cases: old ones have no ids, and a title may be another now.
Json with_todays_names(Json record, const std::vector<CaseNames>& known) {
  if (!record.contains("cases") || !record["cases"].is_array()) return record;
  for (Json& c : record["cases"]) {
    if (!c.is_object() || !c.contains("name") || !c["name"].is_string()) continue;
    const std::string id = c.value("id", std::string()), title = c["name"];
    const auto found = std::find_if(known.begin(), known.end(), [&](const CaseNames& names) {
      const bool knows = std::find(names.titles.begin(), names.titles.end(), title) != names.titles.end();
      return knows && (id.empty() || id == names.id);
    });
    if (found == known.end()) continue;
    c["id"] = found->id;
    c["name"] = found->titles.front();
  }
  return record;
}

// What another tool does to a verdict, and how to come to the same one.
Message meaning_of(const std::string& what) {
  struct Meaning {
    std::string_view tool;
    const char* words;
  };
  static constexpr auto kMeanings = std::to_array<Meaning>({
      {"compiler_name",
       "Another version of the kernel compiler makes other PTX, so that counts may differ by a few."},
      {"compiler", "The compiler's program differs. --compiler names another one that is here."},
      {"headers", "common/kernel of this course is of another version. Check out the version that graded."},
      {"simulator", "The simulator is of another version: counts may differ where CHANGELOG.md says so."},
      {"checks", "The chapters' checks are of another version: goals may differ where CHANGELOG.md says so."},
      {"message", "A reason is put in other words by another version of the lab; its diagnosis is the same."},
      {"line", "Another version of the lab names another line for a reason; its diagnosis is the same."},
      {"file", "Another version of the lab names another line for a reason; its diagnosis is the same."},
      {"rubric",
       "The rubric is another one: points differ, verdicts do not. --rubric names the one that graded."},
  });
  const std::string name = what.substr(what.rfind('.') + 1);
  const auto found =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& m) { return m.tool == name; });
  return found == kMeanings.end() ? msg("{} differs.", name) : Message(found->words);
}

// The kind that judged then, where it is on this machine.
std::optional<compile::CompilerKind> kind_of(const std::string& compiler_name) {
  const auto kind = compile::kind_named(compiler_name);
  for (const compile::KernelCompiler& here : compile::kernel_compilers()) {
    if (here.kind == kind) return kind;
  }
  return kind == compile::CompilerKind::Clang ? kind : std::nullopt;
}

}  // namespace

Message verification_text(const Verification& v) {
  const std::string who = fmt::format("{} {}", v.student, v.chapter);
  if (v.same) return msg("{}: the same, byte for byte\n", who);
  Message text = msg("{}: differs\n", who);
  for (const Difference& d : v.tools)
    text += msg("  {:<24} record {}   here {}\n", d.what.substr(d.what.find('.') + 1), d.record, d.here);
  for (const Difference& d : v.verdicts)
    text += msg("  {:<24} record {}   here {}\n", d.what, d.record, d.here);
  if (v.tools.empty()) {
    return msg(
        "{}Compiler, simulator, checks and rubric are those of the record: the record was changed after it "
        "was written, or it is about another kernel.\n",
        text);
  }
  for (const Difference& d : v.tools) text += msg("  {}\n", meaning_of(d.what));
  const auto is_record = [](const Difference& d) { return d.what == "record"; };
  if (std::any_of(v.verdicts.begin(), v.verdicts.end(), is_record))
    text += "The record was changed after it was written.\n";
  text += std::all_of(v.verdicts.begin(), v.verdicts.end(), is_record)
              ? "The verdict is the same; it was reached with other tools.\n"
              : "The record was made with other tools: judge both with the same ones to compare.\n";
  return text;
}

Verification verify_record(const fs::path& file, const std::vector<std::string>& submissions, bool one,
                           std::optional<compile::CompilerKind> compiler,
                           const std::optional<fs::path>& rubric_file) {
  const OldRecord old = read_record(file);
  GradingOptions options;
  options.key = old.json.value("key", std::string(judge::kPracticeKey));
  options.compiler = compiler;
  options.sandbox = compile::sandbox_problem().empty();  // walls change no verdict
  if (!compiler) options.compiler = kind_of(old.compiler_name);
  const CasesOfChapters cases = all_cases();
  const auto [rubric, rubric_text] = rubric_for(old, file, rubric_file, cases);
  const ChapterKernel kernel =
      submissions.empty()
          ? kept_kernel(old, file)
          : handed_in_kernel(old, find_places(submissions, {one, "", rubric.time_zone()}).places);
  compile::Tools tools = compile::find_tools(options.compiler, rubric_text);
  // Points came from what the record holds of its rubric.
  if (rubric_text.empty()) tools.rubric = old.json.at("hashes").value("rubric", std::string());
  const std::string text =
      in_form_of(old, record_text(graded(judge_again(old, kernel, options, tools, rubric.late()), rubric)));

  Verification result{old.student, old.chapter, text == old.text, {}, {}};
  std::vector<Difference> all;
  compare(with_todays_names(old.json, cases.at(chapter_of(old).name)), Json::parse(text), "", all);
  const auto is_tool = [](const Difference& d) {
    return d.what.starts_with("hashes.") && d.what != "hashes.submission";
  };
  // How a reason is put, and the line that it names, may change with the version that judges, and decide nothing.
  const bool other_tools = std::any_of(all.begin(), all.end(), is_tool);
  const auto is_words = [](const std::string& what) {
    const bool of_reason = what.find(".reasons[") != std::string::npos;
    return what.ends_with(".message") || (of_reason && (what.ends_with(".file") || what.ends_with(".line")));
  };
  for (Difference& difference : all) {
    const bool words = other_tools && is_words(difference.what);
    (is_tool(difference) || words ? result.tools : result.verdicts).push_back(std::move(difference));
  }
  if (const std::string kept = kept_fingerprint(old, file); !kept.empty() && kept != base::sha256(old.text)) {
    result.same = false;
    result.verdicts.push_back({"record", base::sha256(old.text).substr(0, 12),
                               fmt::format("{} when it was written", kept.substr(0, 12))});
  }
  if (!result.same && all.empty()) result.verdicts.push_back({"bytes", "the same values in other bytes", ""});
  return result;
}

Json verification_json(const Verification& v) {
  const auto listed = [](const std::vector<Difference>& differences) {
    Json list = Json::array();
    for (const Difference& d : differences)
      list.push_back({{"what", d.what}, {"record", d.record}, {"here", d.here}});
    return list;
  };
  return {{"student", v.student},
          {"chapter", v.chapter},
          {"same", v.same},
          {"tools", listed(v.tools)},
          {"verdicts", listed(v.verdicts)}};
}

}  // namespace lab::grade

// One request of `lab judge`, answered. See judge_requests.h.
#include "common/cli/judge_requests.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <sstream>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/nearest.h"
#include "common/base/words.h"
#include "common/course/commands/what_if.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/explore/recorded.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/report/card.h"
#include "common/run/programs/run_records.h"
#include "common/ui/explain.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;
using KeyNames = std::span<const std::string_view>;

Json finding(const std::string& code, const Json& from, report::KernelOf kernel) {
  Json one = {{"code", code}, {"message", from.at("message")}};
  for (const char* key : {"file", "line", "op", "block", "thread", "figures", "shape", "fix"})
    if (from.contains(key)) one[key] = from.at(key);
  one["remedy"] = report::remedy_for(code, kernel);
  return one;
}

// What failed, in an answer of `check`; the faults of a run, and its first wrong element.
Json findings_in(const Json& answer, report::KernelOf kernel) {
  Json found = Json::array();
  if (const Json* cases = answer.find("cases"); cases != nullptr) {
    for (const Json& c : *cases)
      for (const Json& reason : c.at("reasons")) {
        if (c.at("passed").get<bool>()) continue;
        Json one = finding(reason.at("code").get<std::string>(), reason, kernel);
        // What keeps every case from running, such as a compiler's errors, is one finding.
        if (found.empty() || found[found.size() - 1] != one) found.push_back(std::move(one));
      }
    return found;
  }
  for (const Json& fault : answer.at("faults"))
    found.push_back(finding(fault.at("kind").get<std::string>(), fault, kernel));
  if (const Json* wrong = answer.find("mismatch"); wrong != nullptr && !wrong->is_null())
    found.push_back(finding(wrong->at("code").get<std::string>(), *wrong, kernel));
  return found;
}

Json answer_check(const Request& request, const JudgeSettings& settings) {
  const Json& named = request.at("chapter");
  const judge::ChapterInfo& chapter = judge::chapter_named(
      named.is_number_integer() ? fmt::format("{}", named.get<std::int64_t>()) : request.text("chapter"));
  const RequestKernel kernel(request, settings);
  judge::ExamineOptions options{.compiler = settings.compiler, .sandbox = settings.sandbox};
  options.shown_name = kernel.file;
  options.inputs.key = request.text("key", settings.key);
  const judge::Examination e = [&] {
    try {
      return judge::examine(chapter, kernel.file, options);
    } catch (const base::UsageError& error) {  // of the file: empty, no text
      throw RequestError(error.code(), error.what());
    }
  }();
  Json answer = report::check_json(e, "simulator");
  answer["what_if"] = what_if(e).json;
  answer["state"] = judge::state_of(e);
  answer["work"] = e.work.units;
  if (request.flag("text")) answer["text"] = report::card(e, {}, report::Style{true});
  return answer;
}

Json answer_profile(const Request& request, const JudgeSettings& settings) {
  judge::Problem problem{request.number("rows", 1024), request.number("cols", 1024)};
  const std::int64_t elem_bytes = request.number("elem_bytes");
  if (elem_bytes < 0 || elem_bytes > 16)
    throw RequestError(kBadRequest, "\"elem_bytes\" is 1, 2, 4, 8 or 16.");
  if (elem_bytes != 0) problem.elem_bytes = static_cast<int>(elem_bytes);
  if (const Message wrong = judge::what_is_wrong_with(problem); !wrong.empty())
    throw RequestError(kBadRequest, wrong.english());
  const RequestKernel kernel(request, settings);
  judge::Subject subject(kernel.compiled().ptx());
  judge::Target target =
      subject.target_of(judge::resolve_entry(subject, kernel.file, request.text("entry"), nullptr));
  if (const Message wrong = subject.signature_problem(target); !wrong.empty())
    throw RequestError(kBadRequest, wrong.english());
  const explore::KernelFacts facts =
      explore::facts_of(subject, kernel.file, target.entry,
                        {request.text("block"), request.text("tile"), static_cast<int>(elem_bytes)});
  target.shape = facts.shape;
  problem.elem_bytes = facts.elem_bytes;
  const judge::Run& run = subject.run(problem, target);
  Json answer = report::profile_json(kernel.file, "simulator", run);
  answer["assumed"] = english(facts.assumed);
  answer["work"] = run.work;
  if (request.flag("text"))
    answer["text"] =
        report::profile(kernel.file, "simulator", run, report::Style{true}, target.task == nullptr);
  return answer;
}

Json answer_page(const Request& request, const JudgeSettings& settings) {
  if (settings.sandbox)
    throw RequestError(kBadRequest,
                       "A page is made of a kernel that is trusted: start lab judge with --no-sandbox.");
  const RequestKernel kernel(request, settings);
  explore::KernelChoice choice;
  choice.name = request.has("chapter") ? request.text("chapter") : kernel.file;
  if (request.has("chapter")) choice.kernel = kernel.file;
  choice.entry = request.text("entry");
  if (request.has("rows") || request.has("cols"))
    choice.problem = judge::Problem{request.number("rows", 1024), request.number("cols", 1024)};
  return {{"html", kernel.without_folder(step_page(choice, settings.compiler))}};
}

Json answer_explain(const Request& request, const JudgeSettings& /*settings*/) {
  const std::string code = request.text("code");
  const report::Explanation* known = report::find_explanation(code);
  if (known == nullptr) {
    std::vector<std::string> codes;
    for (const report::Explanation& e : report::all_explanations()) codes.emplace_back(e.code);
    throw RequestError(kBadRequest,
                       fmt::format("There is no code \"{}\".{}", code, base::did_you_mean(code, codes)));
  }
  return {{"code", known->code}, {"meaning", known->meaning}, {"remedy", known->remedy}};
}

// What a program on the simulated GPU has written down (LAB_RUN_RECORDS), as `lab run --json` has it.
Json answer_launches(const Request& request, const JudgeSettings& /*settings*/) {
  std::istringstream records(request.text("records"));
  return {{"launches", programs::records_json(programs::read_records(records))}};
}

constexpr std::array<std::string_view, 8> kCheckKeys{"id",   "op",   "chapter", "source",
                                                     "file", "name", "key",     "text"};
constexpr std::array<std::string_view, 12> kProfileKeys{
    "id", "op", "source", "file", "name", "entry", "rows", "cols", "elem_bytes", "block", "tile", "text"};
constexpr std::array<std::string_view, 9> kPageKeys{"id",      "op",    "source", "file", "name",
                                                    "chapter", "entry", "rows",   "cols"};
constexpr std::array<std::string_view, 3> kExplainKeys{"id", "op", "code"};
constexpr std::array<std::string_view, 3> kLaunchesKeys{"id", "op", "records"};

struct Operation {
  std::string_view name;
  KeyNames keys;
  Json (*answer)(const Request&, const JudgeSettings&);
  // Its answer has counters, and so findings, with remedies in words of this kind of kernel.
  std::optional<report::KernelOf> runs{};
};
constexpr std::array<Operation, 6> kOperations{
    {{"check", kCheckKeys, answer_check, report::KernelOf::Course},
     {"profile", kProfileKeys, answer_profile, report::KernelOf::Course},
     {"launch", kLaunchKeys, answer_launch, report::KernelOf::Any},
     {"page", kPageKeys, answer_page},
     {"explain", kExplainKeys, answer_explain},
     {"launches", kLaunchesKeys, answer_launches}}};

const Operation& operation_of(const Json& request) {
  if (!request.is_object()) throw RequestError(kBadRequest, "A request is one JSON object a line.");
  const Json* op = request.find("op");
  for (const Operation& operation : kOperations)
    if (op != nullptr && op->is_string() && op->get<std::string>() == operation.name) return operation;
  std::vector<std::string_view> names;
  for (const Operation& operation : kOperations) names.push_back(operation.name);
  throw RequestError(kBadRequest, "\"op\" is one of: " + base::joined(names) + ".");
}

}  // namespace

Json error_answer(std::string_view code, std::string_view message) {
  return {
      {"error",
       {{"code", code}, {"message", message}, {"remedy", report::remedy_for(code, report::KernelOf::Any)}}}};
}

Json answer_request(const Json& request, const JudgeSettings& settings) {
  try {
    const Operation& operation = operation_of(request);
    Json answer = operation.answer(Request(request, operation.keys), settings);
    if (operation.runs) answer["findings"] = findings_in(answer, *operation.runs);
    return answer;
  } catch (const RequestError& error) {
    return error_answer(error.code, error.what());
  } catch (const base::UsageError& error) {
    return error_answer(kBadRequest, error.what());
  } catch (const base::LabError& error) {
    return error_answer(error.code(), error.what());
  } catch (const device::LoadError& error) {
    return error_answer(sim::code(error.fault.kind), error.what());
  } catch (const judge::SignatureError& error) {
    return error_answer(kBadRequest, error.what());
  } catch (const std::bad_alloc&) {
    return error_answer("environment", "This machine has not enough free memory for that.");
  } catch (const std::exception& error) {
    return error_answer(kBadRequest, error.what());
  }
}

Request::Request(const Json& object, KeyNames keys) : object_(&object) {
  for (const base::JsonMember& member : object.items()) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    throw RequestError(kBadRequest,
                       fmt::format("\"{}\" is none of these keys: {}.", member.key, base::joined(keys)));
  }
}

const Json& Request::at(std::string_view key) const {
  if (const Json* value = object_->find(key)) return *value;
  throw RequestError(kBadRequest, fmt::format("The request lacks \"{}\".", key));
}

std::string Request::text(std::string_view key, const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  if (!at(key).is_string()) throw RequestError(kBadRequest, fmt::format("\"{}\" is a text.", key));
  return at(key).get<std::string>();
}

std::int64_t Request::number(std::string_view key, std::int64_t otherwise) const {
  if (!has(key)) return otherwise;
  if (!at(key).is_number_integer())
    throw RequestError(kBadRequest, fmt::format("\"{}\" is a whole number.", key));
  return at(key).get<std::int64_t>();
}

bool Request::flag(std::string_view key) const {
  if (!has(key)) return false;
  if (!at(key).is_boolean()) throw RequestError(kBadRequest, fmt::format("\"{}\" is true or false.", key));
  return at(key).get<bool>();
}

RequestKernel::RequestKernel(const Request& request, const JudgeSettings& settings) : settings_(settings) {
  if (request.has("source") == request.has("file"))
    throw RequestError(kBadRequest,
                       "A request has either \"source\", the text of a kernel file, or \"file\".");
  if (request.has("file")) {
    if (settings.sandbox)
      throw RequestError(kBadRequest, "\"file\" goes with --no-sandbox; send the text as \"source\".");
    file = request.text("file");
    return;
  }
  file = request.text("name", "kernel.cu");
  if (file.empty() || file.find('/') != std::string::npos || !file.ends_with(".cu") || file.starts_with('.'))
    throw RequestError(kBadRequest, "\"name\" is a file name that ends in .cu, without folders.");
  folder_.emplace();
  if (::chdir(folder_->path().c_str()) != 0 || !base::write_file_atomically(file, request.text("source")))
    throw base::EnvironmentError(msg("cannot write to {}. Set TMPDIR.", fs::temp_directory_path().string()));
}

std::string RequestKernel::without_folder(std::string text) const {
  if (!folder_) return text;
  const std::string folder = folder_->path().string() + "/";
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

compile::CompileResult RequestKernel::compiled() const {
  compile::CompileRequest request;
  request.file = file;
  request.shown_name = file;
  request.compiler = settings_.compiler;
  // A text comes from anywhere: what it may ask of the compiler is the same for every operation.
  request.kernel_rules = folder_.has_value();
  request.sandbox = settings_.sandbox;
  compile::CompileResult result = [&] {
    try {
      return compile::compile(request);
    } catch (const base::UsageError& error) {
      throw RequestError(error.code(), error.what());
    }
  }();
  if (!result.ok)
    throw RequestError(result.refusal.empty() ? "does-not-compile" : result.refusal, result.log);
  return result;
}

}  // namespace lab::cli

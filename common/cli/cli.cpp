// What the commands of `lab` share.
#include "common/cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "common/cli/suggest.h"
#include "common/harness/checks.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"

namespace lab::cli {

using harness::UsageError;

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::optional<harness::CompilerKind> Session::compiler_kind() const {
  if (compiler == "nvcc") return harness::CompilerKind::Nvcc;
  if (compiler == "clang") return harness::CompilerKind::Clang;
  return std::nullopt;
}

std::string lesson_of(std::string_view chapter) {
  return fmt::format("chapters/{}/README{}.md", chapter,
                     text::language() == text::Language::Chinese ? ".zh" : "");
}

const harness::ChapterInfo& chapter_named(const std::string& name) {
  if (const harness::ChapterInfo* chapter = harness::find_chapter(name)) return *chapter;
  std::vector<std::string> names;
  for (const harness::ChapterInfo* chapter : harness::all_chapters()) names.emplace_back(chapter->name);
  if (name.ends_with(".cu"))
    throw UsageError(
        fmt::format("\"{}\" is a file, and a chapter is wanted: ./lab check 5 --kernel {}", name, name));
  std::vector<std::string> short_names;
  for (const std::string& one : names) short_names.push_back(one.substr(one.find('_') + 1));
  const std::string meant = did_you_mean(name, short_names);
  if (!meant.empty()) throw UsageError(fmt::format("There is no chapter \"{}\".{}", name, meant));
  throw UsageError(fmt::format("There is no chapter \"{}\". The chapters are: {}.", name, joined(names)));
}

int number_of(const harness::ChapterInfo& chapter) { return std::atoi(chapter.name); }

void add_device_options(CLI::App& command, std::string& device, int& gpu_index) {
  command
      .add_option(
          "--device", device,
          "sim: the simulated GPU; gpu: a real one; auto: both where there is a GPU, and they must agree")
      ->check(CLI::IsMember({"sim", "gpu", "auto"}))
      ->capture_default_str();
  command.add_option("--gpu-index", gpu_index, "Which GPU, from 0; CUDA_VISIBLE_DEVICES is honoured")
      ->check(CLI::Range(0, 1023))
      ->capture_default_str();
}

harness::DeviceChoice device_choice(const std::string& device) {
  if (device == "sim") return harness::DeviceChoice::Sim;
  return device == "gpu" ? harness::DeviceChoice::Gpu : harness::DeviceChoice::Auto;
}

harness::CompileResult compile_file(const std::string& file, const Session& session) {
  harness::CompileRequest request;
  request.file = file;
  request.compiler = session.compiler_kind();
  return harness::compile(request);
}

std::string resolve_entry(const harness::Subject& subject, const std::string& file,
                          const std::string& wanted) {
  const std::vector<std::string> entries = subject.entries();
  if (std::find(entries.begin(), entries.end(), wanted) != entries.end()) return wanted;
  const std::string mangled = fmt::format("_Z{}{}", wanted.size(), wanted);
  std::vector<std::string> matches;
  for (const std::string& entry : entries) {
    if (entry.starts_with(mangled)) matches.push_back(entry);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) {
    throw UsageError(fmt::format("{} has {} kernels that C++ calls `{}`: {}. Name one of these with --entry.",
                                 file, matches.size(), wanted, joined(matches)));
  }
  if (entries.empty()) {
    throw UsageError(
        fmt::format("{} has no kernel. Write one: extern \"C\" __global__ void {}(float* out, const float* "
                    "in, int rows, int cols).",
                    file, wanted));
  }
  throw UsageError(fmt::format("{} has no kernel `{}`; it has: {}. Name one with --entry.", file, wanted,
                               joined(entries)));
}

Pair parse_pair(const std::string& option, const std::string& text) {
  Pair pair;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, pair.first);
  if (first.ec == std::errc() && first.ptr != end && (*first.ptr == 'x' || *first.ptr == 'X')) {
    const auto second = std::from_chars(first.ptr + 1, end, pair.second);
    if (second.ec == std::errc() && second.ptr == end) return pair;
  }
  throw UsageError(
      fmt::format("{} \"{}\": write two whole numbers with an x between them, such as 32x8.", option, text));
}

}  // namespace lab::cli

// What a kernel file leaves unsaid, for commands that run any kernel.
//
// PTX keeps no types of pointers. C++ writes them into the kernel's name; for an extern "C" kernel the text
// of the file is all there is, and it is read only as far as a plain parameter list goes: no macros, no
// aliases.
#include "common/course/explore/plain_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "common/base/cpp_text.h"
#include "common/base/errors.h"
#include "common/base/pair.h"
#include "common/base/project.h"
#include "common/base/source_text.h"
#include "common/course/judge/named_kernel.h"
#include "common/sim/base/kernel_name.h"

namespace lab::explore {
namespace {

using base::in_word;

struct TypeSize {
  std::string_view name;
  int bytes;
};
constexpr TypeSize kTypes[] = {
    {"bool", 1},          {"char", 1},          {"signed char", 1}, {"unsigned char", 1},
    {"int8_t", 1},        {"uint8_t", 1},       {"short", 2},       {"unsigned short", 2},
    {"int16_t", 2},       {"uint16_t", 2},      {"half", 2},        {"__half", 2},
    {"__nv_bfloat16", 2}, {"nv_bfloat16", 2},   {"int", 4},         {"unsigned", 4},
    {"unsigned int", 4},  {"int32_t", 4},       {"uint32_t", 4},    {"float", 4},
    {"long", 8},          {"unsigned long", 8}, {"long long", 8},   {"unsigned long long", 8},
    {"int64_t", 8},       {"uint64_t", 8},      {"size_t", 8},      {"double", 8},
    {"float2", 8},        {"int2", 8},          {"uint2", 8},       {"float4", 16},
    {"int4", 16},         {"uint4", 16},        {"double2", 16},
};

// "const unsigned  char *__restrict__ out" → "unsigned char"; "" when this is no pointer.
std::string pointed_to(std::string_view parameter) {
  const std::size_t star = parameter.find('*');
  if (star == parameter.npos) return parameter.find("lab::Gpus") == parameter.npos ? "" : "float";
  std::string type, word;
  const auto take = [&] {
    if (!word.empty() && word != "const" && word != "volatile" && word != "struct")
      type += (type.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : parameter.substr(0, star)) {
    if (in_word(c))
      word += c;
    else
      take();
  }
  take();
  return type.starts_with("std ") ? type.substr(4) : type;
}

// What stands between the bracket behind `name` and the first comma, in a definition of that name.
std::string first_parameter(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    if (at != 0 && in_word(text[at - 1])) continue;
    const std::size_t open = text.find_first_not_of(" \n\t\r", at + name.size());
    if (open == text.npos || text[open] != '(') continue;
    const std::size_t end = text.find_first_of(",)", open + 1);
    if (end != text.npos && text[end] == ',') return text.substr(open + 1, end - open - 1);
  }
  return {};
}

std::string parameter_of(const std::string& entry, const std::string& source) {
  const std::string signature = sim::demangled(entry);
  const std::size_t open = signature.find('(');
  if (open != signature.npos) {
    const std::string parameters = signature.substr(open + 1);
    return parameters.substr(0, parameters.find_first_of(",)"));
  }
  return first_parameter(base::without_comments(source), entry);
}

LaunchShape shape_of(judge::Subject& subject, const std::string& entry, const KernelOptions& kernel_options,
                     std::vector<Message>& assumed) {
  LaunchShape shape;
  try {
    shape = subject.launch_shape(entry);
  } catch (const judge::ShapeError&) {
    shape.block = {32, 8};
    shape.tile = {8, 32};
    if (kernel_options.block.empty())
      assumed.emplace_back(
          "The file has no LAUNCH_SHAPE, so blocks of 32 × 8 threads are assumed, an element per thread.");
  }
  if (!kernel_options.block.empty()) {
    const base::Pair block = base::parse_pair("--block", kernel_options.block);
    shape.block = {block.first, block.second};
    shape.tile = {block.second, block.first};
  }
  if (!kernel_options.tile.empty()) {
    const base::Pair tile = base::parse_pair("--tile", kernel_options.tile);
    shape.tile = {tile.second, tile.first};
  }
  try {
    judge::check_shape(shape);
  } catch (const judge::ShapeError& error) {
    throw base::UsageError(msg("{} Give --block and --tile as XxY, such as 32x8.", error.message()));
  }
  return shape;
}

// transpose_u16: the course's own names, for kernels that a macro makes.
int bytes_in_name(const std::string& entry) {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    if (entry.ends_with(fmt::format("_u{}", 8 * bytes))) return bytes;
  }
  return 0;
}

}  // namespace

int elem_bytes_of(const std::string& entry, const std::string& source) {
  const std::string type = pointed_to(parameter_of(entry, source));
  const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const TypeSize& known) { return known.name == type; });
  return found == std::end(kTypes) ? bytes_in_name(entry) : found->bytes;
}

compile::CompileResult compiled_kernel(const std::filesystem::path& file,
                                       std::optional<compile::CompilerKind> compiler) {
  compile::CompileResult compiled = judge::compile_file(file, compiler);
  if (compiled.ok) return compiled;
  fmt::print(stderr, "{}", compiled.log_for_reader());
  throw base::LabError(base::ExitCode::NotYet, msg("{} does not compile.", base::shown_path(file)));
}

void must_fit(const judge::Problem& problem, const judge::ChapterInfo* chapter) {
  if (const Message wrong = judge::what_is_wrong_with(problem); !wrong.empty()) throw base::UsageError(wrong);
  if (chapter == nullptr) return;
  if (const Message needs = judge::needs_other_rows(problem, chapter->row_bytes); !needs.empty())
    throw base::UsageError(msg("{}: {}", chapter->name, needs));
}

KernelFacts facts_of(judge::Subject& subject, const std::filesystem::path& file, const std::string& entry,
                     const KernelOptions& kernel_options) {
  KernelFacts facts;
  facts.shape = shape_of(subject, entry, kernel_options, facts.assumed);
  facts.elem_bytes = kernel_options.elem_bytes != 0
                         ? kernel_options.elem_bytes
                         : elem_bytes_of(entry, base::read_source_text(file).value_or(""));
  if (facts.elem_bytes == 0) {
    facts.elem_bytes = 4;
    facts.assumed.emplace_back(
        msg("The type that `{}` points to cannot be read from the file, so elements of 4 bytes are assumed; "
            "--elem-bytes names another size.",
            entry));
  }
  return facts;
}

}  // namespace lab::explore

// The command line of `lab run`. See run_options.h.
#include "common/run/commands/run_options.h"

#include <charconv>
#include <filesystem>
#include <utility>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/gpu/device/gpu_data.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;
using base::UsageError;

bool is_source(const std::string& name) {
  for (const char* ending : {".cu", ".cpp", ".cc", ".cxx", ".c"}) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

// Compiler flags whose value is the next word.
bool takes_value(const std::string& flag) {
  // nvcc takes each with one dash and with two, short or long.
  for (const char* with : {"I",
                           "include-path",
                           "D",
                           "define-macro",
                           "U",
                           "undefine-macro",
                           "L",
                           "library-path",
                           "l",
                           "library",
                           "isystem",
                           "system-include",
                           "include",
                           "pre-include",
                           "std",
                           "Xcompiler",
                           "compiler-options",
                           "Xlinker",
                           "linker-options",
                           "Xptxas",
                           "ptxas-options",
                           "Xcudafe",
                           "x",
                           "diag-suppress",
                           "diag-warn",
                           "diag-error",
                           "ccbin",
                           "compiler-bindir",
                           "maxrregcount",
                           "O",
                           "optimize",
                           "default-stream",
                           "ftz",
                           "prec-div",
                           "prec-sqrt",
                           "fmad",
                           "Werror"}) {
    if (flag == std::string("-") + with || flag == std::string("--") + with) return true;
  }
  return false;
}

// The GPU decides for which architecture; the assembler does not run. Of sm_90a the letter stays: what only
// this architecture has is compiled, and the simulator names what it does not know of it.
bool is_ignored(const std::string& flag, bool& takes_next) {
  for (const std::string name : {"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode",
                                 "--generate-code", "-cudart", "--cudart", "-Xptxas", "-maxrregcount"}) {
    takes_next = flag == name;
    if (takes_next || flag.starts_with(name + '=')) return true;
  }
  return false;
}

class Words {
 public:
  Words(const std::vector<std::string>& words) : words_(words) {}
  [[nodiscard]] bool more() const { return at_ < words_.size(); }
  std::string next() { return words_[at_++]; }
  std::string value(const std::string& flag) {
    if (!more()) throw UsageError(msg("{} needs a value behind it.", flag));
    return next();
  }

 private:
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

std::int64_t whole_number(const Option& option, const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < option.least ||
      number > option.most)
    throw UsageError(
        msg("{} {}: write a whole number from {} to {}.", option.names, text, option.least, option.most));
  return number;
}

// Takes the value behind it along.
bool is_own(const std::string& word, Words& words, const std::vector<Option>& own) {
  for (const Option& option : own) {
    if (option.is_flag() && word == option.names) return option.into.as<bool>() = true;
    const bool joined = word.starts_with(option.names + '=');
    if (option.is_flag() || !(joined || word == option.names)) continue;
    const std::string value = joined ? word.substr(option.names.size() + 1) : words.value(word);
    if (option.into.kind() == Place::Kind::Text)
      option.into.as<std::string>() = value;
    else
      option.into.as<std::int64_t>() = whole_number(option, value);
    return true;
  }
  return false;
}

// As nvcc spells --rdc.
bool is_relocatable(const std::string& word) {
  return word == "-rdc=true" || word == "-dc" || word == "--relocatable-device-code=true";
}

// The file of a command that loads CUDA while it runs: what PATH knows, or any python. Empty: it is none.
std::string command_file(const std::string& word) {
  if (word.find('/') != std::string::npos)
    return fs::path(word).filename().string().starts_with("python") && fs::is_regular_file(word) ? word : "";
  if (fs::exists(word)) return "";  // a program of this folder, whose name lacks its ./
  return base::program_on_path(word);
}

}  // namespace

std::vector<Option> run_options(RunOptions& o) {
  Command own;
  const auto file = [&](std::string_view name, std::string& into, std::string_view help) {
    own.option(name, into, help).called("FILE");
  };
  const auto number = [&](std::string_view name, std::int64_t& into, std::int64_t least, std::int64_t most,
                          std::string_view help) {
    own.option(name, into, help).between(least, most).called("N");
  };
  own.option("--gpu", o.request.gpu, "The GPU: limits, properties, compute capability, predicted times")
      .one_of(device::gpu_names())
      .called("NAME")
      .with_default();
  number("--gpus", o.request.gpus, 1, 8,
         "So many of them, each pair joined by a link: peer access, peer copies, sectors over the link");
  own.option("--lines", o.lines, "Counters of each source line");
  own.option("--as-ptxas", o.request.as_ptxas,
             "Counters also as ptxas makes the accesses: what a profiler shows");
  own.option("--time", o.request.time,
             "Predicted time of each launch on that GPU, what bounds it, sectors of L2, bytes of DRAM");
  file("--json", o.json, "All launches, in launch order");
  own.option("--strict", o.strict,
             "Exit 1 for any finding: races, bad accesses, reads of what no thread wrote");
  file("--budget", o.budget, "Exit 1 where a kernel counts more than the file allows (docs/run.md)");
  file("--sarif", o.sarif, "Findings and what is over budget as SARIF 2.1.0, for pages of pull requests");
  number("--launches", o.request.launches, 1, 999'999'999'999'999'999,
         "The first N launches; the program ends where it wants another (exit code 4)");
  own.option("--every-launch", o.request.every_launch,
             "Executes launches again that repeat an earlier one on the same contents of memory");
  number("--threads", o.request.threads, 1, 999,
         "Threads of this machine for one launch: all its cores, unless said; counts are the same");
  own.option("--quiet", o.quiet, "No table, and no line while you wait");
  own.option("--no-check", o.request.no_check, "No search for races and uninitialised reads: faster");
  own.option(
         "--check-memory", o.request.check_memory_mib,
         "What the search for races in global memory may take, for kernels whose blocks talk (unless said, "
         "twice what is allocated); what does not fit is not watched, and reported")
      .between(1, 9'999'999)
      .called("MIB");
  number("--schedules", o.request.schedules, 0, 9999,
         "Each launch N times more, warps and blocks in another order each time; unless said, two short "
         "ones of launches with atomics or flags");
  own.option("--go-on", o.request.go_on,
             "Reads behind a buffer, inside its last 512 bytes, are reported and go on, as on a GPU");
  own.option("--rdc", o.build.relocatable, "Device code that calls across files (nvcc -rdc=true)");
  own.option("--plain", o.plain, "No colour");
  return own.options;
}

RunOptions parse_run(const std::vector<std::string>& given) {
  RunOptions options;
  const std::vector<Option> own = run_options(options);
  Words words(given);
  while (words.more()) {
    const std::string word = words.next();
    bool takes_next = false;
    if (is_own(word, words, own)) continue;
    if (is_relocatable(word)) {
      options.build.relocatable = true;
    } else if (is_ignored(word, takes_next)) {
      const std::string value = takes_next ? words.value(word) : word;
      if (value.find("_90a") != std::string::npos) options.build.specific = true;
    } else if (word == "-o") {
      throw UsageError(
          "-o: `lab run` runs the program and keeps no file. To keep one: nvcc -cudart shared -o …");
    } else if (word == "-rdc" || word == "--relocatable-device-code") {
      options.build.relocatable = words.value(word) == "true";
    } else if (word.starts_with('-')) {
      options.build.flags.push_back(word);
      if (takes_value(word)) options.build.flags.push_back(words.value(word));
    } else if (is_source(word)) {
      if (!fs::is_regular_file(word)) throw UsageError(msg("no file {}. Check the name.", word));
      options.build.files.push_back(word);
    } else if (const std::string file = command_file(word);
               options.binary.empty() && options.build.files.empty() && !file.empty()) {
      options.binary = file;
      options.command = true;
      options.words = {word};  // its own name first: python finds its packages by it
      while (words.more()) options.words.push_back(words.next());
    } else if (options.binary.empty()) {
      options.binary = word;
    } else {
      throw UsageError(msg("\"{}\": one program at a time. Its own arguments stand behind --.", word));
    }
  }
  for (const auto& [option, file] : {std::pair{"--json", options.json}, {"--sarif", options.sarif}}) {
    if (is_source(file))
      throw UsageError(
          msg("{} takes the file to write, and {} is a source file. Example: ./lab run {} {} written.json",
              option, file, file, option));
  }
  if (options.binary.empty() == options.build.files.empty()) {
    throw UsageError(options.binary.empty()
                         ? Message("nothing to run. Example: ./lab run program.cu -- its arguments")
                         : msg("name source files or a program, not both ({} and {}). What is meant for the "
                               "program stands behind --: ./lab run {} -- {}",
                               options.build.files.front(), options.binary, options.build.files.front(),
                               options.binary));
  }
  return options;
}

}  // namespace lab::cli

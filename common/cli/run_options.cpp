// The command line of `lab run`. See run_options.h.
#include "common/cli/run_options.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "common/base/errors.h"
#include "common/base/project.h"

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
  for (const char* with :
       {"-I", "-D", "-U", "-L", "-l", "-isystem", "-include", "-std", "-Xcompiler", "-Xlinker", "-Xptxas",
        "-Xcudafe", "-x", "-diag-suppress", "-ccbin", "-maxrregcount", "-O"}) {
    if (flag == with) return true;
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

// Decimal digits, at most so many.
bool is_count(const std::string& text, std::size_t most_digits, bool may_be_zero = false) {
  return !text.empty() && text.size() <= most_digits &&
         text.find_first_not_of("0123456789") == std::string::npos &&
         (may_be_zero || text.find_first_not_of('0') != std::string::npos);
}

bool own_option(const std::string& word, Words& words, RunOptions& options) {
  const auto named = [&](const std::string& name, std::string& into) {
    if (word == name) return into = words.value(word), true;
    if (word.starts_with(name + "=")) return into = word.substr(name.size() + 1), true;
    return false;
  };
  if (named("--gpu", options.gpu) || named("--json", options.json)) return true;
  if (named("--sarif", options.sarif) || named("--budget", options.budget)) return true;
  if (named("--launches", options.launches)) return true;
  if (named("--gpus", options.gpus)) {
    const bool number = options.gpus.size() == 1 && options.gpus >= "1" && options.gpus <= "8";
    if (!number) throw UsageError(msg("--gpus {}: how many GPUs to simulate, 1 to 8.", options.gpus));
    return true;
  }
  if (named("--threads", options.threads)) {
    if (!is_count(options.threads, 3))
      throw UsageError(msg("--threads {}: a number, 1 to 999.", options.threads));
    return true;
  }
  if (named("--schedules", options.schedules)) {
    if (!is_count(options.schedules, 4, true))
      throw UsageError(msg("--schedules {}: a number, up to 9999.", options.schedules));
    return true;
  }
  if (named("--check-memory", options.check_memory)) {
    if (!is_count(options.check_memory, 7))
      throw UsageError(msg("--check-memory {}: mebibytes, at least 1.", options.check_memory));
    return true;
  }
  if (word == "--strict") return options.strict = true;
  if (word == "--every-launch") return options.every_launch = true;
  if (word == "--go-on") return options.go_on = true;
  if (word == "--lines") return options.lines = true;
  if (word == "--as-ptxas") return options.as_ptxas = true;
  if (word == "--time") return options.time = true;
  if (word == "--quiet") return options.quiet = true;
  if (word == "--no-check") return options.check = false, true;
  if (word == "--plain") return options.plain = true;
  if (word == "--rdc" || word == "-rdc=true" || word == "-dc" || word == "--relocatable-device-code=true") {
    return options.build.relocatable = true;
  }
  return false;
}

// The file of a command that loads CUDA while it runs: what PATH knows, or any python. Empty: it is none.
std::string command_file(const std::string& word) {
  if (word.find('/') != std::string::npos)
    return fs::path(word).filename().string().starts_with("python") && fs::is_regular_file(word) ? word : "";
  if (fs::exists(word)) return "";  // a program of this folder, whose name lacks its ./
  return base::program_on_path(word);
}

void check_launches(const std::string& count) {
  if (!count.empty() && !is_count(count, 18))
    throw UsageError(
        msg("--launches: \"{}\" is no count of launches; the first 10 are --launches 10.", count));
}

}  // namespace

RunOptions parse_run(const std::vector<std::string>& given) {
  RunOptions options;
  Words words(given);
  while (words.more()) {
    const std::string word = words.next();
    bool takes_next = false;
    if (own_option(word, words, options)) continue;
    if (is_ignored(word, takes_next)) {
      const std::string value = takes_next ? words.value(word) : word;
      if (value.find("_90a") != std::string::npos) options.build.specific = true;
    } else if (word == "-o") {
      throw UsageError(
          "-o: `lab run` runs the program and keeps no file. To keep one: nvcc -cudart shared -o …");
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
  check_launches(options.launches);
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

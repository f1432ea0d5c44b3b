// The process in which NVRTC compiles: libnvrtc is loaded here, never into lab itself.
//
// Enters: lab-nvrtc LIBRARY [options of NVRTC] -ptx|-cubin -MD -MF RULE -o OUTPUT FILE, or lab-nvrtc LIBRARY
// --version HEADER. Leaves: the output, a make rule of the files that were read, messages on standard output;
// with --version the version row of the PTX of a kernel that includes HEADER. Exit codes: 0, 1 for a file with
// errors, 2 for a library that cannot be used.
// The files that NVRTC reads are noted by an `open` and `fopen` that replace the C library's. `time` returns
// 0, so that __DATE__ is constant and the same file gives the same PTX on every day.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;

bool noting = false;
std::vector<std::string>& names_read() {
  static std::vector<std::string> names;
  return names;
}

void note(const char* name) {
  if (!noting) return;
  for (const std::string& known : names_read()) {
    if (known == name) return;
  }
  names_read().emplace_back(name);
}

template <class Function>
Function next_in_line(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// NOLINTBEGIN: names of the C library under which libnvrtc finds these
extern "C" [[gnu::used]] std::FILE* noted_fopen(const char* path, const char* mode) __asm__("fopen");
extern "C" [[gnu::used]] std::FILE* noted_fopen64(const char* path, const char* mode) __asm__("fopen64");
extern "C" [[gnu::used]] int noted_open(const char* path, int flags, ...) __asm__("open");
extern "C" [[gnu::used]] int noted_open64(const char* path, int flags, ...) __asm__("open64");
extern "C" [[gnu::used]] std::time_t time_of_1970(std::time_t* now) __asm__("time");

std::FILE* open_stream(const char* path, const char* mode) {
  static const auto own = next_in_line<std::FILE* (*)(const char*, const char*)>("fopen64");
  std::FILE* file = own(path, mode);
  if (file != nullptr && mode[0] == 'r') note(path);
  return file;
}

int open_file(const char* path, int flags, mode_t mode) {
  static const auto own = next_in_line<int (*)(const char*, int, ...)>("open64");
  const int file = own(path, flags, mode);
  if (file >= 0 && (flags & O_ACCMODE) == O_RDONLY) note(path);
  return file;
}

mode_t mode_behind(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : mode_t{0};
}

extern "C" std::FILE* noted_fopen(const char* path, const char* mode) { return open_stream(path, mode); }
extern "C" std::FILE* noted_fopen64(const char* path, const char* mode) { return open_stream(path, mode); }
extern "C" int noted_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_behind(flags, rest);
  va_end(rest);
  return open_file(path, flags, mode);
}
extern "C" int noted_open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_behind(flags, rest);
  va_end(rest);
  return open_file(path, flags, mode);
}
extern "C" std::time_t time_of_1970(std::time_t* now) {
  if (now != nullptr) *now = 0;
  return 0;
}
// NOLINTEND

constexpr int kFileHasErrors = 1;
constexpr int kNoLibrary = 2;
constexpr int kOutOfMemory = 1;  // NVRTC_ERROR_OUT_OF_MEMORY

// The messages are out; nothing of the library needs to be tidied away.
[[noreturn]] void leave(int code) {
  std::fflush(stdout);
  ::_exit(code);
}

[[noreturn]] void leave_saying(int code, const std::string& words) {
  std::fprintf(stdout, "nvrtc: %s\n", words.c_str());
  leave(code);
}

// What is used of nvrtc.h, which is not here when this is built.
class Nvrtc {
 public:
  explicit Nvrtc(const fs::path& library) {
    load_builtins(library.parent_path());
    library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) leave_saying(kNoLibrary, ::dlerror());
    find(create_, "nvrtcCreateProgram");
    find(compile_, "nvrtcCompileProgram");
    find(error_, "nvrtcGetErrorString");
    log_.find(*this, "nvrtcGetProgramLog");
    ptx_.find(*this, "nvrtcGetPTX");
    cubin_.find(*this, "nvrtcGetCUBIN");
  }

  // NVRTC's answer; 0 is success.
  int compile(const std::string& source, const std::string& name, const std::vector<std::string>& options) {
    int answer = create_(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr);
    if (answer != 0) return answer;
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    noting = true;
    answer = compile_(program_, static_cast<int>(words.size()), words.data());
    noting = false;
    return answer;
  }

  [[nodiscard]] std::string log() const { return text(log_.get(program_)); }
  [[nodiscard]] std::string ptx() const { return text(ptx_.get(program_)); }
  [[nodiscard]] std::string cubin() const { return cubin_.get(program_); }
  [[nodiscard]] std::string error(int answer) const { return error_(answer); }

 private:
  // A size and the bytes: the two calls behind each of NVRTC's results.
  struct Result {
    int (*size)(void*, std::size_t*) = nullptr;
    int (*bytes)(void*, char*) = nullptr;
    void find(const Nvrtc& nvrtc, const std::string& name) {
      nvrtc.find(size, (name + "Size").c_str());
      nvrtc.find(bytes, name.c_str());
    }
    [[nodiscard]] std::string get(void* program) const {
      std::size_t count = 0;
      if (program == nullptr || size(program, &count) != 0) return "";
      std::string all(count, '\0');
      return bytes(program, all.data()) == 0 ? all : "";
    }
  };

  // It asks for them by name, and no search path leads to the folder of a wheel.
  static void load_builtins(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("libnvrtc-builtins.so.")) (void)::dlopen(entry.path().c_str(), RTLD_NOW);
    }
  }

  static std::string text(std::string bytes) {  // it counts the zero at the end
    while (!bytes.empty() && bytes.back() == '\0') bytes.pop_back();
    return bytes;
  }

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    if (function == nullptr) leave_saying(kNoLibrary, std::string("the library has no ") + name);
  }

  void* library_ = nullptr;
  void* program_ = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  const char* (*error_)(int) = nullptr;
  Result log_, ptx_, cubin_;
};

struct Order {
  std::string library, file, output, rule;
  bool cubin = false;
  std::vector<std::string> options;
};

Order read_order(const std::vector<std::string>& words) {
  Order order;
  order.library = words.at(0);
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-o") {
      order.output = words[++i];
    } else if (word == "-MF") {
      order.rule = words[++i];
    } else if (word == "-cubin") {
      order.cubin = true;
    } else if (word != "-MD" && word != "-ptx") {
      order.options.push_back(word);
    }
  }
  order.file = words.back();
  return order;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) leave_saying(kFileHasErrors, "cannot write " + path);
}

// As make reads names: a backslash before a blank, "$$" for "$".
std::string make_rule(const Order& order) {
  std::string rule = "output:";
  names_read().insert(names_read().begin(), order.file);
  for (const std::string& name : names_read()) {
    rule += ' ';
    for (const char c : name) {
      if (c == ' ' || c == '#' || c == '\\') rule += '\\';
      if (c == '$') rule += '$';
      rule += c;
    }
  }
  return rule + "\n";
}

int compile(const Order& order) {
  std::ifstream in(order.file, std::ios::binary);
  std::ostringstream source;
  if (!(source << in.rdbuf())) leave_saying(kFileHasErrors, "cannot read " + order.file);
  Nvrtc nvrtc(order.library);
  const int answer = nvrtc.compile(source.str(), order.file, order.options);
  const std::string log = nvrtc.log();
  std::fwrite(log.data(), 1, log.size(), stdout);
  if (answer == kOutOfMemory) leave_saying(kFileHasErrors, "out of memory");
  if (answer != 0 && log.find_first_not_of(" \n") == std::string::npos)
    leave_saying(kFileHasErrors, nvrtc.error(answer));
  if (answer != 0) return kFileHasErrors;
  write_file(order.output, order.cubin ? nvrtc.cubin() : nvrtc.ptx());
  write_file(order.rule, make_rule(order));
  return 0;
}

// Whether it compiles here, and whether what it reads is seen: else it will not do, whatever its number.
int report_version(const std::string& library, const std::string& header) {
  Nvrtc nvrtc(library);
  const std::string source = "#include \"" + header + "\"\n__global__ void f(int* p) { *p = 1; }\n";
  const int answer = nvrtc.compile(source, "trial.cu", {"-arch=compute_90", "-std=c++20"});
  if (answer != 0) leave_saying(kNoLibrary, nvrtc.error(answer) + "\n" + nvrtc.log());
  if (names_read() != std::vector<std::string>{header})
    leave_saying(kNoLibrary, "this version reads files in a way that is not seen");
  std::istringstream lines(nvrtc.ptx());
  for (std::string line; std::getline(lines, line);) {
    if (line.find(", V") == std::string::npos) continue;
    std::fprintf(stdout, "%s\n", line.c_str());
    return 0;
  }
  leave_saying(kNoLibrary, "its PTX names no version");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) leave_saying(kNoLibrary, "lab calls this program; it is none to call by hand");
  leave(words[1] == "--version" ? report_version(words[0], words[2]) : compile(read_order(words)));
}

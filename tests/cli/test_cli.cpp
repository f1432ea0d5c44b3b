// The built `lab` program on good and bad command lines: exit code, and what it says.
//
// Enters: LAB_PROGRAM, the path of the program. Leaves: nothing; kernel files lie in a folder of their own.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    char path[] = "/tmp/lab-test-cli-XXXXXX";
    REQUIRE(mkdtemp(path) != nullptr);
    at = path;
  }
  ~Folder() { fs::remove_all(at); }
  fs::path at;
};

const fs::path& kernels() {
  static const Folder folder;
  static const bool written = [] {
    const auto file = [](const char* name, const std::string& text) {
      std::ofstream(folder.at / name) << text;
    };
    const std::string body =
        "{ int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;"
        " if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c]; }\n";
    file("good.cu",
         "extern \"C\" __global__ void transpose(float* out, const float* in, int rows, int cols) " + body);
    file("mangled.cu", "__global__ void transpose(float* out, const float* in, int rows, int cols) " + body);
    file("double.cu",
         "extern \"C\" __global__ void transpose(double* out, const double* in, int rows, int cols) " + body);
    file("bytes.cu",
         "// transpose(double* out, const double* in)\n"
         "__global__ void transpose(unsigned char* out, const unsigned char* in, int rows, int cols) " +
             body);
    file("alias.cu",
         "using T = float; extern \"C\" __global__ void transpose(T* out, const T* in, int rows, int cols) " +
             body);
    file("two.cu", "__global__ void transpose(float* out, const float* in, int rows, int cols) " + body +
                       "__global__ void transpose(double* out, const double* in, int rows, int cols) " +
                       body);
    file("empty.cu", "");
    file("text.cu", "hello world\n");
    file("binary.cu", std::string("\x7f"
                                  "ELF\0\0\1\2",
                                  8));
    file("nokernel.cu", "int answer() { return 42; }\n");
    file("other.cu", "extern \"C\" __global__ void other(float* a) { *a = 1; }\n");
    file("short.cu",
         "extern \"C\" __global__ void transpose(float* out, const float* in, int n) { out[n] = in[n]; }\n");
    file("long.cu",
         "extern \"C\" __global__ void transpose(float* o, const float* i, int r, int c, int d) { o[r] = i[c "
         "+ d]; }\n");
    file("nothing.cu", "extern \"C\" __global__ void transpose(float*, const float*, int, int) {}\n");
    file("beyond.cu",
         "extern \"C\" __global__ void transpose(float* out, const float*, int r, int c) { out[r * c] = 1; "
         "}\n");
    file("patterns.txt", "load 4 0 128\nwhat 4 0\n\nstore 8 0 8\n");
    file("good_patterns.txt", "load 4 0 32\n");
    file("endless.cu",
         "extern \"C\" __global__ void transpose(float* out, const float*, int, int) {"
         " for (volatile int i = 0; i < 10;) *out = 1; }\n");
    return true;
  }();
  REQUIRE(written);
  return folder.at;
}

struct Outcome {
  int exit_code = -1;
  std::string text;  // standard output, then error, as they came
};

Outcome lab(const std::string& arguments, const std::string& redirect = "2>&1") {
  const std::string command =
      "cd " + kernels().string() + " && '" LAB_PROGRAM "' " + arguments + " " + redirect;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

struct Line {
  const char* arguments;
  int exit_code;
  const char* says;
};

void check_lines(std::initializer_list<Line> lines) {
  for (const Line& line : lines) {
    const Outcome outcome = lab(line.arguments);
    CAPTURE(line.arguments);
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == line.exit_code);
    CHECK(outcome.text.find(line.says) != std::string::npos);
  }
}

nlohmann::json json_of(const std::string& arguments, int exit_code) {
  const Outcome outcome = lab(arguments, "2>/dev/null");
  CAPTURE(arguments);
  CHECK(outcome.exit_code == exit_code);
  return nlohmann::json::parse(outcome.text);
}

}  // namespace

TEST_CASE("usage errors: exit 2 and a sentence") {
  check_lines({
      {"bogus", 2, "bogus"},
      {"--bogus", 2, "--bogus"},
      {"check 42", 2, "There is no chapter \"42\""},
      {"check 1 2", 2, "2"},
      {"check 1 --kernel missing.cu", 2, "missing.cu"},
      {"check 1 --kernel empty.cu", 2, "empty"},
      {"check 1 --kernel .", 2, "folder"},
      {"check 1 --kernel good.cu --solution", 2, "not both"},
      {"check 1 --compiler gcc", 2, "gcc"},
      {"profile", 2, "required"},
      {"profile good.cu --rows 4", 2, "--cols"},
      {"profile missing.cu --rows 4 --cols 4", 2, "missing.cu"},
      {"profile empty.cu --rows 4 --cols 4", 2, "empty"},
      {"profile 42 --rows 4 --cols 4", 2, "There is no chapter \"42\""},
      {"diff 42 1", 2, "There is no chapter \"42\""},
      {"diff missing.cu 1", 2, "no file missing.cu"},
      {"--lang zh ptx hint --json", 2, "no file hint"},  // JSON is English but for the command of that name
      {"show missing.cu", 2, "no file missing.cu"},
      {"show 4 --html", 2, "--html: a value is missing"},
      {"show 4 --html --solution", 2, "a value is missing; --solution is an option"},
      {"inspect limits missing.cu", 2, "no file missing.cu"},
      {"diff short.cu good.cu --rows 4 --cols 4", 2, "3 parameters"},
      {"profile binary.cu --rows 4 --cols 4", 2, "binary"},
      {"profile nokernel.cu --rows 4 --cols 4", 2, "has no kernel"},
      {"profile other.cu --rows 4 --cols 4", 2, "it has: other"},
      {"profile two.cu --rows 4 --cols 4", 2, "2 kernels"},
      {"profile good.cu --entry foo --rows 4 --cols 4", 2, "no kernel `foo`"},
      {"profile good.cu --rows 0 --cols 4", 2, "rows is 0"},
      {"profile good.cu --rows 4 --cols 0", 2, "cols is 0"},
      {"profile good.cu --rows -1 --cols 4", 2, "rows is -1"},
      {"profile good.cu --rows 2147483648 --cols 4", 2, "2147483648"},
      {"profile good.cu --rows 99999999999999999999999 --cols 4", 2, "rows"},
      {"profile good.cu --rows x --cols 4", 2, "x"},
      {"profile good.cu --rows 2000000000 --cols 2000000000", 2, "GiB"},
      {"profile good.cu --rows 4 --cols 4 --elem-bytes 3", 2, "3 bytes"},
      {"profile good.cu --rows 4 --cols 4 --block 0x8", 2, "at least 1"},
      {"profile good.cu --rows 4 --cols 4 --block 64x32", 2, "2048 threads"},
      {"profile good.cu --rows 4 --cols 4 --block 32", 2, "32x8"},
      {"profile good.cu --rows 4 --cols 4 --block 32x", 2, "32x8"},
      {"profile good.cu --rows 4 --cols 4 --block 32x8x1", 2, "32x8"},
      {"profile good.cu --rows 4 --cols 4 --tile 0x32", 2, ".tile"},
      {"profile short.cu --rows 4 --cols 4", 2, "3 parameters"},
      {"profile long.cu --rows 4 --cols 4", 2, "5 parameters"},
  });
}

TEST_CASE("kernels that are not right: exit 1, exit 4 when the budget ended them") {
  check_lines({
      {"profile text.cu --rows 4 --cols 4", 1, "hello"},
      {"check 1 --kernel text.cu", 1, "does not compile"},
      {"check 1 --kernel other.cu", 1, "not yet"},
      {"check 1 --kernel good.cu", 1, "LAUNCH_SHAPE"},
      {"profile nothing.cu --rows 4 --cols 4", 1, "never written"},
      {"profile beyond.cu --rows 4 --cols 4", 1, "out-of-bounds"},
      {"profile double.cu --rows 4 --cols 4 --elem-bytes 4", 1, "out-of-bounds"},
      {"profile endless.cu --rows 4 --cols 4", 4, "budget-exceeded"},
      {"diff endless.cu good.cu --rows 4 --cols 4", 4, "endless.cu"},
      {"show endless.cu --rows 4 --cols 4", 4, "endless.cu"},
      {"diff text.cu good.cu --rows 4 --cols 4", 1, "text.cu does not compile"},
      {"ptx text.cu", 1, "text.cu does not compile"},
  });
}

TEST_CASE("what works") {
  check_lines({
      {"--version", 0, "lab "},
      {"--help", 0, "check"},
      {"check --help", 0, "Example"},
      {"list", 0, "01_naive"},
      {"list --json", 0, "\"chapters\""},
      {"profile good.cu --rows 61 --cols 67", 0, "the result is the transpose"},
      {"profile mangled.cu --rows 61 --cols 67 --plain", 0, "the result is the transpose"},
      {"profile double.cu --rows 61 --cols 67 --elem-bytes 8", 0, "the result is the transpose"},
      {"profile double.cu --rows 61 --cols 67", 0, "8-byte elements"},
      {"profile bytes.cu --rows 61 --cols 67", 0, "1-byte elements"},
      {"profile alias.cu --rows 61 --cols 67", 0, "elements of 4 bytes are assumed"},
      {"profile good.cu --rows 61 --cols 67", 0, "32 × 8 threads are assumed"},
      {"profile good.cu --rows 61 --cols 67 --json", 0, "\"assumed\":[\"The file has no LAUNCH_SHAPE"},
      {"profile good.cu --rows 61 --cols 67 --block 16x16", 0, "block 16×16"},
      {"profile good.cu", 0, "a matrix of 1024 × 1024 is assumed"},
      {"show good.cu --rows 64 --cols 64", 0, "32 × 8 threads are assumed"},
      {"show double.cu --rows 64 --cols 64", 0, "8-byte elements"},
      {"diff good.cu 1 --solution --rows 64 --cols 64", 0, "32 × 8 threads are assumed"},
      {"profile good.cu --rows 1 --cols 1", 0, "the result is the transpose"},
      {"check 1 --solution", 0, "passed"},
      {"check naive --solution", 0, "passed"},
      {"--plain check 1 --solution", 0, "passed"},
  });
}

TEST_CASE("profile --json: the counters of the naive kernel at 1024 × 1024") {
  const nlohmann::json json = json_of("profile good.cu --rows 1024 --cols 1024 --json", 0);
  CHECK(json["correct"] == true);
  CHECK(json["device"] == "simulator");
  CHECK(json["counters"]["global_load"]["requests"] == 32'768);
  CHECK(json["counters"]["global_load"]["sectors"] == 131'072);
  CHECK(json["counters"]["global_store"]["sectors"] == 1'048'576);
  CHECK(json["totals"]["global"]["sectors"] == 131'072 + 1'048'576);
  CHECK(json["totals"]["shared"]["wavefronts"] == 0);
  CHECK(json["counters"]["global_store"]["ideal_sectors"] == 131'072);
  CHECK(json["counters"]["shared_load"]["wavefronts"] == 0);
  CHECK(json["faults"].empty());
  CHECK(json["lines"].size() == 2);
  CHECK(json["simulated"]["lane_instructions"].get<long>() > 1'000'000);
}

TEST_CASE("JSON of failures is still one object") {
  const nlohmann::json beyond = json_of("profile beyond.cu --rows 4 --cols 4 --json", 1);
  CHECK(beyond["correct"] == false);
  REQUIRE(beyond["faults"].size() == 1);
  CHECK(beyond["faults"][0]["kind"] == "out-of-bounds");
  CHECK(beyond["faults"][0]["file"].get<std::string>().ends_with("beyond.cu"));
  const nlohmann::json text = json_of("check 1 --kernel text.cu --json", 1);
  CHECK(text["passed"] == false);
  CHECK(text["compile"]["ok"] == false);
  CHECK(text["cases"].size() > 1);
  const nlohmann::json uncompiled = json_of("profile text.cu --rows 4 --cols 4 --json", 1);
  CHECK(uncompiled["correct"] == false);
}

TEST_CASE("every chapter's solution passes, and its JSON says so") {
  const nlohmann::json list = json_of("list --json", 0);
  REQUIRE(list["chapters"].size() >= 9);
  for (const nlohmann::json& chapter : list["chapters"]) {
    const nlohmann::json check =
        json_of("check " + chapter["chapter"].get<std::string>() + " --solution --json", 0);
    CHECK(check["passed"] == true);
    CHECK(check["correct"] == true);
    CHECK(check["points"] == check["points_possible"]);
    CHECK(check["points"].get<int>() >= 10);
  }
}

TEST_CASE("tour --json: the figures of the ladder") {
  const nlohmann::json tour = json_of("tour --json", 0);
  const auto counters = [&](std::size_t i) { return tour["chapters"][i]["counters"]; };
  CHECK(counters(0)["global_load"]["sectors"] == 131'072);
  CHECK(counters(0)["global_store"]["sectors"] == 1'048'576);
  CHECK(counters(3)["shared_load"]["wavefronts"] == 1'048'576);
  CHECK(counters(3)["shared_store"]["wavefronts"] == 32'768);
  CHECK(tour["chapters"][3]["bank_conflicts"] == 1'048'576 - 32'768);
  for (const std::size_t i : {4u, 5u}) {
    CHECK(counters(i)["shared_load"]["wavefronts"] == 32'768);
    CHECK(counters(i)["shared_store"]["wavefronts"] == 32'768);
  }
}

TEST_CASE("no colour in a pipe, and none with NO_COLOR") {
  CHECK(lab("check 1 --solution").text.find('\x1b') == std::string::npos);
  CHECK(lab("tour").text.find('\x1b') == std::string::npos);
}

TEST_CASE("banks and sectors: one pattern, and one a line") {
  check_lines({
      {"banks --step 128", 0, "32 wavefronts, 1 would do: a 32-way conflict, worst in bank 0"},
      {"banks --step 4", 0, "no bank conflict"},
      {"sectors --step 4096 --plain", 0, "32 sectors, 4 would do"},
      {"banks --op load --width 4 --addresses 0,128,-,256 --json", 0,
       "{\"wavefronts\":3,\"ideal_wavefronts\":1}"},
      {"sectors --op store --width 4 --addresses 0,4,64 --json", 0, "{\"sectors\":2,\"ideal_sectors\":1}"},
      {"banks --addresses 1", 2, "Lane 0: address 1"},
      {"banks --addresses -", 2, "inactive"},
      {"banks --addresses ,", 2, "0 addresses"},
      {"banks --width 3", 2, "3 bytes"},
      {"banks --op move", 2, "neither load nor store"},
      {"banks --step 4 --addresses 0", 2, "not both"},
      {"banks --lanes 33", 2, "1 to 32 lanes"},
      {"banks --bank-bytes 5", 2, "--bank-bytes"},
      {"sectors --base 99999999999999999999999", 2, "address space"},
      {"sectors --base 9223372036854775804 --step 9223372036854775804", 2, "address space"},
  });
  const Outcome many = lab("banks --stdin < patterns.txt", "2>/dev/null");
  CHECK(many.exit_code == 2);
  CHECK(many.text ==
        "{\"wavefronts\":2,\"ideal_wavefronts\":1}\n"
        "{\"error\":\"line 2: The op \\\"what\\\" is neither load nor store.\"}\n"
        "{\"wavefronts\":1,\"ideal_wavefronts\":1}\n");
  CHECK(lab("sectors --stdin < good_patterns.txt", "2>/dev/null").text ==
        "{\"sectors\":2,\"ideal_sectors\":1}\n");
}

TEST_CASE("explain, hint, watch") {
  check_lines({
      {"explain", 0, "out-of-bounds"},
      {"explain bank-conflict", 0, "(address / 4) mod 32"},
      {"explain bank-conflict --json", 0, "\"remedy\""},
      {"explain nonsense", 2, "no code \"nonsense\""},
      {"hint 42", 2, "no chapter"},
      {"solution 1 --spoil", 0, "__global__ void transpose"},
      {"solution", 2, "required"},
      {"watch 1 --kernel nothing.cu --times 1", 1, "not yet"},
      {"watch 1 --kernel missing.cu --times 1 --poll", 2, "missing.cu"},
  });
}

TEST_CASE("every code that a verdict of the course's skeletons names can be explained") {
  const nlohmann::json list = json_of("list --json", 0);
  for (const nlohmann::json& chapter : list.at("chapters")) {
    const std::string name = chapter["chapter"].get<std::string>();
    // A copy, so that the student's progress stays as it is.
    const Outcome outcome =
        lab("check " + name + " --kernel '" LAB_ROOT "/chapters/" + name + "/transpose.cu' --json",
            "2>/dev/null");
    const nlohmann::json check = nlohmann::json::parse(outcome.text);
    for (const nlohmann::json& one : check["cases"]) {
      for (const nlohmann::json& reason : one["reasons"]) {
        CAPTURE(reason["code"].get<std::string>());
        CHECK(lab("explain " + reason["code"].get<std::string>()).exit_code == 0);
      }
    }
  }
}

// Behind `lab run`: what is read back of a run, from files that a program cut off or wrote into, and what
// helps when nvcc refuses.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/run/programs/run_hints.h"
#include "common/run/programs/run_records.h"
#include "tests/drawn/draws.h"

using namespace lab::programs;
using lab::drawn::Draws;

namespace {

// A file in the temporary folder, gone with its owner.
class Records {
 public:
  explicit Records(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("lab-records-" + std::to_string(getpid()))) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Records() { std::filesystem::remove(path_); }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  [[nodiscard]] RunRecords read() const { return read_records(path_); }

 private:
  std::filesystem::path path_;
};

std::string note(const std::string& what, const std::string& of = "", const std::string& numbers = "") {
  return R"({"note":")" + what + R"(","of":")" + of + R"(","numbers":[)" + numbers + "]}\n";
}

}  // namespace

TEST_CASE("drawn notes are added up, whatever stands between them and wherever the file ends") {
  Draws draw(lab::drawn::seed_of_run("records"));
  const std::vector<std::string> strange = {"",
                                            "\n",
                                            "{",
                                            "null\n",
                                            "[1,2]\n",
                                            "{\"kernel\":\"k\"}\n",
                                            "\xff\xfe\n",
                                            note("link", "", "0"),
                                            note("link", "", "0,1,\"4\""),
                                            "{\"note\":1}\n",
                                            note("bridge", "", "0,1,4")};
  for (std::size_t n = lab::drawn::draws_of_run(300); n-- > 0;) {
    std::string text;
    std::map<std::string, std::uint64_t> calls;
    std::map<Crossed, std::uint64_t> crossed;
    std::uint64_t repeats = 0;
    for (std::size_t lines = draw.below(12); lines-- > 0;) {
      const std::size_t kind = draw.below(4);
      if (kind == 0) {
        const std::string name = draw.one_in(2) ? "cublasSgemm" : "curandGenerate";
        text += note("library", name);
        ++calls[name];
      } else if (kind == 1) {
        const bool linked = draw.one_in(2);
        const int from = static_cast<int>(draw.below(4)), to = static_cast<int>(draw.below(4));
        const std::uint64_t bytes = draw.next() >> 20;
        text += note(linked ? "link" : "staged", "",
                     std::to_string(from) + "," + std::to_string(to) + "," + std::to_string(bytes));
        crossed[{linked, from, to}] += bytes;
      } else if (kind == 2) {
        text += note("repeats");
        ++repeats;
      } else {
        text += draw.among(strange);
        if (!text.empty() && text.back() != '\n') text += '\n';
      }
    }
    const std::string whole = note("times");
    text += whole.substr(0, draw.below(whole.size() - 1));  // the program was killed while this was written
    const RunRecords records = Records(text).read();
    CHECK_MESSAGE(records.launches.empty(), text);
    CHECK_MESSAGE(records.library_calls == calls, text);
    CHECK_MESSAGE(records.crossed == crossed, text);
    CHECK_MESSAGE(records.repeated == repeats, text);
    CHECK_MESSAGE(!records.used_times, text);
  }
}

TEST_CASE("a file that is not there has no launches") {
  CHECK(read_records("/nonexistent/records").launches.empty());
}

TEST_CASE("a complaint of nvcc or the linker that has a cause gets a hint, an ordinary one none") {
  CHECK(hint_for("k.cu:(.text+0x1): undefined reference to `cufftPlan1d'").find("cuFFT") !=
        std::string::npos);
  CHECK(hint_for("a.cu:1:10: fatal error: nccl.h: No such file or directory").find("NCCL") !=
        std::string::npos);
  CHECK(hint_for("undefined reference to `curandomise'").empty());
  CHECK(hint_for("undefined reference to `cublasSsyr'").find("a function of cuBLAS") != std::string::npos);
  CHECK(hint_for("a.cu:1:10: fatal error: curand_kernel.h: No such file or directory")
            .find("comes with cuRAND") != std::string::npos);
  CHECK(hint_for("a.cu(3): error: expected a \";\"").empty());
  CHECK(hint_for("error: kernel launch from __device__ or __global__ functions requires separate compilation")
            .find("-rdc=true") != std::string::npos);
  CHECK(library_refusal("-lcusolverMg").find("cuSOLVERMg") != std::string::npos);
  CHECK(library_refusal("-lmine").empty());
  CHECK(library_refusal("-lcublas").empty());  // ours takes its place
  CHECK(library_refusal("-lcusolver").empty());
  CHECK(misses_older_names("error: identifier \"cudaThreadSynchronize\" is undefined"));
  CHECK_FALSE(misses_older_names("error: identifier \"cudaThreads\" is undefined"));
}

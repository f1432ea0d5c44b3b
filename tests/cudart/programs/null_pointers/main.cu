// Null in place of each pointer of each call: an error, or what the call documents, and never the end of the program.
// nvcc: -std=c++20 -lcuda -Xcompiler -Wno-deprecated-declarations
// refused: 73
// golden: none
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "valid.h"

// Calls that have a second form in C++, by the type of the one in C.
#define CALL(name) {#name, [](int first) { sweep(#name, first, &name); }},
#define CALL_AS(name, ...) {#name, [](int first) { sweep(#name, first, static_cast<cudaError_t (*)(__VA_ARGS__)>(&name)); }},

struct Answer {
  int argument;
  bool taken;  // the call came back without an error
};
int pipe_ends[2];

template <class... A, std::size_t... K>
void sweep_arguments(const char* name, std::size_t first, int (*call)(A...), std::index_sequence<K...>) {
  constexpr bool is_pointer[] = {(std::is_pointer_v<A> || std::is_same_v<A, CUdeviceptr>)..., false};
  for (std::size_t null = first; null < sizeof...(A); ++null) {
    if (!is_pointer[null]) continue;
    Answer answer{static_cast<int>(null), false};
    (void)!write(pipe_ends[1], &answer, sizeof answer);
    for (const int size : {1, 0, 2, 3, 4, 5, 7, 8, 64}) {
      const Valid valid(name, size);
      const auto argument = [&]<class T>(std::size_t at, T*) {
        if (at == null) return T{};
        return valid.some<T>();
      };
      const int code = call(argument(K, static_cast<A*>(nullptr))...);
      answer.taken = answer.taken || (size == 1 && code == 0);
    }
    (void)!write(pipe_ends[1], &answer, sizeof answer);
  }
}

template <class R, class... A>
void sweep(const char* name, int first, R (*call)(A...)) {
  sweep_arguments(name, static_cast<std::size_t>(first), reinterpret_cast<int (*)(A...)>(call), std::index_sequence_for<A...>{});
}

const struct {
  const char* name;
  void (*run)(int first);
} kCalls[] = {
#include "calls.inc"
};

// Where null is taken: "name/argument".
const std::set<std::string> kTaken = {
#include "taken.inc"
};

// In a process of its own: a call that ends it is reported by name, and the arguments after that one have their turn.
int sweep_apart(const char* name, void (*run)(int), int first) {
  if (pipe(pipe_ends) != 0) return 1;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (std::getenv("NULL_POINTERS_ALOUD") == nullptr) (void)!freopen("/dev/null", "w", stderr);
    alarm(60);
    cudaFree(nullptr);  // a context, also for the driver's calls
    cuInit(0);
    run(first);
    _exit(0);
  }
  close(pipe_ends[1]);
  std::vector<Answer> answers;
  for (Answer one; read(pipe_ends[0], &one, sizeof one) == sizeof one;) answers.push_back(one);
  close(pipe_ends[0]);
  int status = 0, wrong = 0;
  waitpid(child, &status, 0);
  for (std::size_t k = 1; k < answers.size(); k += 2) {
    const std::string where = std::string(name) + "/" + std::to_string(answers[k].argument);
    if (answers[k].taken == kTaken.contains(where)) continue;
    std::printf("%s: null is %s\n", where.c_str(), answers[k].taken ? "taken" : "refused");
    ++wrong;
  }
  if (status == 0) return wrong;
  const int last = answers.empty() ? -1 : answers.back().argument;
  std::printf("%s/%d: null ended the program (%d)\n", name, last, status);
  return wrong + 1 + (last < 0 ? 0 : sweep_apart(name, run, last + 1));
}

int main(int argc, char** argv) {
  int wrong = 0, count = 0;
  for (const auto& call : kCalls) {
    if (argc > 1 && std::strcmp(argv[1], call.name) != 0) continue;
    wrong += sweep_apart(call.name, call.run, 0);
    ++count;
  }
  std::printf("%d calls, %d surprises\n", count, wrong);
  return wrong == 0 && count != 0 ? 0 : 1;
}

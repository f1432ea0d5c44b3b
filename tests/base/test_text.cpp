// The choice of a language, tr, translated_message.
#include "common/base/text/text.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

using namespace lab::text;

namespace {

// The language of one test, and English again.
struct In {
  explicit In(Language language) { set_language(language); }
  ~In() { set_language(Language::English); }
};

// The four variables as given, "" for unset; put back at the end.
class Environment {
 public:
  explicit Environment(const std::array<const char*, 4>& values) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const char* old = std::getenv(kNames[i]);
      old_[i] = old == nullptr ? "" : old;
      set(i, values[i]);
    }
  }
  ~Environment() {
    for (std::size_t i = 0; i < kNames.size(); ++i) set(i, old_[i].c_str());
  }

 private:
  static constexpr std::array kNames = {"LAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
  static void set(std::size_t i, const char* value) {
    if (*value != '\0') {
      setenv(kNames[i], value, 1);
    } else {
      unsetenv(kNames[i]);
    }
  }
  std::array<std::string, 4> old_;
};

Language seen(const std::array<const char*, 4>& values) {
  const Environment environment(values);
  return language_of_environment();
}

}  // namespace

TEST_CASE("names of languages") {
  CHECK(language_named("zh") == Language::Chinese);
  CHECK(language_named("zh_CN.UTF-8") == Language::Chinese);
  CHECK(language_named("zh-Hans") == Language::Chinese);
  CHECK(language_named("en_GB") == Language::English);
  CHECK(language_named("C.UTF-8") == Language::English);
  CHECK_FALSE(language_named("zhuang").has_value());
  CHECK_FALSE(language_named("fr_FR.UTF-8").has_value());
  CHECK_FALSE(language_named("").has_value());
}

TEST_CASE("the first variable that is set decides") {
  CHECK(seen({"", "", "", ""}) == Language::English);
  CHECK(seen({"", "", "", "zh_CN.UTF-8"}) == Language::Chinese);
  CHECK(seen({"", "", "zh_CN", "en_US.UTF-8"}) == Language::Chinese);
  CHECK(seen({"", "C", "", "zh_CN.UTF-8"}) == Language::English);
  CHECK(seen({"zh", "C", "C", "C"}) == Language::Chinese);
  CHECK(seen({"en", "zh_CN.UTF-8", "", ""}) == Language::English);
  CHECK(seen({"fr", "zh_CN.UTF-8", "", ""}) == Language::English);
}

TEST_CASE("tr fills the places of the other language") {
  CHECK(tr("{} sectors, {} would do", 32, 4) == "32 sectors, 4 would do");
  const In chinese(Language::Chinese);
  CHECK(tr("{} sectors, {} would do", 32, 4) == "32 个扇区，本来 4 个就够");
  CHECK(tr("goal {}", "4 096") == "目标 4 096");
}

TEST_CASE("translated_message: English stays as it is in English") {
  CHECK(translated_message("every lane reads bank 7") == "every lane reads bank 7");
  CHECK(translated_message("") == "");
}

TEST_CASE("translated_message finds a finished sentence again") {
  const In chinese(Language::Chinese);
  CHECK(translated_message("every lane reads bank 7") == "每个 lane 都读存储体 7");
  CHECK(translated_message("32 wavefronts per request, 1 would do: every lane reads bank 0") ==
        "每次请求 32 个波前，本来 1 个就够：每个 lane 都读存储体 0");
  CHECK(translated_message(
            "shape 61×67: out(3,5) holds zero; in(5,3) belongs there.\n36 of 4087 elements are wrong.") ==
        "形状 61×67：out(3,5) 里是零；这里应该是 in(5,3)。\n4087 个元素里有 36 个是错的。");
}

TEST_CASE("translated_message: a fault with its place, its phrases and their order") {
  const In chinese(Language::Chinese);
  CHECK(translated_message(
            "the barrier at line 9 waits for threads that never come. Warp 0: lanes 0-31 at the barrier "
            "at line 9. "
            "Warp 1: lanes 0-31 at the barrier at line 10.") ==
        "第 9 行的屏障在等永远不会来的线程。线程束 0：lane 0-31 在第 9 行的屏障处。线程束 1：lane 0-31 "
        "在第 10 行的屏障处。");
  // A value may have the stop that follows it, where that stop goes on with words of its own.
  CHECK(
      translated_message(
          "The warp reads 4 sectors, 128 of 128 bytes used, and writes 8 sectors, 128 of 256 bytes used.") ==
      "线程束读 4 个扇区，128 / 128 字节用到，写 8 个扇区，128 / 256 字节用到。");
  CHECK(
      translated_message(
          "thread (0,0,0) of block (1,0,0) reads 4 bytes of global memory: 64 bytes past the end of `in`, a "
          "4 096-byte buffer. Compare the index with the number of elements before the access.") ==
      "线程 (0,0,0)（线程块 (1,0,0)）读取全局内存的 4 字节：`in` 末尾之后 64 字节，一个 4 096 字节的缓冲区。"
      "访问之前先把下标和元素个数比较。");
  CHECK(translated_message(
            "thread (3,4) of block (0,0) writes `tile` + 4 bytes at line 21, which thread (1,2) read at line "
            "27, with no barrier between: put __syncthreads() between line 21 and line 27") ==
        "线程 (3,4)（线程块 (0,0)）写入 `tile` + 4 字节（第 21 行），而线程 (1,2) 在第 27 "
        "行读过它，中间没有屏障：放一个 "
        "__syncthreads()，位置在第 21 行与第 27 行之间");
}

TEST_CASE("translated_message: a phrase keeps to its clause") {
  const In chinese(Language::Chinese);
  CHECK(translated_message("2 wavefronts per request, 1 would do: 2 of 32 lanes read bank 0") ==
        "每次请求 2 个波前，本来 1 个就够：32 个 lane 里有 2 个读存储体 0");
  CHECK(translated_message(
            "shape 1×1, rows of `in` 2 apart, rows of `out` 3 apart, 2 matrices: out[1](0,0) was never "
            "written; "
            "in[1](0,0) belongs there.") ==
        "形状 1×1，`in` 的行距 2，`out` 的行距 3，2 个矩阵：out[1](0,0) 从来没有被写过；这里应该是 "
        "in[1](0,0)。");
  CHECK(translated_message(
            "shape 1×2: thread (1,0) of block (0,0) writes 4 bytes at 0x700003408: right behind the end "
            "of `out`, an "
            "8-byte buffer.") ==
        "形状 1×2：线程 (1,0)（线程块 (0,0)）写入 4 字节（0x700003408）：紧跟在 `out` 末尾之后，一个 8 "
        "字节的缓冲区。");
  CHECK(translated_message(
            "shape 64×1: thread (0,7) of block (0,1) writes 4 bytes at shared memory offset 4220, 124 "
            "bytes past the end "
            "of `tile`, but the block has only 4 096 bytes (4 096 static, 0 dynamic). Check the index and "
            "the size of "
            "the array.") ==
        "形状 64×1：线程 (0,7)（线程块 (0,1)）写入 4 字节（共享内存偏移 4220），`tile` 末尾之后 124 "
        "字节，但线程块只有 4 096 "
        "字节（静态 4 096，动态 0）。检查下标和数组大小。");
  CHECK(translated_message(
            "shape 4×4: thread (0,0) of block (0,0) reads `tile[0]` at line 46, which the copy at line 37 "
            "still writes: wait "
            "for the phase of its barrier (mbarrier.try_wait, with the parity of that phase: 0 for the "
            "first) before the "
            "tile is touched") ==
        "形状 4×4：线程 (0,0)（线程块 (0,0)）读取 `tile[0]`（第 46 行），而 第 37 行 的拷贝仍在写它：访问 "
        "tile 之前请等待其屏障的该阶段（"
        "mbarrier.try_wait，使用该阶段的奇偶性：第一阶段为 0）");
}

TEST_CASE("translated_message leaves alone what is no sentence of ours") {
  const In chinese(Language::Chinese);
  CHECK(translated_message("error: identifier \"foo\" is undefined") ==
        "error: identifier \"foo\" is undefined");
  CHECK(translated_message("hello {} world") == "hello {} world");
  CHECK(translated_message(std::string(50'000, 'a')) == std::string(50'000, 'a'));
  std::string commas;
  for (int i = 0; i < 480; ++i) commas += "a, ";
  CHECK(translated_message(commas).size() >= commas.size() - 8);  // ends soon, whatever the text
}

TEST_CASE("a message is its form and its values, in either language") {
  const lab::Message place = msg("{}", Place{"tile", 64, 132, 132});
  lab::Message said =
      msg("thread {} of block {} reads {} at {}", "(3,4)", "(0,0)", place, msg("line {}", 21));
  said.then("Where another thread stores it, put __syncthreads() before this read.");
  CHECK(
      said.english() ==
      "thread (3,4) of block (0,0) reads `tile` + 132 bytes at line 21. Where another thread stores it, put "
      "__syncthreads() before this read.");
  said.for_each_place([](Place& p) { p.element = p.last_element = "tile[1][0]"; });
  CHECK(said.english().starts_with("thread (3,4) of block (0,0) reads `tile[1][0]` at line 21. Where"));
  const In chinese(Language::Chinese);
  CHECK(translated(said) ==
        "线程 (3,4)（线程块 (0,0)）读取 `tile[1][0]`（第 21 行）。如果是别的线程存的，在这次读取之前放一个 "
        "__syncthreads()。");
  CHECK(translated(verbatim("line 21: {} of it")) == "line 21: {} of it");
}

TEST_CASE("a range of one place is one place; numbers have blanks between thousands") {
  CHECK(msg("{}", Place{"tile", 0, 0, 124}).english() == "`tile` + 0 bytes–`tile` + 124 bytes");
  CHECK(msg("{}", Place{"tile", 0, 0, 12, "tile[0]", "tile[0]"}).english() == "`tile[0]`");
  CHECK(msg("{} bytes", lab::big(4096)).english() == "4 096 bytes");
  CHECK(msg("{:.1f} times", 2.25).english() == "2.2 times");
}

TEST_CASE("an exception carries its message") {
  const Said<std::runtime_error> error(msg("line {}", 7));
  CHECK(std::string(error.what()) == "line 7");
  const In chinese(Language::Chinese);
  CHECK(translated(message_of(error)) == "第 7 行");
  CHECK(translated(message_of(std::runtime_error("line 7"))) == "line 7");
}

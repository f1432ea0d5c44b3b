// Draws the pictures of all lessons: pictures ROOT [--check].
//
// Enters: the project's folder. Leaves: chapters/NN_name/*.svg, and *.zh.svg with Chinese words. With --check
// nothing is written: a picture that is not what this program draws is named, and the exit code is 1. That is
// a test of the build.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "common/base/text/text.h"
#include "tools/pictures/pictures.h"

namespace {

struct Picture {
  const char* file;
  std::string (*draw)();
};

constexpr Picture kPictures[] = {
    {"01_naive/lanes_and_sectors.svg", lab::pictures::naive},
    {"02_coalescing/shapes_of_a_warp.svg", lab::pictures::coalescing},
    {"03_float4/half_sectors.svg", lab::pictures::float4},
    {"04_shared_tile/banks_of_a_tile.svg", lab::pictures::shared_tile},
    {"05_padding/one_more_column.svg", lab::pictures::padding},
    {"06_xor_swizzle/permuted_rows.svg", lab::pictures::xor_swizzle},
    {"07_swizzle_formula/short_and_long_rows.svg", lab::pictures::swizzle_formula},
    {"08_vectorized_swizzle/eight_lanes_at_once.svg", lab::pictures::vectorized_swizzle},
    {"08_vectorized_swizzle/order_of_blocks.svg", lab::pictures::block_order},
    {"09_any_matrix/ragged_rows.svg", lab::pictures::any_matrix},
    {"10_narrow_types/byte_permutes.svg", lab::pictures::narrow_types},
    {"11_async_copy/stages.svg", lab::pictures::async_copy},
    {"12_tma_swizzle/hardware_swizzle.svg", lab::pictures::hardware_swizzle},
    {"12_tma_swizzle/which_elements.svg", lab::pictures::which_elements},
    {"12_tma_swizzle/pairs_of_groups.svg", lab::pictures::pairs_of_groups},
    {"13_matrix_moves/lanes_of_a_matrix.svg", lab::pictures::matrix_lanes},
    {"14_clusters/two_blocks.svg", lab::pictures::two_blocks},
    {"15_speed_of_light/whole_sectors.svg", lab::pictures::whole_sectors},
    {"16_two_gpus/by_turns.svg", lab::pictures::by_turns},
    {"17_read_the_profiler/reduction.svg", lab::pictures::reduction},
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: pictures ROOT [--check]\n");
    return 2;
  }
  const bool check = argc > 2 && std::string_view(argv[2]) == "--check";
  int wrong = 0;
  for (const auto language : {lab::text::Language::English, lab::text::Language::Chinese}) {
    lab::text::set_language(language);
    for (const Picture& picture : kPictures) {
      auto file = std::filesystem::path(argv[1]) / "chapters" / picture.file;
      if (language == lab::text::Language::Chinese) file.replace_extension(".zh.svg");
      const std::string svg = picture.draw();
      if (check) {
        if (content(file) == svg) continue;
        fmt::print("{} is not what tools/pictures draws. Run: pictures ROOT\n", file.string());
        ++wrong;
      } else if (!(std::ofstream(file, std::ios::binary) << svg)) {
        fmt::print(stderr, "{} cannot be written.\n", file.string());
        return 3;
      }
    }
  }
  return wrong ? 1 : 0;
}

// Running recipes. See step_recipes.h.
#include "common/course/explore/step_recipes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/compile/builtin/code.h"
#include "common/sim/gpu.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::explore {
namespace {

using cucc::registers_in;

constexpr std::uint64_t kRowBytes = sim::kWarpLanes * sizeof(std::uint64_t);

// How registers of a class come from words of 64 bits, and go there.
struct RegisterClass {
  std::string_view letters, declared, from_word, to_word;
};
constexpr RegisterClass kClasses[] = {
    {"%p", ".pred", "setp.ne.u64 {}, %word, 0;", "selp.b64 %word, 1, 0, {};"},
    {"%f", ".f32", "cvt.u32.u64 %half, %word; mov.b32 {}, %half;",
     "mov.b32 %half, {}; cvt.u64.u32 %word, %half;"},
    {"%fd", ".f64", "mov.b64 {}, %word;", "mov.b64 %word, {};"},
    {"%rd", ".b64", "mov.b64 {}, %word;", "mov.b64 %word, {};"},
    {"%rs", ".b16", "cvt.u16.u64 {}, %word;", "cvt.u64.u16 %word, {};"},
    {"%r", ".b32", "cvt.u32.u64 {}, %word;", "cvt.u64.u32 %word, {};"},
};

const RegisterClass& class_of(const std::string& reg) {
  const std::string letters = cucc::letters_of(reg);
  return *std::find_if(std::begin(kClasses), std::end(kClasses) - 1,
                       [&](const RegisterClass& c) { return c.letters == letters; });
}

// A block a step, a thread a lane.
std::string kernel_of(const Recipe& recipe) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry recipe(.param .u64 from, .param .u64 to) {\n"
      ".reg .b64 %word, %at, %wide;\n.reg .b32 %half, %lane, %step;\n";
  std::set<std::string> declared;
  std::vector<std::string> registers = registers_in(recipe.instructions);
  for (const Recipe::Input& input : recipe.inputs) registers.push_back(input.reg);
  for (const std::string& reg : registers)
    if (declared.insert(reg).second) text += fmt::format(".reg {} {};\n", class_of(reg).declared, reg);
  text +=
      "mov.u32 %lane, %tid.x;\nmov.u32 %step, %ctaid.x;\n"
      "mul.wide.u32 %wide, %lane, 8;\nld.param.u64 %at, [from];\nadd.u64 %at, %at, %wide;\n";
  text += fmt::format("mul.wide.u32 %wide, %step, {};\nadd.u64 %at, %at, %wide;\n",
                      kRowBytes * recipe.inputs.size());
  for (std::size_t k = 0; k < recipe.inputs.size(); ++k) {
    const std::string& reg = recipe.inputs[k].reg;
    text += fmt::format("ld.global.u64 %word, [%at+{}];\n", k * kRowBytes) +
            fmt::format(fmt::runtime(class_of(reg).from_word), reg) + "\n";
  }
  text += recipe.instructions;
  text += fmt::format(fmt::runtime(class_of(recipe.result).to_word), recipe.result);
  text += fmt::format(
      "\nmul.wide.u32 %wide, %step, {};\nld.param.u64 %at, [to];\nadd.u64 %at, %at, %wide;\n"
      "mul.wide.u32 %wide, %lane, 8;\nadd.u64 %at, %at, %wide;\nst.global.u64 [%at], %word;\nret;\n}}\n",
      kRowBytes);
  return text;
}

}  // namespace

// What an instruction writes is its first operand; what none of those before it wrote comes from the kernel.
Recipe recipe_of(const std::string& text) {
  constexpr std::string_view kLoad = "ld.param.";
  const std::size_t equals = text.find(" = ");
  Recipe recipe{text.substr(0, equals), "", {}};
  std::set<std::string> known;
  for (std::size_t begin = equals + 3; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::vector<std::string> named = registers_in(line);
    const std::size_t load = line.find(kLoad), open = line.find('[');
    begin = end + 1;
    if (named.empty()) continue;
    if (load != std::string::npos && open != std::string::npos) {
      recipe.inputs.push_back({named[0], line.substr(open + 1, line.find(']') - open - 1)});
    } else {
      for (std::size_t k = 1; k < named.size(); ++k)
        if (known.insert(named[k]).second) recipe.inputs.push_back({named[k], ""});
      recipe.instructions += line + ";\n";
    }
    known.insert(named[0]);
  }
  return recipe;
}

void Recipes::ask(const Recipe& recipe, std::size_t step, std::size_t at,
                  const std::vector<std::uint64_t>& inputs) {
  Batch& batch = batches_[&recipe];
  batch.asked.emplace_back(step, at);
  batch.inputs.insert(batch.inputs.end(), inputs.begin(), inputs.end());
}

std::vector<std::uint64_t> Recipes::values_of(const Recipe& recipe, Batch& batch) {
  std::vector<std::uint64_t> values(batch.asked.size() * sim::kWarpLanes);
  sim::Memory memory;
  const auto image = sim::load_module(sim::ptx::parse(kernel_of(recipe)), memory);
  const auto lent = [&](std::vector<std::uint64_t>& words) {
    return memory.lend(words.data(), std::max<std::size_t>(words.size(), 1) * sizeof words[0]);
  };
  const std::uint64_t places[] = {batch.inputs.empty() ? 0 : lent(batch.inputs), lent(values)};
  sim::LaunchConfig config;
  config.grid = {static_cast<std::uint32_t>(batch.asked.size()), 1, 1};
  config.block = {sim::kWarpLanes, 1, 1};
  sim::LaunchOptions options;
  options.count = false;
  (void)sim::launch(memory, *sim::decode(*image, "recipe"), config, std::as_bytes(std::span(places)),
                    options);
  return values;
}

}  // namespace lab::explore

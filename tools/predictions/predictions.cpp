// What the model of time says of launches under rates that are tried: tools/time_model.py asks it.
//
// Enters: on each line of the standard input {"gpu": "h200", "rates": {…}, "launches": [{"dram_read": …,
// "work": {…}}, …]}, rates by their keys in data/gpus, launches as `modelled` of docs/json_run.md; a number that
// is missing is 0. Leaves: for each line one with a list of [seconds, seconds of the kernel alone, what
// bounds it].
#include <exception>
#include <iostream>
#include <string>

#include "common/base/json.h"
#include "common/gpu/device/gpu_data.h"
#include "common/gpu/model/modelled.h"
#include "common/gpu/model/prediction.h"

namespace lab {
namespace {

using base::Json;
using device::TimeRates;
#include "common/gpu/device/gpu_rates.h"

void read(const Json& from, const report::KeyedNumber& number) {
  const Json* given = from.find(number.key);
  for (std::size_t k = 0; given != nullptr && k < number.values.size(); ++k)
    *number.values[k] = given->is_array() ? given->at(k) : *given;
}

model::Work work_of(const Json& launch) {
  model::Work work;
  const report::ModelledNumbers numbers = report::modelled_numbers(work);
  for (const report::KeyedNumber& number : numbers.of_memory) read(launch, number);
  for (const report::KeyedNumber& number : numbers.of_work) read(launch.at("work"), number);
  return work;
}

Json answer(const Json& question) {
  device::GpuData gpu = device::gpu_named(question.at("gpu"));
  for (const auto& [key, rate] : kRates) gpu.time.*rate = question.at("rates").at(key);
  Json all = Json::array();
  for (const Json& launch : question.at("launches")) {
    const model::Prediction says = model::predict(work_of(launch), gpu);
    all.push_back(Json::array({says.total, says.kernel, model::part_info(says.bound).key}));
  }
  return all;
}

}  // namespace
}  // namespace lab

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);)
      std::cout << lab::answer(lab::base::Json::parse(line)).dump() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "predictions: " << error.what() << '\n';
    return 1;
  }
}

// Steps as sentences, and as text. See step_words.h.
#include "common/course/report/step_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "common/base/text/text.h"
#include "common/course/explore/step_memory.h"
#include "common/sim/base/kernel_name.h"
#include "common/sim/base/lanes.h"
#include "common/sim/observe/access_view.h"
#include "common/ui/wrap.h"

namespace lab::report {
namespace {

using explore::StepAccess;
using explore::StepRun;
using explore::WarpStep;
using text::tr;
using text::translated;

constexpr int kAroundLine = 3;  // lines of source above and below

Message lanes_phrase(int n) { return n == 1 ? Message("1 lane") : msg("{} lanes", n); }
Message bytes_phrase(unsigned n) { return n == 1 ? Message("1 byte") : msg("{} bytes", n); }
Message banks_phrase(unsigned n) { return n == 1 ? Message("1 bank") : msg("{} banks", n); }

Message cost_phrase(sim::Path path, std::uint64_t n) {
  if (sim::info(path).weighs == sim::Space::Shared)
    return n == 1 ? Message("1 wavefront") : msg("{} wavefronts", n);
  return n == 1 ? Message("1 sector") : msg("{} sectors", n);
}

// The first lane that acts decides; all lie in the same, or nothing is named.
std::string array_of(const StepRun& run, const StepAccess& access) {
  std::string name;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask)) {
    const StepRun::Place place = run.place_of(access, lane);
    const std::string here = place.of == StepRun::Place::In::In    ? "in"
                             : place.of == StepRun::Place::In::Out ? "out"
                             : place.of == StepRun::Place::In::Shared
                                 ? sim::short_name(run.arrays[place.array].name)
                                 : "";
    if (here.empty() || (!name.empty() && name != here)) return "";
    name = here;
  }
  return name;
}

Message words_phrase(unsigned n, const std::string& array) {
  if (array.empty()) return n == 1 ? Message("1 word") : msg("{} words", n);
  return n == 1 ? msg("1 word of `{}`", array) : msg("{} words of `{}`", n, array);
}

Message shared_sentence(const StepRun& run, const StepAccess& a) {
  const bool load = sim::reads(a.path);
  const sim::SharedView view = sim::view_shared(a.address.data(), a.width_bytes, a.mask, load);
  unsigned words = 0, banks = 0;
  for (const unsigned in_bank : view.words_in_bank) words += in_bank, banks += in_bank != 0 ? 1 : 0;
  const int lanes = std::popcount(a.mask);
  const Message what = words_phrase(words, array_of(run, a)), where = banks_phrase(banks),
                cost = cost_phrase(a.path, a.cost.cost);
  if (load)
    return lanes == 1 ? msg("1 lane loads {} from {}: {}", what, where, cost)
                      : msg("{} lanes load {} from {}: {}", lanes, what, where, cost);
  return lanes == 1 ? msg("1 lane stores {} into {}: {}", what, where, cost)
                    : msg("{} lanes store {} into {}: {}", lanes, what, where, cost);
}

Message global_sentence(const StepRun& run, const StepAccess& a) {
  const std::string array = array_of(run, a);
  const Message where = array.empty() ? Message("global memory") : msg("`{}`", array),
                bytes = bytes_phrase(a.width_bytes), cost = cost_phrase(a.path, a.cost.cost);
  const int lanes = std::popcount(a.mask);
  if (sim::reads(a.path))
    return lanes == 1 ? msg("1 lane loads {} from {}: {}", bytes, where, cost)
                      : msg("{} lanes load {} each from {}: {}", lanes, bytes, where, cost);
  return lanes == 1 ? msg("1 lane stores {} to {}: {}", bytes, where, cost)
                    : msg("{} lanes store {} each to {}: {}", lanes, bytes, where, cost);
}

Message access_sentence(const StepRun& run, const StepAccess& a) {
  const sim::PathInfo& info = sim::info(a.path);
  if (info.rule == sim::Rule::Wavefronts) return shared_sentence(run, a);
  if (info.rule == sim::Rule::Sectors) return global_sentence(run, a);
  const Message lanes = lanes_phrase(std::popcount(a.mask)),
                did = msg("{}: {}", lanes, Message(info.name, {}));
  if (a.path == sim::Path::SharedAsync) return msg("What {} copied lands in shared memory", lanes);
  const bool costs = info.rule != sim::Rule::BothSides && info.rule != sim::Rule::Free;
  return costs ? msg("{}, {}", did, cost_phrase(a.path, a.cost.cost)) : did;
}

std::uint64_t bytes_of(const explore::StepCopy& copy) {
  return std::max(copy.reads.bytes, copy.writes.bytes);
}

// Bytes of copies that landed at this step.
std::uint64_t landed_bytes(const StepRun& run, const WarpStep& step) {
  std::uint64_t bytes = 0;
  for (const explore::StepFlight& f : step.landed) bytes += bytes_of(run.data.steps[f.step].copies[f.copy]);
  return bytes;
}

// A side that costs nothing beside the other is not named.
Message copy_sentence(const explore::StepCopy& copy) {
  const Message bytes = bytes_phrase(static_cast<unsigned>(bytes_of(copy))),
                read = cost_phrase(copy.read, copy.reads.cost),
                written = cost_phrase(copy.written, copy.writes.cost);
  if (copy.writes.cost == 0) return msg("A copy of {} starts: {} read", bytes, read);
  if (copy.reads.cost == 0) return msg("A copy of {} starts: {} written", bytes, written);
  return msg("A copy of {} starts: {} read, {} written", bytes, read, written);
}

// "16 384 bytes into `stage` as group 0".
Message way_phrase(const StepRun& run, const explore::StepCopy& copy, std::uint64_t bytes) {
  const auto written = std::find_if(copy.shared.begin(), copy.shared.end(),
                                    [](const explore::StepSpan& span) { return span.written; });
  const bool into = written != copy.shared.end();
  const std::uint64_t low = copy.shared.empty() ? 0 : into ? written->low : copy.shared.front().low;
  Message where = "shared memory";
  for (const judge::SharedArray& array : run.arrays)
    if (array.holds(low)) where = msg("`{}`", sim::short_name(array.name));
  const Message moved =
      into ? msg("{} bytes into {}", big(bytes), where) : msg("{} bytes out of {}", big(bytes), where);
  if (copy.barrier == explore::StepCopy::kNoBarrier) return msg("{} as group {}", moved, copy.number);
  return msg("{} for phase {} of {}", moved, copy.number, barrier_words(run, copy.barrier));
}

Message wrong_sentence(const StepRun& run, const StepAccess& a, std::size_t lane) {
  const auto elem = static_cast<std::size_t>(run.run.problem.elem_bytes);
  const auto element = run.element_of(std::span(a.value).subspan(lane * a.width_bytes, elem));
  const std::string place = run.name_of(run.place_of(a, lane));
  if (a.width_bytes != elem || !element)
    return msg("Lane {} stores to {} what does not belong there", lane, place);
  return msg("Lane {} stores {} to {}, where it does not belong", lane, run.name_in(*element), place);
}

// What the warp does where nothing moves.
Message quiet_sentence(const StepRun& run, const WarpStep& step) {
  if (step.what == WarpStep::What::Barrier)
    return step.object == sim::kClusterBarrier ? Message("The barrier of the cluster opens")
                                               : Message("All threads have arrived: the barrier opens");
  if (step.what == WarpStep::What::Phase) {
    if (step.object >= sim::kInShared) {
      const Message over =
          msg("Phase {} of {} is over", step.phase, barrier_words(run, step.object - sim::kInShared));
      const std::uint64_t bytes = landed_bytes(run, step);
      return bytes == 0 ? over : msg("{}: {} bytes have landed", over, big(bytes));
    }
    return step.object >= sim::kWarpgroups ? Message("The four warps of a warpgroup have met")
                                           : msg("Barrier {} opens", step.object);
  }
  if (const std::uint64_t bytes = landed_bytes(run, step))
    return msg("Copies of {} bytes are no longer on their way", big(bytes));
  const int acting = std::popcount(step.acting);
  if (step.arrives)
    return acting == 1 ? Message("1 lane arrives at the barrier")
                       : msg("{} lanes arrive at the barrier", acting);
  return acting == 1 ? Message("1 lane goes on, no memory is touched")
                     : msg("{} lanes go on, no memory is touched", acting);
}

std::string mask_row(const WarpStep& step) {
  std::string row;
  for (unsigned lane = 0; lane < sim::kWarpLanes; ++lane)
    row += (step.acting >> lane & 1u) != 0 ? '#' : (step.live >> lane & 1u) != 0 ? '.' : ' ';
  return row;
}

std::string source_around(const StepRun& run, int line) {
  std::string text;
  for (int k = line - kAroundLine; k <= line + kAroundLine; ++k) {
    if (k < 1 || static_cast<std::size_t>(k) > run.source.size()) continue;
    text +=
        fmt::format("{} {:>4}  {}\n", k == line ? '>' : ' ', k, run.source[static_cast<std::size_t>(k) - 1]);
  }
  return text;
}

std::string lanes_of_access(const StepRun& run, const StepAccess& a) {
  std::string text;
  const sim::Mask wrong = run.wrong_lanes(a);
  const auto elem = static_cast<std::size_t>(run.run.problem.elem_bytes);
  for (const std::size_t lane : sim::lanes_of<std::size_t>(a.mask)) {
    const StepRun::Place place = run.place_of(a, lane);
    std::string name = run.name_of(place);
    if (name.empty()) name = tr("byte {}", place.bytes);
    std::string value;
    for (std::size_t k = 0; !a.value.empty() && k + elem <= a.width_bytes; k += elem) {
      const auto element = run.element_of(std::span(a.value).subspan(lane * a.width_bytes + k, elem));
      value += (k == 0 ? "" : " ") + (element ? run.name_in(*element) : std::string("?"));
    }
    text += fmt::format("  {:>4}  {:<16} {:<12}", lane, name, value);
    if (a.before[lane] != explore::kNoStep) text += "  " + tr("written in step {}", a.before[lane]);
    if ((wrong >> lane & 1u) != 0) text += "  " + tr("wrong");
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  return text;
}

// A shared matrix as a barrier opens: a character an element, rows that are alike once.
std::string writers_text(const StepRun& run, std::size_t number, std::size_t array) {
  constexpr std::string_view kWarps = "0123456789abcdefghijklmnopqrstuv";
  const judge::SharedArray& a = run.arrays[array];
  if (a.elem_bytes == 0 || a.extents.size() != 2) return "";
  const explore::StepMemory memory = explore::memory_before(run, number, run.data.steps[number].block, array);
  const auto written = [&](std::size_t byte) {
    return memory.states[byte] == explore::StepMemory::State::Unwritten ? '.' : kWarps[memory.writers[byte]];
  };
  struct Rows {
    std::string looks, which;
    std::size_t last = 0;
  };
  std::vector<Rows> rows;
  for (std::size_t row = 0; row < a.extents[0]; ++row) {
    std::string looks;
    for (std::size_t col = 0; col < a.extents[1]; ++col)
      looks += written((row * a.extents[1] + col) * a.elem_bytes);
    auto alike = std::find_if(rows.begin(), rows.end(), [&](const Rows& r) { return r.looks == looks; });
    if (alike == rows.end()) alike = rows.insert(alike, {looks, std::to_string(row), row});
    if (alike->last + 1 < row) alike->which += fmt::format(", {}", row);
    if (alike->last + 1 == row) {
      const std::size_t dash = alike->which.find('-', alike->which.rfind(' ') + 1);
      alike->which = fmt::format("{}-{}", alike->which.substr(0, dash), row);
    }
    alike->last = row;
  }
  std::string text = "\n" +
                     tr("{}[{}][{}] by the warp that wrote each element, in base 32 (. none), and its rows",
                        sim::short_name(a.name), a.extents[0], a.extents[1]) +
                     "\n";
  for (const Rows& r : rows) text += fmt::format("  {}  {}\n", r.looks, r.which);
  return text;
}

}  // namespace

Message barrier_words(const StepRun& run, std::uint64_t offset) {
  const std::string name = run.name_in_shared(offset);
  return name.empty() ? msg("the mbarrier at byte {} of shared memory", offset) : msg("`{}`", name);
}

Message flight_words(const StepRun& run, const explore::StepFlight& flight) {
  const explore::StepCopy& copy = run.data.steps[flight.step].copies[flight.copy];
  return way_phrase(run, copy, bytes_of(copy));
}

std::string span_words(const StepRun& run, const explore::StepSpan& span, bool shared) {
  StepAccess access;
  access.path = shared ? sim::Path::SharedLoad : sim::Path::GlobalLoad;
  access.mask = 1, access.address[0] = span.low, access.block = span.block;
  const StepRun::Place place = run.place_of(access, 0);
  const std::string name = run.name_of(place);
  return translated(msg("{}, {} bytes", name.empty() ? tr("byte {}", place.bytes) : name, big(span.bytes)));
}

std::string step_head(const StepRun& run) {
  const judge::Problem& p = run.run.problem;
  const sim::Dim3 at = run.block(0);
  return tr("{} · {} × {} · block ({},{}) of {} × {} · {} threads", run.kernel, p.rows, p.cols, at.x, at.y,
            run.run.grid.x, run.run.grid.y, run.run.block.count());
}

Message step_sentence(const StepRun& run, std::size_t number) {
  const WarpStep& step = run.data.steps[number];
  Message all;
  const auto add = [&](const Message& sentence) {
    all.empty() ? void(all = sentence) : void(all.then(sentence));
  };
  for (const explore::StepCopy& copy : step.copies) add(copy_sentence(copy));
  for (const StepAccess& access : step.accesses)
    if (access.path != sim::Path::GlobalAsync) add(access_sentence(run, access));  // its copy says it
  if (all.empty() || step.arrives) add(quiet_sentence(run, step));
  for (const StepAccess& access : step.accesses)
    if (const sim::Mask wrong = run.wrong_lanes(access))
      add(wrong_sentence(run, access, static_cast<std::size_t>(std::countr_zero(wrong))));
  for (const explore::StepFound& found : run.found)
    if (found.step == static_cast<std::int32_t>(number)) add(msg("Found here: {}", found.fault.sentence()));
  return all;
}

Message way_sentence(const StepRun& run, const std::vector<explore::StepFlight>& way) {
  struct Sum {
    const explore::StepCopy* copy;
    Message words;  // but for the bytes: copies that are alike have the same
    std::uint64_t bytes;
  };
  std::vector<Sum> sums;
  for (const explore::StepFlight& flight : way) {
    const explore::StepCopy& copy = run.data.steps[flight.step].copies[flight.copy];
    const Message words = way_phrase(run, copy, 0);
    const auto sum = std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.words == words; });
    sum == sums.end() ? void(sums.push_back({&copy, words, bytes_of(copy)}))
                      : void(sum->bytes += bytes_of(copy));
  }
  Message list;
  for (const Sum& sum : sums) {
    const Message phrase = way_phrase(run, *sum.copy, sum.bytes);
    list = list.empty() ? phrase : msg("{}, {}", list, phrase);
  }
  if (way.empty()) return list;
  return way.size() == 1 ? msg("1 copy on its way: {}", list)
                         : msg("{} copies on their way: {}", way.size(), list);
}

std::vector<Message> step_notes(const StepRun& run) {
  std::vector<Message> notes = run.assumed;
  if (run.variables.are_registers)
    notes.emplace_back("Registers stand for variables: only the built-in compiler says where those are.");
  if (!run.refused.empty())
    notes.push_back(msg("The built-in compiler refuses this kernel: {}", run.refused));
  for (const auto& [step, warp] : run.turns)
    notes.push_back(msg("Chosen: warp {} goes on at step {}.", warp, step));
  if (run.data.full)
    notes.push_back(msg("The recording ends after {} steps, where it is full.", run.data.steps.size()));
  const std::uint64_t cluster = run.cluster.count();
  if (run.data.blocks.size() < cluster)
    notes.push_back(msg("Of the {} blocks of the cluster {} are recorded: up to 1 024 threads.", cluster,
                        run.data.blocks.size()));
  for (const explore::StepFound& found : run.found)
    if (found.step == explore::kNoStep)
      notes.push_back(msg("Found, at no step of this recording: {}", found.fault.sentence()));
  if (run.run.mismatch)
    notes.push_back(msg("The result of this run is wrong: {}", run.run.mismatch->message));
  return notes;
}

std::string step_table(const StepRun& run) {
  std::string text = step_head(run) + "\n";
  const bool blocks = run.data.blocks.size() > 1;
  const auto row = [](std::string_view step, std::string_view warp, std::string_view line,
                      std::string_view lanes, std::string_view what) {
    return fmt::format("{} {} {} {}  {}\n", pad_left(step, 6), pad_left(warp, 6), pad_left(line, 4),
                       pad_left(lanes, 5), what);
  };
  text += row(tr("step"), tr("warp"), tr("line"), tr("lanes"), tr("what happens"));
  for (std::size_t k = 0; k < run.data.steps.size(); ++k) {
    const WarpStep& step = run.data.steps[k];
    const bool statement = step.what == WarpStep::What::Statement;
    std::string warp = statement ? fmt::format("{}", step.warp) : "";
    if (blocks) warp = fmt::format("{}.{}", run.data.blocks[step.block], warp);
    text +=
        row(std::to_string(k), warp, statement && step.line != 0 ? std::to_string(step.line) : "",
            statement ? std::to_string(std::popcount(step.acting)) : "", translated(step_sentence(run, k)));
  }
  for (const Message& note : step_notes(run)) text += fitted(translated(note)) + "\n";
  return text;
}

std::string step_text(const StepRun& run, std::size_t number, const Style& style) {
  const WarpStep& step = run.data.steps[number];
  std::string text = step_head(run) + "\n";
  text += style.paint(tr("step {} of {}", number, run.data.steps.size()), Ink::Strong) + "\n";
  if (step.what == WarpStep::What::Statement) {
    text += tr("warp {}, line {}", step.warp, step.line) + "\n" + source_around(run, step.line);
    text += fmt::format("  [{}]  {}\n", mask_row(step), tr("# active, . waits"));
  } else if (number > 0) {
    text += source_around(run, run.data.steps[number - 1].line);
  }
  text += fitted(translated(step_sentence(run, number))) + "\n";
  if (const Message way = way_sentence(run, explore::on_their_way(run.data, number)); !way.empty())
    text += fitted(translated(way)) + "\n";
  if (step.what == WarpStep::What::Barrier)
    for (std::size_t k = 0; k < run.arrays.size(); ++k) text += writers_text(run, number, k);
  if (const std::string variables = variables_text(run, number); !variables.empty())
    text += "\n" +
            (run.variables.are_registers ? tr("registers as the statement begins")
                                         : tr("variables as the statement begins")) +
            "\n" + variables;
  for (const StepAccess& access : step.accesses)
    text += "\n" + translated(Message(sim::info(access.path).name, {})) + "\n" + lanes_of_access(run, access);
  for (const Message& note : step_notes(run)) text += fitted(translated(note)) + "\n";
  return text;
}

}  // namespace lab::report

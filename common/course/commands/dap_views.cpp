// Warps, variables and memory as a debugger's client reads them. See dap_views.h.
#include "common/course/commands/dap_views.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>

#include "common/base/errors.h"
#include "common/base/text/text.h"
#include "common/base/words.h"
#include "common/course/explore/step_memory.h"
#include "common/course/report/step_words.h"
#include "common/sim/base/lanes.h"

namespace lab::cli {
namespace {

using explore::StepMemory;
using explore::WarpStep;
using text::tr;

Json one(const std::string& name, const std::string& value, int list = 0) {
  return {{"name", name}, {"value", value}, {"variablesReference", list}};
}

// "0-7, 9".
std::string ranges_of(sim::Mask mask) {
  std::string text;
  for (unsigned lane = 0; lane < sim::kWarpLanes; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    unsigned last = lane;
    while (last + 1 < sim::kWarpLanes && (mask >> (last + 1) & 1u) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
    if (last != lane) text += fmt::format("-{}", last);
    lane = last;
  }
  return text.empty() ? tr("none") : text;
}

// A whole block waits for others of its cluster, or for a barrier of its own.
bool opens(const WarpStep& step, std::uint32_t block) {
  constexpr std::uint64_t kNamedBarriers = 16;
  return step.block == block && (step.what == WarpStep::What::Barrier ||
                                 (step.what == WarpStep::What::Phase && step.object < kNamedBarriers));
}

}  // namespace

// An array in shared memory, or `out`, as it is now.
struct DapView::Array {
  std::string name;
  std::vector<std::uint32_t> extents;
  std::size_t elem_bytes = 0;
  StepMemory memory;
  // How many elements stand behind one index of this level.
  [[nodiscard]] std::size_t stride(std::size_t level) const {
    std::size_t elems = 1;
    for (std::size_t k = level; k < extents.size(); ++k) elems *= extents[k];
    return elems;
  }
};

void DapView::move(std::size_t to) {
  now_ = to;
  gone_ += lists_.size();
  lists_.clear();
}

bool DapView::runs(DapThread thread, std::size_t step) const {
  const WarpStep& s = run_.data.steps[step];
  return s.what == WarpStep::What::Statement && DapThread::of(s) == thread;
}

std::optional<std::size_t> DapView::before(DapThread thread, std::size_t step) const {
  while (step-- > 0)
    if (runs(thread, step)) return step;
  return std::nullopt;
}

std::optional<std::size_t> DapView::stand_of(DapThread thread) const {
  const std::vector<WarpStep>& steps = run_.data.steps;
  if (const auto last = before(thread, now_); last && steps[*last].arrives && !runs(thread, now_)) {
    const auto open = [&](const WarpStep& step) { return opens(step, thread.block); };
    if (std::none_of(&steps[*last], &steps[now_], open)) return last;
  }
  for (std::size_t k = now_; k < steps.size(); ++k)
    if (runs(thread, k)) return k;
  return std::nullopt;
}

Json DapView::threads() const {
  std::set<DapThread> all;
  for (const WarpStep& step : run_.data.steps)
    if (step.what == WarpStep::What::Statement) all.insert(DapThread::of(step));
  Json list = Json::array();
  for (const DapThread& thread : all) {
    if (!stand_of(thread)) continue;
    const sim::Dim3 block = run_.block(thread.block);
    list.push_back(
        {{"id", thread.number()},
         {"name", run_.data.blocks.size() > 1 ? tr("block ({},{}), warp {}", block.x, block.y, thread.warp)
                                              : tr("warp {}", thread.warp)}});
  }
  return list;
}

int DapView::add(List list) {
  lists_.push_back(std::move(list));
  return static_cast<int>(gone_ + lists_.size());
}

Json DapView::list(std::int64_t number) const {
  const std::int64_t index = number - 1 - static_cast<std::int64_t>(gone_);
  if (index < 0 || index >= static_cast<std::int64_t>(lists_.size()))
    throw base::UsageError(msg("There is no list of variables {}: the run has moved on since.", number));
  const List wanted = lists_[static_cast<std::size_t>(index)];  // it may add to them
  return wanted();
}

// What runs stands first; the last is the kernel.
Json DapView::frames(DapThread thread) const {
  Json frames = Json::array();
  const std::optional<std::size_t> step = stand_of(thread);
  if (!step) return frames;
  const std::vector<explore::VariableCall> calls = run_.calls_of(run_.data.steps[*step]);
  for (std::size_t depth = 0; depth <= calls.size(); ++depth) {
    const std::string where = tr("warp {}, step {}", thread.warp, *step);
    frames.push_back({{"id", DapFrame{thread, depth}.number()},
                      {"name", calls.empty() ? where : report::frame_words(calls, depth) + " · " + where},
                      {"line", depth == 0 ? run_.data.steps[*step].line : calls[depth - 1].line}});
  }
  return frames;
}

Json DapView::scopes(DapFrame frame) {
  const DapThread thread = frame.thread;
  const std::optional<std::size_t> step = stand_of(thread);
  if (!step) return Json::array();
  const auto scope = [&](const std::string& name, const char* hint, List list) {
    return Json{{"name", name},
                {"presentationHint", hint},
                {"variablesReference", add(std::move(list))},
                {"expensive", false}};
  };
  Json all = Json::array(
      {scope(tr("Variables"), "locals", [this, at = *step, frame] { return variables(at, frame.depth); }),
       scope(tr("Lanes"), "registers", [this, at = *step] { return lanes(at); }),
       scope(tr("Memory"), "globals", [this, thread] { return arrays(thread.block); })});
  if (const Json way_now = way(thread.block); way_now.size() != 0)
    all.push_back(scope(tr("On their way"), "globals", [this, thread] { return way(thread.block); }));
  return all;
}

Json DapView::variables(std::size_t step, std::size_t depth) {
  const explore::StepVariables& variables = run_.data.steps[step].variables;
  Json all = Json::array();
  for (const explore::ShownVariable& v : shown_variables(run_.variables, variables)) {
    const explore::VariablePart& part = *v.part;
    if (part.frame != depth) continue;
    const auto value = [&](std::size_t lane) {
      return report::variable_words(report::variable_value(run_, part, v.bits[lane]));
    };
    Json shown = one(part.name, v.known ? value(0) : report::no_value_words(part));
    if (v.known && !v.alike) {
      Json lanes = Json::array();
      for (const std::size_t lane : sim::lanes_of<std::size_t>(variables.lanes))
        lanes.push_back(one(fmt::format("[{}]", lane), value(lane)));
      const std::string first = lanes.at(0)["value"], last = lanes.at(lanes.size() - 1)["value"];
      shown = one(part.name, fmt::format("{} … {}", first, last), add([lanes] { return lanes; }));
    }
    shown["type"] = part.type;
    all.push_back(std::move(shown));
  }
  return all;
}

Json DapView::lanes(std::size_t number) const {
  const WarpStep& step = run_.data.steps[number];
  return Json::array({one(tr("step"), std::to_string(number)), one(tr("active"), ranges_of(step.acting)),
                      one(tr("waiting"), ranges_of(step.live & ~step.acting)),
                      one(tr("what happens"), translated(report::step_sentence(run_, number)))});
}

std::vector<std::shared_ptr<const DapView::Array>> DapView::arrays_of(std::uint32_t block) const {
  constexpr std::uint32_t kWordBytes = 4;
  std::vector<std::shared_ptr<const Array>> all;
  for (std::size_t k = 0; k < run_.arrays.size(); ++k) {
    const judge::SharedArray& a = run_.arrays[k];
    const bool known = a.elem_bytes != 0 && !a.extents.empty();
    all.push_back(std::make_shared<Array>(
        Array{a.name, known ? a.extents : std::vector{a.size_bytes / kWordBytes},
              known ? a.elem_bytes : kWordBytes, explore::memory_before(run_, now_, block, k)}));
  }
  const judge::Problem& p = run_.run.problem;
  const auto elem_bytes = static_cast<std::size_t>(p.elem_bytes), elems = run_.out_bytes / elem_bytes;
  const auto pitch = run_.is_transpose ? static_cast<std::size_t>(p.out_pitch()) : elems;
  std::vector<std::uint32_t> extents{static_cast<std::uint32_t>(pitch)};
  if (pitch != 0 && pitch != elems)
    extents.insert(extents.begin(), static_cast<std::uint32_t>(elems / pitch));
  all.push_back(std::make_shared<Array>(
      Array{"out", extents, elem_bytes, explore::memory_before(run_, now_, block, std::nullopt)}));
  return all;
}

Json DapView::arrays(std::uint32_t block) {
  Json list = Json::array();
  for (const auto& array : arrays_of(block)) list.push_back(part_of(array, array->name, 0, 0));
  return list;
}

Json DapView::way(std::uint32_t block) {
  const std::vector<WarpStep>& steps = run_.data.steps;
  Json list = Json::array();
  const std::vector<explore::StepFlight> flights =
      now_ == 0 ? std::vector<explore::StepFlight>{} : explore::on_their_way(run_.data, now_ - 1);
  for (const explore::StepFlight& flight : flights) {
    const explore::StepCopy& copy = steps[flight.step].copies[flight.copy];
    if (steps[flight.step].block != block) continue;
    Json spans = Json::array();
    const auto add_spans = [&](const std::vector<explore::StepSpan>& all, bool shared) {
      for (const explore::StepSpan& span : all)
        spans.push_back(
            one(span.written ? tr("writes") : tr("reads"), report::span_words(run_, span, shared)));
    };
    add_spans(copy.global, false), add_spans(copy.shared, true);
    list.push_back(one(tr("step {}", flight.step), translated(report::flight_words(run_, flight)),
                       add([spans] { return spans; })));
  }
  std::map<std::uint64_t, std::uint32_t> over;  // phases, by mbarrier
  for (std::size_t k = 0; k < now_; ++k)
    if (steps[k].block == block && steps[k].what == WarpStep::What::Phase &&
        steps[k].object >= sim::kInShared)
      over[steps[k].object - sim::kInShared] = steps[k].phase + 1;
  for (const auto& [offset, phases] : over)
    list.push_back(one(translated(report::barrier_words(run_, offset)), tr("{} phases are over", phases)));
  return list;
}

// Each component of a vector.
std::string DapView::cell_words(const Array& array, std::size_t element) const {
  const auto elem = static_cast<std::size_t>(run_.run.problem.elem_bytes);
  const std::size_t each = array.elem_bytes % elem == 0 ? elem : array.elem_bytes;
  std::string words;
  for (std::size_t k = 0; k < array.elem_bytes; k += each) {
    const std::size_t at = element * array.elem_bytes + k;
    const StepMemory::State state = array.memory.state(at, each);
    words += k == 0 ? "" : " ";
    words += state == StepMemory::State::Unwritten ? tr("unwritten")
             : state == StepMemory::State::Unknown
                 ? "?"
                 : report::bytes_words(run_, std::span(array.memory.bytes).subspan(at, each));
  }
  return words;
}

// What lies behind `level` indices, from that element on.
Json DapView::part_of(const std::shared_ptr<const Array>& array, const std::string& name, std::size_t level,
                      std::size_t element) {
  if (level == array->extents.size()) return one(name, cell_words(*array, element));
  std::string shape;
  for (std::size_t k = level; k < array->extents.size(); ++k) shape += fmt::format("[{}]", array->extents[k]);
  const std::size_t stride = array->stride(level + 1);
  Json whole =
      one(name, shape, add([this, array, level, element, stride] {
            Json list = Json::array();
            for (std::size_t k = 0; k < array->extents[level]; ++k)
              list.push_back(part_of(array, fmt::format("[{}]", k), level + 1, element + k * stride));
            return list;
          }));
  whole["indexedVariables"] = array->extents[level];
  return whole;
}

std::optional<Json> DapView::element_named(std::uint32_t block, const std::string& name) {
  for (const auto& array : arrays_of(block)) {
    if (!name.starts_with(array->name)) continue;
    std::string_view rest = std::string_view(name).substr(array->name.size());
    std::size_t level = 0, element = 0;
    while (rest.starts_with('[') && level < array->extents.size()) {
      std::uint32_t index = 0;
      const auto [end, wrong] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
      if (wrong != std::errc() || end == rest.data() + rest.size() || *end != ']' ||
          index >= array->extents[level])
        break;
      element += index * array->stride(++level);
      rest.remove_prefix(static_cast<std::size_t>(end + 1 - rest.data()));
    }
    if (rest.empty()) return part_of(array, name, level, element);
  }
  return std::nullopt;
}

Json DapView::evaluate(DapFrame frame, const std::string& name) {
  const DapThread thread = frame.thread;
  const std::optional<std::size_t> step = stand_of(thread);
  std::vector<std::string> names;
  const Json known = step ? variables(*step, frame.depth) : Json::array();
  for (const Json& variable : known) {
    if (variable["name"] == Json(name)) return variable;
    names.push_back(variable["name"]);
  }
  if (const std::optional<Json> element = element_named(thread.block, name)) return *element;
  for (const auto& array : arrays_of(thread.block)) names.push_back(array->name);
  throw base::UsageError(
      msg("There is no `{}` here. In scope are: {}; of an array elements too.", name, base::joined(names)));
}

}  // namespace lab::cli

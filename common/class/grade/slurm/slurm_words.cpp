// The words of `lab grade --slurm`. See slurm_words.h.
#include "common/class/grade/slurm/slurm_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/base/printable.h"
#include "common/base/words.h"
#include "common/ui/style.h"

namespace lab::grade {

using Kind = ShardState::Kind;
using report::Json;
using report::tr;
using report::translated;

namespace {

std::string waiting_text(const SlurmState& state) {
  std::set<std::string> reasons;
  for (const ShardState& shard : state.shards) {
    if (shard.kind == Kind::Waiting && !shard.waits_for.empty() && shard.waits_for != "None")
      reasons.insert(shard.waits_for);
  }
  if (reasons.empty()) return "";
  return fmt::format("  {}\n", tr("Slurm's reason to wait: {}", base::printable(base::joined(reasons))));
}

// Shards that failed for one reason share a line.
std::string failures_text(const SlurmState& state) {
  struct Group {
    Message message;
    std::string shards;
    std::set<std::string> nodes;
  };
  std::vector<Group> groups;
  for (const ShardState& shard : state.shards) {
    if (shard.kind != Kind::Failed) continue;
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.message == shard.message; });
    if (at == groups.end()) at = groups.insert(groups.end(), {shard.message, "", {}});
    at->shards += (at->shards.empty() ? "" : ", ") + std::to_string(shard.shard);
    if (!shard.node.empty()) at->nodes.insert(shard.node);
  }
  std::string text;
  for (const Group& group : groups) {
    const std::string shards = group.nodes.empty()
                                   ? tr("shard {}", group.shards)
                                   : tr("shard {} on {}", group.shards, base::joined(group.nodes));
    text += fmt::format("  {}: {}\n", base::printable(shards), base::printable(translated(group.message)));
  }
  return text;
}

}  // namespace

std::vector<Message> changes_since(const SlurmRun& run, const ClassResult& result,
                                   const compile::Tools& tools) {
  std::vector<Message> sentences;
  const auto before = run.plan.tools.listed(), now = tools.listed();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].first == "rubric" || now[i].second == before[i].second) continue;
    sentences.push_back(msg(
        "Fingerprint `{}` differs now from that of job {} ({}, then {}): verdicts of that job do not count.",
        now[i].first, run.job, now[i].second.substr(0, 20), before[i].second.substr(0, 20)));
    break;
  }
  const auto handed_in = grade::handed_in(result);
  std::set<std::string> changed;
  for (const auto& [who, source] : handed_in) {
    const auto then = run.plan.handed_in.find(who);
    if (then == run.plan.handed_in.end() || then->second != source)
      changed.insert(who.first + " " + who.second);
  }
  constexpr std::size_t kMost = 5;
  if (changed.empty()) return sentences;
  const std::size_t count = changed.size();
  while (changed.size() > kMost) changed.erase(std::prev(changed.end()));
  sentences.push_back(msg("{} kernels are new or changed since job {} was submitted: {}", count, run.job,
                          base::joined(changed) + (count > kMost ? ", …" : "")));
  return sentences;
}

std::string submitted_text(const SlurmRun& run, const ClassResult& result) {
  std::string text =
      tr("job {} submitted: {} shards for {} kernels", run.job, run.plan.shards.size(), result.open.size());
  if (result.known > 0) text += ", " + tr("{} known from an earlier run", result.known);
  text +=
      "\n  " + tr("files: {}", base::printable(run.folder.string()) + "/job.sh, plan.json, logs/, reports/");
  return text + "\n  " + tr("`squeue -j {}` shows it, `scancel {}` ends it", run.job, run.job) + "\n";
}

std::string state_text(const SlurmRun& run, const SlurmState& state, const ClassResult& result,
                       const std::vector<Message>& changes) {
  std::string text =
      tr("job {}: {} of {} shards done, {} running, {} waiting, {} failed; {} of {} kernels judged", run.job,
         state.count(Kind::Done), state.shards.size(), state.count(Kind::Running), state.count(Kind::Waiting),
         state.count(Kind::Failed), result.known, result.different) +
      "\n";
  text += waiting_text(state) + failures_text(state);
  for (const Message& sentence : changes) text += base::printable(translated(sentence)) + "\n";
  return text;
}

Json slurm_json(const char* action, const SlurmRun* run, const SlurmState* state, const ClassResult& result,
                const std::vector<Message>& changes) {
  Json json = {
      {"action", action},
      {"job", nullptr},
      {"name", nullptr},
      {"folder", nullptr},
      {"shards", nullptr},
      {"failures", Json::array()},
      {"kernels", {{"different", result.different}, {"judged", result.known}, {"open", result.open.size()}}},
      {"changes", english(changes)},
      {"damaged", english(result.damaged)}};
  if (run != nullptr) {
    json["job"] = run->job.empty() ? Json() : Json(run->job);
    json["name"] = run->plan.name;
    json["folder"] = run->folder.string();
    json["shards"] = {{"all", run->plan.shards.size()}};
  }
  if (state == nullptr) return json;
  json["shards"]["done"] = state->count(Kind::Done);
  json["shards"]["running"] = state->count(Kind::Running);
  json["shards"]["waiting"] = state->count(Kind::Waiting);
  json["shards"]["failed"] = state->count(Kind::Failed);
  for (const ShardState& shard : state->shards) {
    if (shard.kind == Kind::Failed)
      json["failures"].push_back({{"shard", shard.shard},
                                  {"node", shard.node},
                                  {"code", shard.code},
                                  {"message", shard.message.english()},
                                  {"mend", shard.needs_fix},
                                  {"missing", shard.missing}});
  }
  return json;
}

}  // namespace lab::grade

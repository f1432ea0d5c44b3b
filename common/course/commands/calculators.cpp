// `lab inspect banks` and `lab inspect sectors`: what one warp access costs, worked out from its addresses.
//
// Enters: addresses, typed or line by line. Leaves: counts with a picture, or one JSON object a pattern.
#include <fmt/core.h>

#include <iostream>

#include "common/base/errors.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/pattern_input.h"
#include "common/course/report/json.h"
#include "common/sim/observe/access_view.h"
#include "common/ui/access_picture.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::UsageError;

struct CalculatorsOptions {
  std::string op = "load", addresses;
  unsigned width = 4, bank_bytes = 4;
  std::uint64_t base = 0;
  std::int64_t step = 4;
  int lanes = 32;
  bool read_stdin = false, json = false;
  bool base_given = false, step_given = false, lanes_given = false;
  [[nodiscard]] bool by_step() const { return base_given || step_given || lanes_given; }
};

// The two numbers that both calculators promise in JSON.
report::Json cost_json(const explore::AccessPattern& p, bool banks, unsigned bank_bytes) {
  if (!banks) {
    const sim::GlobalCost cost = sim::global_cost(p.address.data(), p.width_bytes, p.mask);
    return {{"sectors", cost.sectors}, {"ideal_sectors", cost.ideal_sectors}};
  }
  if (bank_bytes == sim::kBankBytes) {
    const sim::SharedCost cost = sim::shared_cost(p.address.data(), p.width_bytes, p.mask, p.load);
    return {{"wavefronts", cost.wavefronts}, {"ideal_wavefronts", cost.ideal_wavefronts}};
  }
  const sim::SharedView view = sim::view_shared(p.address.data(), p.width_bytes, p.mask, p.load, bank_bytes);
  return {{"wavefronts", view.wavefronts}, {"ideal_wavefronts", view.ideal_wavefronts}};
}

// "an 8-way conflict", "a 16-way conflict".
std::string conflict(const sim::SharedView& view) {
  const unsigned n = view.degree;
  return n == 8 || n == 11 || n == 18 ? tr("an {}-way conflict, worst in bank {}", n, view.worst_bank)
                                      : tr("a {}-way conflict, worst in bank {}", n, view.worst_bank);
}

void print_banks(const explore::AccessPattern& p, const CalculatorsOptions& options,
                 const report::Style& style) {
  const sim::SharedView view =
      sim::view_shared(p.address.data(), p.width_bytes, p.mask, p.load, options.bank_bytes);
  const bool ideal = view.wavefronts == view.ideal_wavefronts;
  const std::string counted = view.wavefronts == 1
                                  ? tr("1 wavefront, {} would do", view.ideal_wavefronts)
                                  : tr("{} wavefronts, {} would do", view.wavefronts, view.ideal_wavefronts);
  fmt::print("{}\n", report::fitted(tr("{}: {}", counted, ideal ? tr("no bank conflict") : conflict(view))));
  if (view.merged)
    fmt::print("{}\n",
               report::fitted(tr("neighbouring lanes read the same words: twice as many lanes share a "
                                 "wavefront")));
  fmt::print("{}", report::bank_picture(view, style));
  fmt::print(
      "{}\n",
      report::fitted(report::bank_columns() == report::kWideCell
                         ? tr("a cell is the lane that the wavefront serves from that bank; + more lanes "
                              "share its word")
                         : tr("a cell is the lane that the wavefront serves from that bank (0-9, a = 10 … "
                              "v = 31); + several lanes share its word"),
                     "  ", "  "));
}

void print_sectors(const explore::AccessPattern& p, const report::Style& style) {
  const sim::GlobalView view = sim::view_global(p.address.data(), p.width_bytes, p.mask);
  const std::size_t n = view.sectors.size();
  fmt::print("{}\n{}",
             n == 1 ? tr("1 sector, {} would do", view.ideal_sectors)
                    : tr("{} sectors, {} would do", n, view.ideal_sectors),
             report::sector_picture(view, style));
  fmt::print("{}\n", report::fitted(tr("# a byte that some lane asks for, . one that comes along unused"),
                                    "  ", "  "));
}

// A bad line gives an object with an "error" and the work goes on; the exit code reports it at the end.
int each_line(bool banks, const CalculatorsOptions& options) {
  bool all_good = true;
  std::string line;
  for (int number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      print_json(cost_json(explore::pattern_from_line(line), banks, options.bank_bytes));
    } catch (const UsageError& error) {
      all_good = false;
      print_json({{"error", fmt::format("line {}: {}", number, error.what())}});
    }
  }
  return static_cast<int>(all_good ? base::ExitCode::Passed : base::ExitCode::Usage);
}

int calculate(const Session& session, bool banks, const CalculatorsOptions& options) {
  if (options.bank_bytes != 4 && options.bank_bytes != 8)
    throw UsageError("--bank-bytes can be 4, or 8 for the old wide mode.");
  if (options.read_stdin) return each_line(banks, options);
  if (!options.addresses.empty() && options.by_step())
    throw UsageError("Give --addresses, or --base, --step and --lanes, not both.");
  const explore::AccessPattern pattern =
      options.addresses.empty()
          ? explore::pattern_from_step(options.op, options.width, options.base, options.step, options.lanes)
          : explore::pattern_from_list(options.op, options.width, options.addresses);
  if (options.json) {
    print_json(cost_json(pattern, banks, options.bank_bytes));
  } else if (banks) {
    print_banks(pattern, options, session.style());
  } else {
    print_sectors(pattern, session.style());
  }
  return 0;
}

Command calculator(const Session& session, bool banks) {
  static CalculatorsOptions options;  // of the one that was chosen
  Command command =
      banks
          ? Command{"banks",
                    "Wavefronts of one shared memory access, with a picture.\n"
                    "Example: ./lab inspect banks --step 128    "
                    "./lab inspect banks --width 8 --addresses 0,8,-,24"}
          : Command{"sectors",
                    "Sectors of one global memory access, with a picture.\n"
                    "Example: ./lab inspect sectors --step 4096    ./lab inspect sectors --addresses 0,4,64"};
  command.option("--op", options.op, "load or store").with_default();
  command.option("--width", options.width, "Bytes of a lane: 1, 2, 4, 8, 16").with_default();
  command.option("--addresses", options.addresses, "Up to 32 addresses with commas, - for an inactive lane");
  command.option("--base", options.base, "Address of lane 0").with_default().notes(options.base_given);
  command.option("--step", options.step, "Bytes from lane to lane").with_default().notes(options.step_given);
  command.option("--lanes", options.lanes, "Active lanes").with_default().notes(options.lanes_given);
  command.option("--stdin", options.read_stdin,
                 "Patterns from standard input, one a line: op width a0 … a31; JSON lines out");
  command.json(options.json);
  if (banks) {
    command.option("--bank-bytes", options.bank_bytes, "Width of a bank: 4, or 8 (Kepler's wide mode)")
        .with_default();
  }
  command.run = [&session, banks] { return calculate(session, banks, options); };
  return command;
}

}  // namespace

Command banks_command(const Session& session) { return calculator(session, true); }
Command sectors_command(const Session& session) { return calculator(session, false); }

}  // namespace lab::cli

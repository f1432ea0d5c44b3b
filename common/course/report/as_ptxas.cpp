// The two columns of counters, side by side. See as_ptxas.h.
#include "common/course/report/as_ptxas.h"

#include "common/ui/table.h"

namespace lab::report {

std::string as_ptxas_table(const sim::Counters& written, const sim::Counters& made, const Style& style) {
  Table table;
  table.column("a profiler's counter", Align::Left);
  table.column("of the PTX").column("as ptxas makes it").column("requests").column("requests, ptxas");
  for (const sim::PathInfo& row : sim::kPathTable) {
    const sim::PathCounters before = written[row.path], after = made[row.path];
    if (row.metric.empty() || (before.requests == 0 && after.requests == 0)) continue;
    const std::uint64_t value = sim::profiler_value(written, row.path),
                        real = sim::profiler_value(made, row.path);
    table.row({{std::string(row.metric)},
               {grouped(value)},
               {grouped(real), value == real ? Ink::Plain : Ink::Strong},
               {grouped(before.requests)},
               {grouped(after.requests), before.requests == after.requests ? Ink::Plain : Ink::Strong}});
  }
  return table.text(style, "  ");
}

}  // namespace lab::report

// Words for places, as the messages of the checks print them: threads, source lines, shared variables.
//
// Enters: numbers. Leaves: pieces of sentences.
#pragma once

#include <cstdint>
#include <string>

#include "common/sim/base/fault.h"
#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/program/program.h"

namespace lab::sim {

// "(3,4)", with as many numbers as the extent has dimensions, two at least.
[[nodiscard]] std::string text_of(const Dim3& index, const Dim3& extent);
// The same of the thread in its block, or the block in its grid, that has this number.
[[nodiscard]] std::string text_of(std::uint64_t number, const Dim3& extent);
// "line 27", or "PTX line 57" when the compiler named no source line.
[[nodiscard]] Message line_text(const InstSource& source);
// "`tile` + 132 bytes": by the variable that holds the offset; "shared memory + 132 bytes" when none does.
[[nodiscard]] Message shared_place(const Program& program, std::uint64_t offset_bytes);
// "`tile`", or "dynamic shared memory": what holds the offset.
[[nodiscard]] Message shared_name(const Program& program, std::uint64_t offset_bytes);
// The same from one place to another of one variable.
[[nodiscard]] Message shared_places(const Program& program, std::uint64_t first_bytes,
                                    std::uint64_t last_bytes);
// "`in` + 4 bytes", or "a buffer + 4 bytes" of one without a name.
[[nodiscard]] Message buffer_place(const Allocation& allocation, DeviceAddress address);
// ", 4 bytes past the end of `tile`": the variable that ends before an offset outside shared memory; may be
// "".
[[nodiscard]] Message behind_shared_variable(const Program& program, std::uint64_t offset_bytes);
// Notes the shared variable that holds the offset, or ends before it.
void note_shared_variable(Fault& fault, const Program& program, std::uint64_t offset_bytes);
// Where the other access of a race stands.
void name_other(Fault& fault, const InstSource& source);
// "transpose" of `_ZZ9transposeE4tile` or `transpose::tile`: the function that declares it; "" of a symbol that
// names none.
[[nodiscard]] std::string function_of(const std::string& symbol);

// A fault with its kind and its line.
[[nodiscard]] Fault fault_at(FaultKind kind, const InstSource& source);
// And with the thread of a block that is to blame.
[[nodiscard]] Fault fault_at(FaultKind kind, const InstSource& source, const WarpPlace& place,
                             const Dim3& block, std::uint32_t lane, std::uint64_t address);
// A fault of one lane with all fields but the message.
[[nodiscard]] Fault fault_at(FaultKind kind, const LaunchInfo& launch, const Access& access,
                             std::uint32_t lane, std::uint64_t address);

}  // namespace lab::sim

// One launch: from host arguments to changed memory, counters and codes.
//
// Enters: a function, a shape, packed parameters. Leaves: what the simulator says, as the codes a GPU would
// give, as a record, and as sentences on standard error.
#pragma once

#include "common/run/cudart/launch_shape.h"
#include "common/run/cudart/streams.h"

namespace lab::cudart {

// Checks the launch, on the current GPU, and packs its arguments. Throws ApiError, and leaves a record of the
// launch that never was. `stream`: what it is launched into; null: a node of a graph.
[[nodiscard]] Work launch_work(Context& c, Function& function, const LaunchShape& shape, void** arguments,
                               const Stream* stream = nullptr);
// One for each parameter, as the driver takes them: one by one, or `extra`, {1, buffer, 2, size, 0}, all in
// one buffer. Throws ApiError, also where a kernel has parameters and neither is given.
[[nodiscard]] std::vector<void*> arguments_of(Context& c, Function& function, void** arguments, void** extra);
// Hands it to a stream. `named`: what the program calls the kernel, for queries of a recorded
// node.
Error submit_launch(Context& c, StreamHandle stream, Function& function, const LaunchShape& shape,
                    void** arguments, void* named);

}  // namespace lab::cudart

// Whether all work of a program comes behind what it did on the default stream before.
//
// Enters: what the objects of the process call. Leaves: an answer, once a process. The default stream's work
// is done before later work begins, but for that of streams that were made not to wait for it, of branches of
// graphs, of kernels that may begin early, and of stream-ordered memory. A process that calls no
// function for such work has none, and then only the host can race with a kernel.
#pragma once

namespace lab::cudart {

[[nodiscard]] bool one_order();

}  // namespace lab::cudart

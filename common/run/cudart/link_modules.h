// Several PTX modules made one, as the device linker does for programs compiled with -rdc=true.
//
// Enters: parsed modules in the order of the link line. Leaves: one module in which every declaration stands
// for the definition that some module has. Names that a module keeps to itself get a suffix that no PTX name
// can have.
#pragma once

#include <stdexcept>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

namespace lab::cudart {

// Two modules define the same name with different meanings. A whole sentence.
class LinkError : public text::Said<std::runtime_error> {
 public:
  using Said::Said;
};

// A name without a definition is no error here: the kernel that uses it says so when it is launched.
[[nodiscard]] sim::ptx::Module link(std::vector<sim::ptx::Module> modules);

}  // namespace lab::cudart

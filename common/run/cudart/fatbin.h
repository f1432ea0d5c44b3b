// From the fat binary that the compiler embedded to the images in it.
//
// Enters: the bytes of a container (or a pointer to one in memory). Leaves: one Image an entry, PTX text
// inflated. A container holds the same kernels several times: as PTX for some virtual architecture, as
// machine code for some GPU. Only PTX can run here. Any bytes may come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/base/text/message.h"

namespace lab::cudart {

enum class ImageKind : std::uint8_t { Ptx, MachineCode, Other };

struct Image {
  ImageKind kind = ImageKind::Other;
  int architecture = 0;  // 90 for compute_90 or sm_90
  bool debug = false;    // compiled with -G
  std::string ptx;       // text, only of Ptx
};

// The bytes are no fat binary, or a broken one. A whole sentence.
class BadFatBinary : public text::Said<std::runtime_error> {
 public:
  using Said::Said;
};

// How many bytes the container that starts here says it has. Throws BadFatBinary; reads 16 bytes.
[[nodiscard]] std::size_t container_bytes(const void* container);

// All images of one container. Throws BadFatBinary.
[[nodiscard]] std::vector<Image> read_container(std::span<const std::byte> bytes);

}  // namespace lab::cudart

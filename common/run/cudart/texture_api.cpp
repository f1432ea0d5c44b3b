// Texture and surface objects: made, destroyed, asked what they show.
//
// Enters: a resource and how it is read. Leaves: numbers that kernels get as arguments. Reads through them
// are simulated and not counted, which the table says.
#include <map>

#include "common/run/cudart/texture_calls.h"
#include "common/run/cudart/textures.h"

using namespace lab::cudart;

namespace lab::cudart {
namespace {

struct Made {
  ResourceDescription resource;
  TextureDescription how;  // of a surface: nothing
};
std::map<std::uint64_t, Made>& objects() {
  static auto* const all = new std::map<std::uint64_t, Made>;  // never destroyed, as the Context
  return *all;
}

const Made& made_as(std::uint64_t object) {
  const auto found = objects().find(object);
  if (found == objects().end())
    throw ApiError{Error::InvalidValue, "there is no texture or surface object of this number."};
  return found->second;
}

Error keep(Context& c, std::uint64_t* object, const lab::sim::Texture& texture, const Made& made) {
  *object = lab::sim::make_texture(c.memory, texture);
  objects()[*object] = made;
  c.records.note(RunNote::Textures);
  return Error::Success;
}

Error destroy(const char* call, std::uint64_t object) {
  return enter(call, [&](Context& c) {
    if (object == 0) return;
    (void)made_as(object);
    c.memory.release(object);
    objects().erase(object);
  });
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaCreateTextureObject(std::uint64_t* object, const ResourceDescription* resource,
                                      const TextureDescription* how, const void* view) {
  return enter([&](Context& c) {
    if (object == nullptr || resource == nullptr || how == nullptr) return Error::InvalidValue;
    if (view != nullptr) throw ApiError{Error::NotSupported, "resource views are not simulated: pass NULL."};
    return keep(c, object, texture_of(c, *resource, *how), {*resource, *how});
  });
}

LAB_API Error cudaDestroyTextureObject(std::uint64_t object) {
  return destroy("cudaDestroyTextureObject", object);
}

LAB_API Error cudaGetTextureObjectResourceDesc(ResourceDescription* resource, std::uint64_t object) {
  return enter([&](Context&) { *resource = made_as(object).resource; });
}

LAB_API Error cudaGetTextureObjectTextureDesc(TextureDescription* how, std::uint64_t object) {
  return enter([&](Context&) { *how = made_as(object).how; });
}

LAB_API Error cudaCreateSurfaceObject(std::uint64_t* object, const ResourceDescription* resource) {
  return enter([&](Context& c) {
    if (object == nullptr || resource == nullptr) return Error::InvalidValue;
    return keep(c, object, surface_of(*resource), {*resource, {}});
  });
}

LAB_API Error cudaDestroySurfaceObject(std::uint64_t object) {
  return destroy("cudaDestroySurfaceObject", object);
}

LAB_API Error cudaGetSurfaceObjectResourceDesc(ResourceDescription* resource, std::uint64_t object) {
  return enter([&](Context&) { *resource = made_as(object).resource; });
}

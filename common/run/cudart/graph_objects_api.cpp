// Objects of the program that graphs keep alive (cudaUserObject).
//
// Enters: an object, how to destroy it, who refers to it. Leaves: a call of its destructor when nothing does.
#include <utility>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

namespace lab::cudart {

struct UserObject {
  void* data = nullptr;
  HostFunction destroy = nullptr;
  unsigned references = 0;
};

namespace {

constexpr unsigned kNoDestructorSync = 1,
                   kMove = 1;  // cudaUserObjectNoDestructorSync, cudaGraphUserObjectMove

// Its destructor must not call the runtime, as a function of the host must not.
void release(UserObject* object, unsigned count) {
  if ((object->references -= count) != 0) return;
  const bool inside = std::exchange(inside_host_function, true);
  object->destroy(object->data);
  inside_host_function = inside;
  delete object;
}

}  // namespace

HeldObjects::HeldObjects(const HeldObjects& other) : held_(other.held_) {
  for (const auto& [object, count] : held_) object->references += count;
}
HeldObjects& HeldObjects::operator=(HeldObjects other) noexcept {
  std::swap(held_, other.held_);
  return *this;
}
HeldObjects::~HeldObjects() {
  for (const auto& [object, count] : held_) release(object, count);
}
bool HeldObjects::drop(UserObject* object, unsigned count) {
  const auto found = held_.find(object);
  if (found == held_.end() || found->second < count) return false;
  if ((found->second -= count) == 0) held_.erase(found);
  release(object, count);
  return true;
}

}  // namespace lab::cudart

LAB_API Error cudaUserObjectCreate(UserObject** made, void* data, HostFunction destroy, unsigned references,
                                   unsigned flags) {
  return enter([&](Context&) {
    if (made == nullptr || destroy == nullptr || references == 0 || flags != kNoDestructorSync)
      throw ApiError{Error::InvalidValue};
    *made = new UserObject{data, destroy, references};
  });
}
LAB_API Error cudaUserObjectRetain(UserObject* object, unsigned count) {
  return enter([&](Context&) {
    if (object == nullptr || count == 0) throw ApiError{Error::InvalidValue};
    object->references += count;
  });
}
LAB_API Error cudaUserObjectRelease(UserObject* object, unsigned count) {
  return enter([&](Context&) {
    if (object == nullptr || count == 0 || count > object->references) throw ApiError{Error::InvalidValue};
    release(object, count);
  });
}

// With kMove the program's own references become the graph's.
LAB_API Error cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr || object == nullptr || count == 0 || flags > kMove)
      throw ApiError{Error::InvalidValue};
    if (flags != kMove) object->references += count;
    graph->objects.add(object, count);
  });
}
LAB_API Error cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr || object == nullptr || count == 0) return Error::InvalidValue;
    (void)graph->objects.drop(object, count);  // no error where the graph holds fewer, as on an H200
    return Error::Success;
  });
}

// The driver's names.
LAB_SAME_EARLY(cuUserObjectCreate, cudaUserObjectCreate);
LAB_SAME_EARLY(cuUserObjectRetain, cudaUserObjectRetain);
LAB_SAME_EARLY(cuUserObjectRelease, cudaUserObjectRelease);
LAB_SAME_EARLY(cuGraphRetainUserObject, cudaGraphRetainUserObject);
LAB_SAME_EARLY(cuGraphReleaseUserObject, cudaGraphReleaseUserObject);

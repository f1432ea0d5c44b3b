// What nodes of graphs do, and what they show of their parameters, kind by kind.
//
// Enters: parameters as the program gave them, by hand or while a stream records. Leaves: work, and a copy of
// the parameters that a program may ask for again.
#include "common/run/cudart/capture.h"
#include "common/run/cudart/copy.h"
#include "common/run/cudart/graph.h"
#include "common/run/cudart/host_life.h"
#include "common/run/cudart/launch.h"

namespace lab::cudart {
namespace {

std::shared_ptr<KeptKernel> kept(const KernelNode& kernel, const std::map<int, LaunchAttribute>& attributes) {
  auto own = std::make_shared<KeptKernel>();
  own->node = kernel;
  own->attributes = attributes;
  Function* const function = modules().function(kernel.function);
  if (function == nullptr || kernel.arguments == nullptr) return own;
  for (const sim::ParameterInfo& p : Modules::program(context(), *function).parameters()) {
    const auto* const value = static_cast<const std::byte*>(kernel.arguments[own->values.size()]);
    own->values.emplace_back(value, value + p.size_bytes);
  }
  for (std::vector<std::byte>& value : own->values) own->pointers.push_back(value.data());
  own->node.arguments = own->pointers.data();
  return own;
}

}  // namespace

Work nothing() {
  return [](Context&, Stream&) { return Error::Success; };
}

Error submit_launch(Context& c, StreamHandle stream, Function& function, const LaunchShape& shape,
                    void** arguments, void* named) {
  const auto keep = [&] {
    std::map<int, LaunchAttribute> attributes;
    if (shape.cooperative) attributes[kAttributeCooperative].value.number = 1;
    if (shape.cluster) {
      LaunchAttribute& cluster = attributes[kAttributeClusterDimension];
      cluster.value.dimensions[0] = shape.cluster->x;
      cluster.value.dimensions[1] = shape.cluster->y;
      cluster.value.dimensions[2] = shape.cluster->z;
    }
    const auto shared_bytes = static_cast<unsigned>(shape.dynamic_shared_bytes);
    return kept({named, shape.grid, shape.block, shared_bytes, arguments, nullptr}, attributes);
  };
  const Stream& on = usable(stream);
  Work work;
  try {
    work = launch_work(c, function, shape, arguments, &on);
  } catch (const ApiError&) {
    break_capture(on);  // other calls that fail leave a capture whole; measured on an H200
    throw;
  }
  return submit(c, stream, std::move(work), kKernelNode, keep);
}

NodeContents contents_of(Context& c, const KernelNode& kernel,
                         const std::map<int, LaunchAttribute>& attributes) {
  Function* const function = &kernel_at(kernel.function);
  std::vector<void*> listed = arguments_of(c, *function, kernel.arguments, kernel.extra);
  KernelNode own = kernel;
  own.arguments = listed.data();
  if (kernel.arguments == nullptr) own.extra = nullptr;
  LaunchShape shape{kernel.grid, kernel.block, kernel.shared_bytes, false, {}};
  for (const auto& [id, attribute] : attributes) {
    LaunchAttribute one = attribute;
    one.id = id;
    shape.take(&one, 1);
  }
  return {launch_work(c, *function, shape, own.arguments), kept(own, attributes)};
}

NodeContents contents_of(Context& c, const FillNode& fill) {
  const bool has_size = fill.elem_bytes == 1 || fill.elem_bytes == 2 || fill.elem_bytes == 4;
  if (!has_size || fill.width_elems == 0 || fill.height == 0)
    throw ApiError{Error::InvalidValue,
                   "a fill in a graph has elements of 1, 2 or 4 bytes, and at least one of them."};
  return {fill_work(c, {fill.to, fill.pitch_bytes, 0}, fill.value, fill.elem_bytes,
                    {fill.width_elems * fill.elem_bytes, fill.height, 1}),
          std::make_shared<FillNode>(fill)};
}

NodeContents contents_of(Context& /*c*/, const HostNode& host) {
  need(host.function);
  return {[function = host.function, data = host.data](Context& now, Stream& on) {
            now.flush_output();
            start_host_task(on, [=] { function(data); });
            return Error::Success;
          },
          std::make_shared<HostNode>(host)};
}

NodeContents contents_of(Context& c, const Copy3D& copy) {
  if (copy.extent.width * copy.extent.height * copy.extent.depth == 0)
    throw ApiError{Error::InvalidValue, "a copy in a graph moves at least one byte."};
  return {while_host_lives(copy_work(c, copy), {copy.to.pointer, copy.from.pointer}),
          std::make_shared<Copy3D>(copy)};
}

NodeContents contents_of(const Graph& child) {
  return {[steps = steps_of(child)](Context& now, Stream& on) { return run_all(now, on, steps); }, nullptr,
          clone_of(child)};
}

NodeContents contents_of(Event* event, bool records) {
  need(event);
  return {records ? record_work(event) : wait_work(event), std::make_shared<Event*>(event)};
}

NodeContents contents_of_free(Context& c, void* pointer) {
  if (!c.graph_memory.contains(address_of(pointer)))
    throw ApiError{Error::InvalidValue, "the memory that a graph frees must be a graph's."};
  return {nothing(), std::make_shared<void*>(pointer)};
}

// The address is fixed when the node is made, and the memory is there from then on.
NodeContents contents_of(Context& c, AllocNode& alloc) {
  if (alloc.size_bytes == 0) throw ApiError{Error::InvalidValue, "a graph cannot allocate no bytes."};
  if (alloc.pool.place.type != Place::Device ||
      static_cast<std::size_t>(alloc.pool.place.number) >= c.devices.size())
    throw ApiError{Error::InvalidValue, "a graph allocates memory of a GPU that is there."};
  alloc.pointer = allocate_for_graph(c, alloc.size_bytes);
  return {nothing(), std::make_shared<AllocNode>(alloc)};
}

NodeParameters as_runtime(const NodeParameters& of_driver) {
  NodeParameters p = of_driver;
  if (p.type == kKernelNode) {
    as<KernelNode>(p) = as<DriverKernelNode>(p).as_runtime();
  } else if (p.type == kCopyNode) {
    const Copy3DRequest request = as<DriverCopyNode>(p).request;
    as<CopyNode>(p) = {{}, as_runtime(request)};
  }
  return p;
}

NodeContents contents_of_any(Context& c, NodeParameters& p) {
  switch (p.type) {
    case kKernelNode:
      return contents_of(c, as<KernelNode>(p));
    case kCopyNode:
      return contents_of(c, as<CopyNode>(p).copy);
    case kFillNode:
      return contents_of(c, as<FillNode>(p));
    case kHostNode:
      return contents_of(c, as<HostNode>(p));
    case kChildNode:
      return contents_of(given(as<Graph*>(p)));
    case kWaitNode:
    case kRecordNode:
      return contents_of(as<Event*>(p), p.type == kRecordNode);
    case kEmptyNode:
      return {nothing()};
    case kFreeNode:
      return contents_of_free(c, as<void*>(p));
    case kAllocNode:
      return contents_of(c, as<AllocNode>(p));
    default:
      if (p.type < 0 || p.type > kConditionalNode)
        throw ApiError{Error::InvalidValue, msg("there is no type {} of nodes.", p.type)};
      throw ApiError{Error::NotSupported, msg("nodes of this type ({}) are not simulated.", p.type)};
  }
}

}  // namespace lab::cudart

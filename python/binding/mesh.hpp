// Meshes in memory, as Python hands them over.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <nanobind/nanobind.h>

#include <memory>

namespace stiction::python {

using MeshPointer = std::shared_ptr<const Mesh>;

void bind_mesh(nanobind::module_& module);

}  // namespace stiction::python

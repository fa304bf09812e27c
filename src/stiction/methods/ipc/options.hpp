// Options of the method `ipc`.
#pragma once

#include "stiction/barrier/options.hpp"

namespace stiction::ipc {

using Options = BarrierOptions;

}  // namespace stiction::ipc

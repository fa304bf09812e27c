// Options of the method `ipc`.
#pragma once

#include "stiction/dynamics/barrier_options.hpp"

namespace stiction {

using IpcOptions = BarrierOptions;

}  // namespace stiction

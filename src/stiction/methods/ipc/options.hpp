// Options of the method `ipc`.
#pragma once

#include "stiction/dynamics/barrier/options.hpp"

namespace stiction {

using IpcOptions = BarrierOptions;

}  // namespace stiction

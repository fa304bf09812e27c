// Reads back the frames that a run wrote.
#pragma once

#include "stiction/base/types.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace stiction {

/// Positions and cells of a VTU file of this program's kind: float64 positions, 64-bit integers, appended raw data,
/// plain or compressed with zlib.
struct FrameFile {
    std::vector<double> positions;           ///< x, y, z of each point (m)
    std::vector<std::int64_t> connectivity;  ///< points of all cells, one after the other
    std::vector<std::uint8_t> cell_types;    ///< VTK's numbers
};

/// Throws InputError naming the file for anything that is not a complete file of that kind.
FrameFile read_frame(const std::filesystem::path& file);

}  // namespace stiction

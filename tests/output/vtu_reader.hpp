// A slow, plain reader of the VTU files that the tests look at: XML with appended raw data, uncompressed,
// little-endian.
#pragma once

#include "stiction/output/durable_file.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace stiction::test {

struct VtuArray {
    std::string type;
    int components = 1;
    std::vector<double> values;
};

struct Vtu {
    std::size_t points = 0, cells = 0;
    std::map<std::string, VtuArray> mesh, point_data, cell_data;  ///< mesh: Points, connectivity, offsets, types
};

template <class T>
std::vector<double> vtu_values(const std::string& bytes, std::size_t at) {
    std::uint64_t size = 0;
    if (at + sizeof(size) > bytes.size()) throw std::runtime_error("header outside the file");
    std::memcpy(&size, bytes.data() + at, sizeof(size));
    if (at + sizeof(size) + size > bytes.size()) throw std::runtime_error("array outside the file");
    std::vector<T> raw(size / sizeof(T));
    std::memcpy(raw.data(), bytes.data() + at + sizeof(size), size);
    return {raw.begin(), raw.end()};
}

inline Vtu read_vtu(const std::filesystem::path& path) {
    const std::string bytes = read_bytes(path);
    const std::size_t appended = bytes.find("<AppendedData");
    if (appended == std::string::npos || bytes.find("</VTKFile>") == std::string::npos)
        throw std::runtime_error("not a complete VTU file");
    const std::size_t start = bytes.find('_', appended) + 1;
    const std::string head = bytes.substr(0, appended);
    Vtu vtu;
    std::smatch match;
    std::regex_search(head, match, std::regex("NumberOfPoints=\"(\\d+)\" NumberOfCells=\"(\\d+)\""));
    vtu.points = std::stoul(match[1]);
    vtu.cells = std::stoul(match[2]);
    const std::size_t point_data = head.find("<PointData"), cell_data = head.find("<CellData");
    const std::regex tag(
        "<DataArray type=\"(\\w+)\" Name=\"(\\w+)\" NumberOfComponents=\"(\\d+)\" format=\"appended\" "
        "offset=\"(\\d+)\"/>");
    for (auto i = std::sregex_iterator(head.begin(), head.end(), tag); i != std::sregex_iterator(); ++i) {
        VtuArray array{(*i)[1], std::stoi((*i)[3]), {}};
        const std::size_t at = start + std::stoul((*i)[4]);
        if (array.type == "Float64")
            array.values = vtu_values<double>(bytes, at);
        else if (array.type == "Int64")
            array.values = vtu_values<std::int64_t>(bytes, at);
        else if (array.type == "UInt8")
            array.values = vtu_values<std::uint8_t>(bytes, at);
        else
            throw std::runtime_error("type " + array.type);
        const auto position = static_cast<std::size_t>(i->position());
        auto& section = position > cell_data ? vtu.cell_data : position > point_data ? vtu.point_data : vtu.mesh;
        section[(*i)[2]] = array;
    }
    return vtu;
}

}  // namespace stiction::test

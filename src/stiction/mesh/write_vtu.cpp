// VTK XML unstructured grid with appended raw data.
#include "stiction/base/error.hpp"
#include "stiction/mesh/atomic_file.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/write.hpp"
#include "stiction/mesh/xml.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace stiction {
namespace {

/// The bytes after "<AppendedData>": each array with its header, and where it starts.
class AppendedData {
public:
    explicit AppendedData(bool compress) : compress_(compress) {}

    /// @return offset of the array
    template <class T>
    std::size_t add(const std::vector<T>& values) {
        const std::size_t offset = bytes_.size();
        const std::string_view raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        if (compress_)
            add_compressed(raw);
        else {
            add_header({raw.size()});
            bytes_ += raw;
        }
        return offset;
    }

    const std::string& bytes() const { return bytes_; }

private:
    void add_header(const std::vector<std::uint64_t>& words) {
        bytes_.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t));
    }

    /// Number of blocks, size of a block, size of the last block if it is shorter (else 0), compressed sizes; then the
    /// blocks.
    void add_compressed(std::string_view raw) {
        constexpr std::size_t block_size = std::size_t{1} << 20;
        const std::size_t blocks = (raw.size() + block_size - 1) / block_size;
        std::vector<std::uint64_t> header{blocks, block_size, raw.size() % block_size};
        std::string packed;
        std::vector<Bytef> buffer(compressBound(block_size));
        for (std::size_t b = 0; b < blocks; ++b) {
            const std::string_view block = raw.substr(b * block_size, block_size);
            uLongf size = buffer.size();
            const int status = compress2(buffer.data(), &size, reinterpret_cast<const Bytef*>(block.data()),
                                         block.size(), Z_BEST_SPEED);
            STICTION_CHECK(status == Z_OK, "zlib compresses into a buffer of compressBound bytes");
            header.push_back(size);
            packed.append(reinterpret_cast<const char*>(buffer.data()), size);
        }
        add_header(header);
        bytes_ += packed;
    }

    bool compress_;
    std::string bytes_;
};

struct CellArrays {
    std::vector<std::int64_t> connectivity;
    std::vector<std::int64_t> offsets;  // end of each cell
    std::vector<std::uint8_t> types;
};

CellArrays cell_arrays(const Mesh& mesh) {
    CellArrays cells;
    const auto add = [&](const auto& elements, std::uint8_t type) {
        for (const auto& element : elements) {
            cells.connectivity.insert(cells.connectivity.end(), element.begin(), element.end());
            cells.offsets.push_back(static_cast<std::int64_t>(cells.connectivity.size()));
            cells.types.push_back(type);
        }
    };
    std::vector<std::array<Index, 1>> points;
    for (const Index v : mesh.points) points.push_back({v});
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        if (mesh.mid_nodes.empty() || mesh.mid_nodes[t][0] < 0)
            add(std::array<Tet, 1>{mesh.tets[t]}, 10);
        else
            add(std::array<Tet10, 1>{tet10(mesh, t)}, 24);
    }
    add(mesh.triangles, 5);
    add(mesh.edges, 3);
    add(points, 1);
    return cells;
}

std::string array_tag(std::string_view type, std::string_view name, int components, std::size_t offset) {
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        detail::xml_escaped(name), components, offset);
}

std::string field_tags(const std::vector<VtuField>& fields, std::size_t count, AppendedData& data) {
    std::string text;
    for (const VtuField& field : fields) {
        STICTION_CHECK(
            field.components > 0 && field.values.size() == count * static_cast<std::size_t>(field.components),
            fmt::format("field {} has {} values for {} places", field.name, field.values.size(), count));
        if (field.integer) {
            std::vector<std::int64_t> integers(field.values.size());
            std::transform(field.values.begin(), field.values.end(), integers.begin(),
                           [](double value) { return static_cast<std::int64_t>(std::llround(value)); });
            text += array_tag("Int64", field.name, field.components, data.add(integers));
        } else {
            text += array_tag("Float64", field.name, field.components, data.add(field.values));
        }
    }
    return text;
}

}  // namespace

void write_vtu(const std::filesystem::path& file, const Mesh& mesh, const std::vector<VtuField>& point_fields,
               const std::vector<VtuField>& cell_fields, bool compress) {
    AppendedData data(compress);
    std::vector<double> positions;
    positions.reserve(3 * mesh.vertices.size());
    for (const Vec3& p : mesh.vertices) positions.insert(positions.end(), {p.x(), p.y(), p.z()});
    const CellArrays cells = cell_arrays(mesh);

    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" "
        "header_type=\"UInt64\"{}>\n"
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian",
        compress ? " compressor=\"vtkZLibDataCompressor\"" : "", mesh.vertices.size(), cells.types.size());
    text += "<Points>\n" + array_tag("Float64", "Points", 3, data.add(positions)) + "</Points>\n<Cells>\n";
    text += array_tag("Int64", "connectivity", 1, data.add(cells.connectivity));
    text += array_tag("Int64", "offsets", 1, data.add(cells.offsets));
    text += array_tag("UInt8", "types", 1, data.add(cells.types));
    text += "</Cells>\n<PointData>\n" + field_tags(point_fields, mesh.vertices.size(), data);
    text += "</PointData>\n<CellData>\n" + field_tags(cell_fields, cells.types.size(), data);
    text += "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
    text += data.bytes();
    write_file_atomically(file, text + "\n</AppendedData>\n</VTKFile>\n");
}

}  // namespace stiction

#include "stiction/output/frame_reader.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <sstream>

namespace stiction {
namespace {

using Tree = boost::property_tree::ptree;

class Vtu {
public:
    explicit Vtu(const std::filesystem::path& file) : file_(file.string()), bytes_(read_bytes(file)) {
        constexpr std::string_view mark = "<AppendedData encoding=\"raw\">";
        const std::size_t at = bytes_.find(mark);
        const std::size_t underscore = at == std::string::npos ? at : bytes_.find('_', at + mark.size());
        if (underscore == std::string::npos) fail("", "a VTU file with appended raw data");
        const std::size_t last = bytes_.find_last_not_of(" \r\n");
        if (!std::string_view(bytes_).substr(0, last + 1).ends_with("</VTKFile>"))
            fail("", "a complete VTU file (it is truncated)");
        data_ = std::string_view(bytes_).substr(underscore + 1);
        std::istringstream header(bytes_.substr(0, at) + "</VTKFile>");
        try {
            boost::property_tree::read_xml(header, tree_);
        } catch (const boost::property_tree::xml_parser_error& error) {
            fail(error.message(), "well-formed XML");
        }
        const std::string order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
        expect("VTKFile.<xmlattr>.byte_order", order);
        expect("VTKFile.<xmlattr>.header_type", "UInt64");
        compressed_ = tree_.get_optional<std::string>("VTKFile.<xmlattr>.compressor").has_value();
        if (compressed_) expect("VTKFile.<xmlattr>.compressor", "vtkZLibDataCompressor");
    }

    std::size_t count(const char* name) const {
        return tree_.get<std::size_t>(std::string(piece) + ".<xmlattr>." + name, 0);
    }

    /// The array of this name in a section ("Points", "Cells"); nothing when there is none.
    template <class T>
    std::optional<std::vector<T>> array(const char* section, const std::string& name, const char* type) const {
        const auto group = tree_.get_child_optional(std::string(piece) + "." + section);
        if (!group) return std::nullopt;
        for (const auto& [tag, item] : *group) {
            if (tag != "DataArray" || item.get("<xmlattr>.Name", "") != name) continue;
            if (item.get("<xmlattr>.type", "") != type) fail(name + ": " + item.get("<xmlattr>.type", ""), type);
            return values<T>(item.template get<std::size_t>("<xmlattr>.offset", data_.size()), name);
        }
        return std::nullopt;
    }

    [[noreturn]] void fail(const std::string& value, const std::string& expected) const {
        throw InputError(file_, "", value, expected);
    }

private:
    static constexpr const char* piece = "VTKFile.UnstructuredGrid.Piece";

    void expect(const char* path, const std::string& wanted) const {
        const std::string value = tree_.get<std::string>(path, "");
        if (value != wanted) fail(value, wanted);
    }

    std::string_view part(std::size_t offset, std::size_t size, const std::string& name) const {
        if (offset > data_.size() || size > data_.size() - offset)
            fail(name, "an array that ends inside the file (it is truncated)");
        return data_.substr(offset, size);
    }

    std::vector<std::uint64_t> words(std::size_t& offset, std::size_t count, const std::string& name) const {
        if (count > data_.size()) fail(name, "an array with a plausible number of blocks");
        std::vector<std::uint64_t> result(count);
        const std::string_view raw = part(offset, count * sizeof(std::uint64_t), name);
        std::memcpy(result.data(), raw.data(), raw.size());
        offset += raw.size();
        return result;
    }

    std::string inflate(std::size_t offset, const std::string& name) const {
        const std::uint64_t blocks = words(offset, 1, name)[0];
        const auto sizes = words(offset, 2, name);
        const auto packed = words(offset, blocks, name);
        std::string raw;
        for (std::uint64_t b = 0; b < blocks; ++b) {
            uLongf size = b + 1 == blocks && sizes[1] != 0 ? sizes[1] : sizes[0];
            if (size > (std::uint64_t{1} << 30)) fail(name, "blocks of less than 1 GiB");
            const std::string_view block = part(offset, packed[b], name);
            const std::size_t at = raw.size();
            const uLongf wanted = size;
            raw.resize(at + size);
            const int status = uncompress(reinterpret_cast<Bytef*>(raw.data() + at), &size,
                                          reinterpret_cast<const Bytef*>(block.data()), block.size());
            if (status != Z_OK || size != wanted) fail(name, "an intact zlib block");
            offset += packed[b];
        }
        return raw;
    }

    template <class T>
    std::vector<T> values(std::size_t offset, const std::string& name) const {
        std::string inflated;
        std::string_view raw;
        if (compressed_) {
            inflated = inflate(offset, name);
            raw = inflated;
        } else {
            const std::uint64_t size = words(offset, 1, name)[0];
            raw = part(offset, size, name);
        }
        if (raw.size() % sizeof(T) != 0) fail(name, "a whole number of values");
        std::vector<T> result(raw.size() / sizeof(T));
        if (!raw.empty()) std::memcpy(result.data(), raw.data(), raw.size());
        return result;
    }

    std::string file_;
    std::string bytes_;
    std::string_view data_;
    Tree tree_;
    bool compressed_ = false;
};

}  // namespace

FrameFile read_frame(const std::filesystem::path& file) {
    const Vtu vtu(file);
    const auto positions = vtu.array<double>("Points", "Points", "Float64");
    const auto connectivity = vtu.array<std::int64_t>("Cells", "connectivity", "Int64");
    const auto types = vtu.array<std::uint8_t>("Cells", "types", "UInt8");
    if (!positions || positions->size() != 3 * vtu.count("NumberOfPoints")) vtu.fail("Points", "three numbers a point");
    if (!connectivity || !types || types->size() != vtu.count("NumberOfCells"))
        vtu.fail("Cells", "connectivity and a type a cell");
    return {*positions, *connectivity, *types};
}

}  // namespace stiction

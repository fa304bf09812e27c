#include "stiction/output/table_file.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"

#include <cstdlib>
#include <sstream>

namespace stiction {

namespace fs = std::filesystem;

TableFile::TableFile(const fs::path& path) : path_(path), file_(path, std::ios::binary | std::ios::app) {
    if (!file_) throw InputError(path.string() + ": cannot be opened for writing");
}

TableFile TableFile::replace(const fs::path& path, const std::string& header, const std::string& rows) {
    write_durably(path, header + "\n" + rows);
    return TableFile(path);
}

void TableFile::append(const std::string& rows) {
    file_.write(rows.data(), static_cast<std::streamsize>(rows.size()));
    file_.flush();
    if (!file_) throw InputError(path_.string() + ": cannot be written (disk full?)");
}

std::vector<std::string> table_rows(const fs::path& path, const std::string& header) {
    const std::string text = read_bytes(path);
    std::vector<std::string> rows;
    std::size_t begin = 0;
    for (bool first = true;; first = false) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) return rows;
        std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        if (!first) {
            rows.push_back(std::move(line));
        } else if (line != header) {
            throw InputError(path.string(), "line 1", line, "the columns of this version: " + header);
        }
    }
}

std::vector<std::string> table_cells(const std::string& row) {
    std::vector<std::string> cells;
    std::stringstream stream(row);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
}

double cell_number(const std::string& cell, bool& ok) {
    char* end = nullptr;
    const double value = std::strtod(cell.c_str(), &end);
    ok = ok && !cell.empty() && *end == '\0';
    return value;
}

}  // namespace stiction

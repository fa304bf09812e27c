// A table that grows row by row: what steps.csv, zones.csv and complementarity.csv have in common.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stiction {

/// A CSV file open for appending. What is appended reaches the file with one call and is flushed, so that a kill can
/// cut off only the last row.
class TableFile {
public:
    /// Replaces the file, durably, by a header line and rows, and opens it.
    /// @param rows  whole lines with their ends, or nothing
    /// @throws InputError when it cannot be written
    static TableFile replace(const std::filesystem::path& path, const std::string& header,
                             const std::string& rows = {});

    /// @param rows  whole lines with their ends
    /// @throws InputError when the disk refuses
    void append(const std::string& rows);

private:
    explicit TableFile(const std::filesystem::path& path);
    std::filesystem::path path_;
    std::ofstream file_;
};

/// The complete rows of a table without their ends; a last one that a kill cut off is left out.
/// @throws InputError when the file cannot be read, or its first line is not `header`
std::vector<std::string> table_rows(const std::filesystem::path& path, const std::string& header);

/// The cells of a row; a name in them must hold no comma.
std::vector<std::string> table_cells(const std::string& row);
/// The whole of a cell as a number, `inf` and `nan` included; `ok` becomes false when it is none and stays as it is
/// otherwise.
double cell_number(const std::string& cell, bool& ok);

}  // namespace stiction

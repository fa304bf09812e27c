// zones.csv: one row a step and filled region.
#pragma once

#include "stiction/output/run_report.hpp"
#include "stiction/output/table_file.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// One row of zones.csv.
struct ZoneRow {
    int step = 0;
    double t = 0.0;  ///< s
    int zone = 0;    ///< number of the filled region, from 0
    std::string body;
    double rest_volume = 0.0, volume = 0.0;  ///< m^3
    double pressure = 0.0;                   ///< gauge pressure, positive outwards (Pa)
};

/// The file zones.csv, open for appending: volume and pressure of every filled region at the start and after each step.
class ZoneTable {
public:
    /// The header line, without its end.
    static std::string header();

    /// Starts a new file. Throws InputError when it cannot be written.
    static ZoneTable create(const std::filesystem::path& path);
    /// Goes on with a file: rows of steps after `last_step`, and a last row cut off by a kill, are removed first. A
    /// missing file is started anew. Throws InputError when the header is not that of this version or a row cannot be
    /// read.
    static ZoneTable resume(const std::filesystem::path& path, int last_step);

    /// Appends the rows of one step, all with one call.
    /// @param zones  filling_summaries() at the end of the step
    void append(int step, double t, const std::vector<FillingSummary>& zones);

    /// Widens the extremes of summaries to those of all rows of the table.
    void widen(std::vector<FillingSummary>& zones) const;

private:
    explicit ZoneTable(TableFile file) : file_(std::move(file)) {}
    void count(int zone, double volume, double pressure);

    TableFile file_;
    std::map<int, FillingExtremes> extremes_;  ///< of each zone that has a row
};

/// All complete rows of a table. Throws InputError naming file and line.
std::vector<ZoneRow> read_zone_table(const std::filesystem::path& path);

}  // namespace stiction

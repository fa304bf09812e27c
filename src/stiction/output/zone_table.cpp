#include "stiction/output/zone_table.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t zone_column_count = 7;

/// False when the line is not a row of this table.
bool parse_row(const std::string& line, ZoneRow& row) {
    const std::vector<std::string> cells = table_cells(line);
    if (cells.size() != zone_column_count) return false;
    bool ok = true;
    row.step = static_cast<int>(cell_number(cells[0], ok));
    row.t = cell_number(cells[1], ok);
    row.zone = static_cast<int>(cell_number(cells[2], ok));
    row.body = cells[3];
    row.rest_volume = cell_number(cells[4], ok);
    row.volume = cell_number(cells[5], ok);
    row.pressure = cell_number(cells[6], ok);
    return ok && row.zone >= 0;
}

}  // namespace

std::string ZoneTable::header() {
    return "step,t,zone,body,rest_volume,volume,pressure";
}

ZoneTable ZoneTable::create(const fs::path& path) {
    return ZoneTable(TableFile::replace(path, header()));
}

ZoneTable ZoneTable::resume(const fs::path& path, int last_step) {
    if (!fs::exists(path)) return create(path);
    const std::vector<ZoneRow> rows = read_zone_table(path);
    const std::vector<std::string> lines = table_rows(path, header());
    std::string text;
    std::size_t count = 0;
    for (; count < rows.size() && rows[count].step <= last_step; ++count) text += lines[count] + "\n";
    ZoneTable table(TableFile::replace(path, header(), text));
    for (std::size_t i = 0; i < count; ++i) table.count(rows[i].zone, rows[i].volume, rows[i].pressure);
    return table;
}

void ZoneTable::append(int step, double t, const std::vector<FillingSummary>& zones) {
    std::string rows;
    int number = 0;
    for (const FillingSummary& zone : zones) {
        // "{}" prints the shortest text that reads back as the same double.
        rows += fmt::format("{},{},{},{},{},{},{}\n", step, t, number, zone.body, zone.rest_volume, zone.volume,
                            zone.pressure);
        count(number++, zone.volume, zone.pressure);
    }
    file_.append(rows);
}

void ZoneTable::count(int zone, double volume, double pressure) {
    extremes_[zone].volume.include(volume);
    extremes_[zone].pressure.include(pressure);
}

void ZoneTable::widen(std::vector<FillingSummary>& zones) const {
    for (const auto& [zone, seen] : extremes_) {
        if (static_cast<std::size_t>(zone) < zones.size()) zones[static_cast<std::size_t>(zone)].extremes.include(seen);
    }
}

std::vector<ZoneRow> read_zone_table(const fs::path& path) {
    std::vector<ZoneRow> rows;
    for (const std::string& line : table_rows(path, ZoneTable::header())) {
        ZoneRow row;
        if (!parse_row(line, row))
            throw InputError(path.string(), fmt::format("line {}", rows.size() + 2), line, "a row of zones.csv");
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace stiction

// Runs the boolean CCD query over files of the public CCD benchmark's format, or over a generated suite, and counts
// errors.
#include "stiction/base/error.hpp"
#include "stiction/collision/ccd.hpp"

#include "../tests/collision/ccd_generator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace stiction;

constexpr const char* usage =
    "usage: ccd_queries FILE...                    query files; the folder name edge-edge or vertex-face in the path "
    "tells the kind\n"
    "       ccd_queries --generate N [--seed S]    N generated queries of known truth\n";

// --- numbers
// --------------------------------------------------------------------------------------------------------------------

/// Natural number of any size, little-endian 32-bit digits without leading zeros.
class Natural {
public:
    /// @param decimal  digits only
    explicit Natural(std::string_view decimal) {
        for (const char c : decimal) multiply_add(10, static_cast<std::uint32_t>(c - '0'));
    }
    bool zero() const { return digits_.empty(); }
    int bit_count() const {
        if (zero()) return 0;
        int bits = 32 * static_cast<int>(digits_.size() - 1);
        for (std::uint32_t top = digits_.back(); top != 0; top >>= 1) ++bits;
        return bits;
    }
    void shift_left(int bits) {
        if (zero()) return;
        digits_.insert(digits_.begin(), static_cast<std::size_t>(bits / 32), 0);
        if (bits % 32 != 0) multiply_add(std::uint32_t{1} << (bits % 32), 0);
    }
    /// Subtracts other if it is not larger; tells whether it did.
    bool subtract_if_possible(const Natural& other) {
        if (less(other)) return false;
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < digits_.size(); ++i) {
            const std::uint64_t take = (i < other.digits_.size() ? other.digits_[i] : 0) + borrow;
            borrow = digits_[i] < take ? 1 : 0;
            digits_[i] = static_cast<std::uint32_t>(digits_[i] + (borrow << 32) - take);
        }
        while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
        return true;
    }

private:
    bool less(const Natural& other) const {
        if (digits_.size() != other.digits_.size()) return digits_.size() < other.digits_.size();
        return std::lexicographical_compare(digits_.rbegin(), digits_.rend(), other.digits_.rbegin(),
                                            other.digits_.rend());
    }
    void multiply_add(std::uint32_t factor, std::uint32_t term) {
        std::uint64_t carry = term;
        for (std::uint32_t& digit : digits_) {
            carry += std::uint64_t{digit} * factor;
            digit = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) digits_.push_back(static_cast<std::uint32_t>(carry));
    }

    std::vector<std::uint32_t> digits_;
};

struct Rounded {
    double value;
    bool exact;
};

/// Nearest double of numerator / denominator (ties to even; exact long division with a sticky bit).
Rounded nearest_double(Natural numerator, Natural denominator) {
    if (numerator.zero()) return {0.0, true};
    // Binary long division after scaling both to the same number of bits, which puts the quotient between 1/2 and 2.
    const int exponent = numerator.bit_count() - denominator.bit_count();
    if (exponent > 0)
        denominator.shift_left(exponent);
    else
        numerator.shift_left(-exponent);
    std::uint64_t quotient = 0;
    for (int bit = 0; bit < 57; ++bit) {
        quotient = 2 * quotient + (numerator.subtract_if_possible(denominator) ? 1 : 0);
        numerator.shift_left(1);
    }
    const bool remainder = !numerator.zero();
    if (remainder) quotient |= 1;
    const double rounded = static_cast<double>(quotient);
    return {std::ldexp(rounded, exponent - 56), !remainder && static_cast<std::uint64_t>(rounded) == quotient};
}

// --- query files
// ----------------------------------------------------------------------------------------------------------------

struct Query {
    PairKind kind;
    std::array<Vec3, 4> x0, x1;
    bool collides;
};

struct QueryFile {
    std::vector<Query> queries;
    std::size_t rounded = 0;  // coordinates that were no doubles
};

PairKind kind_of_path(const std::string& path) {
    for (const auto& part : std::filesystem::absolute(path)) {
        if (part == "edge-edge") return PairKind::edge_edge;
        if (part == "vertex-face") return PairKind::point_triangle;
    }
    throw InputError(path, "", "", "a folder named edge-edge or vertex-face in the path");
}

struct Integer {
    bool negative = false;
    std::string_view digits;
};

Integer parse_integer(std::string_view text, const std::string& path, const std::string& where) {
    Integer number;
    const std::string_view whole = text;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        number.negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        throw InputError(path, where, whole, "an integer");
    }
    number.digits = text;
    return number;
}

Rounded parse_rational(std::string_view numerator, std::string_view denominator, const std::string& path,
                       const std::string& where) {
    const Integer n = parse_integer(numerator, path, where);
    const Integer d = parse_integer(denominator, path, where);
    const Natural divisor(d.digits);
    if (divisor.zero()) throw InputError(path, where, denominator, "a denominator that is not zero");
    Rounded number = nearest_double(Natural(n.digits), divisor);
    if (n.negative != d.negative) number.value = -number.value;
    return number;
}

std::array<std::string_view, 7> split_row(std::string_view line, const std::string& path, const std::string& where) {
    std::array<std::string_view, 7> cells;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        std::string_view cell = line.substr(begin, end - begin);
        while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
        while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
        if (count < cells.size()) cells[count] = cell;
        ++count;
        begin = end + 1;
    }
    if (count != cells.size()) {
        throw InputError(path, where, std::to_string(count) + " cells",
                         "7: numerator and denominator of x, y, z, then the truth 0 or 1");
    }
    return cells;
}

QueryFile read_queries(const std::string& path) {
    const PairKind kind = kind_of_path(path);
    std::ifstream stream(path);
    if (!stream || std::filesystem::is_directory(path)) throw InputError(path, "", "", "a readable file");
    QueryFile file;
    std::string line;
    Query query{kind, {}, {}, false};
    std::size_t row = 0;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        const std::string where = "line " + std::to_string(number);
        const auto cells = split_row(line, path, where);
        Vec3& p = row < 4 ? query.x0[row] : query.x1[row - 4];
        for (std::size_t k = 0; k < 3; ++k) {
            const Rounded value = parse_rational(cells[2 * k], cells[2 * k + 1], path, where);
            p[static_cast<Eigen::Index>(k)] = value.value;
            file.rounded += !value.exact;
        }
        if (cells[6] != "0" && cells[6] != "1") throw InputError(path, where, cells[6], "the truth, 0 or 1");
        const bool truth = cells[6] == "1";
        if (row > 0 && truth != query.collides)
            throw InputError(path, where, cells[6], "the same truth in all 8 rows of a query");
        query.collides = truth;
        if (++row == 8) {
            file.queries.push_back(query);
            row = 0;
        }
    }
    if (row != 0) throw InputError(path, "", std::to_string(row) + " rows left over", "8 rows a query");
    return file;
}

// --- counting
// -------------------------------------------------------------------------------------------------------------------

struct Tally {
    std::size_t queries = 0, false_negatives = 0, false_positives = 0, undecided = 0;
    double seconds = 0.0;

    void add(const Tally& other) {
        queries += other.queries;
        false_negatives += other.false_negatives;
        false_positives += other.false_positives;
        undecided += other.undecided;
        seconds += other.seconds;
    }
};

void print_header() {
    std::printf("%12s %15s %15s %10s %9s  %s\n", "queries", "false_negatives", "false_positives", "undecided",
                "ns/query", "source");
}

void print(const Tally& t, const std::string& source) {
    std::printf("%12zu %15zu %15zu %10zu %9.0f  %s\n", t.queries, t.false_negatives, t.false_positives, t.undecided,
                t.queries > 0 ? 1e9 * t.seconds / static_cast<double>(t.queries) : 0.0, source.c_str());
}

template <class AnyQuery>
Tally run(const std::vector<AnyQuery>& queries) {
    std::vector<unsigned char> answers(queries.size());
    Tally tally;
    tally.queries = queries.size();
    const std::clock_t start = std::clock();  // processor time: other programs on the machine do not count
    for (std::size_t i = 0; i < queries.size(); ++i) {
        CcdQueryStats stats;
        const bool collides = may_collide(queries[i].kind, queries[i].x0.data(), queries[i].x1.data(), &stats);
        answers[i] = static_cast<unsigned char>(collides | (stats.undecided << 1));
    }
    tally.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        const bool collides = answers[i] & 1;
        tally.false_negatives += queries[i].collides && !collides;
        tally.false_positives += !queries[i].collides && collides;
        tally.undecided += answers[i] >> 1;
    }
    return tally;
}

Tally run_files(const std::vector<std::string>& paths) {
    Tally total;
    std::size_t rounded = 0;
    for (const std::string& path : paths) {
        const QueryFile file = read_queries(path);
        if (path == paths.front()) print_header();
        const Tally tally = run(file.queries);
        print(tally, path);
        total.add(tally);
        rounded += file.rounded;
    }
    print(total, "total");
    if (rounded > 0) {
        std::printf(
            "%zu coordinates are no doubles and were rounded to the nearest: "
            "the given truth of touching queries need not hold for them\n",
            rounded);
    }
    return total;
}

Tally run_generated(std::uint64_t count, std::uint64_t seed) {
    using testing::Family;
    constexpr auto families = static_cast<std::size_t>(Family::count);
    constexpr std::uint64_t block = 90000;
    std::vector<Tally> tallies(families);
    std::vector<std::vector<testing::GeneratedQuery>> queries(families);
    for (std::uint64_t begin = 0; begin < count; begin += block) {
        for (auto& list : queries) list.clear();
        for (std::uint64_t i = begin; i < std::min(count, begin + block); ++i) {
            const testing::GeneratedQuery q = testing::generate_query(seed, i);
            queries[static_cast<std::size_t>(q.family)].push_back(q);
        }
        for (std::size_t f = 0; f < families; ++f) tallies[f].add(run(queries[f]));
    }
    Tally total;
    print_header();
    for (std::size_t f = 0; f < families; ++f) {
        print(tallies[f], testing::family_name(static_cast<Family>(f)));
        total.add(tallies[f]);
    }
    print(total, "total, seed " + std::to_string(seed));
    return total;
}

std::uint64_t parse_count(const std::string& option, const std::string& text) {
    std::uint64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size())
        throw InputError("", option, text, "a whole number");
    return value;
}

int run_command(const std::vector<std::string>& arguments) {
    std::vector<std::string> files;
    std::uint64_t count = 0, seed = 1;
    bool generate = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            std::fputs(usage, stdout);
            return 0;
        }
        if (argument == "--generate" || argument == "--seed") {
            if (++i == arguments.size()) throw InputError("", argument, "", "a whole number");
            (argument == "--generate" ? count : seed) = parse_count(argument, arguments[i]);
            generate = generate || argument == "--generate";
        } else if (argument.starts_with("-")) {
            throw InputError("", argument, "", "--generate, --seed, --help or a file");
        } else {
            files.push_back(argument);
        }
    }
    if (generate != files.empty()) {
        std::fputs(usage, stderr);
        return 1;
    }
    const Tally total = generate ? run_generated(count, seed) : run_files(files);
    return total.false_negatives > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run_command(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ccd_queries: %s\n", error.what());
        return 1;
    }
}

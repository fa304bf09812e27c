// The sparse inverse S = L^-1 on a device, and its products.
#pragma once

#include "stiction/linalg/supernodal/sparse_inverse.hpp"
#include "stiction/methods/local_global/element_bodies.hpp"

#include <algorithm>
#include <vector>

namespace stiction::local_global {

/// Columns of S by pointers, for bodies.
struct InverseColumns {
    const std::size_t* end;    ///< of the values of each column, by position in the elimination order
    const Index* length;       ///< of each column, from its diagonal entry to the root
    const Index* supernode;    ///< of each position
    const Index* parent;       ///< of each supernode; -1 at a root
    const Index* path_length;  ///< of each supernode: positions of it and of its ancestors
    const double* values;

    /// Entries that two columns have in the same rows: the last ones of both.
    STICTION_HD std::size_t common(Index a, Index b) const {
        Index s = supernode[a], t = supernode[b];
        while (s != t && s >= 0 && t >= 0) (s < t ? s : t) = parent[s < t ? s : t];
        if (s != t) return 0;
        const Index least = length[a] < length[b] ? length[a] : length[b];
        return static_cast<std::size_t>(least < path_length[s] ? least : path_length[s]);
    }
};

/// S of supernodal::SparseInverse, kept twice: by rows, for S b, and by columns, for S^T y. The row of a position is
/// dense from its first descendant to itself; the column is dense along its path to the root.
template <class Device>
class DeviceInverse {
public:
    template <class T>
    using Array = typename Device::template Array<T>;
    using Team = typename Device::Team;

    explicit DeviceInverse(Device& device) : device_(device) {}

    void upload(const supernodal::SparseInverse& inverse) {
        unknowns_ = static_cast<std::size_t>(inverse.unknowns);
        order_.upload(inverse.order);
        half_.resize(3 * unknowns_);
        upload_groups(inverse);
        upload_columns(inverse);
        upload_rows(inverse);
    }

    /// half = S P b for n x 3 arrays. A team takes a piece of several rows of a supernode, which begin at the same
    /// position, so that what they multiply is read once. The rows of the last supernodes are as long as all unknowns:
    /// their pieces are for many teams.
    void first_half(const double* b, double* half) {
        const std::size_t *begin = row_begin_.data(), *first = row_first_.data();
        const Index *order = order_.data(), *group = group_begin_.data(), *piece_group = piece_group_.data(),
                    *piece_begin = piece_begin_.data();
        const double* values = row_values_.data();
        double* partial = partial_.data();
        device_.for_each_team(piece_group_.size(), [=] STICTION_BODY(const Team& team, std::size_t p) {
            const auto g = static_cast<std::size_t>(piece_group[p]), k = static_cast<std::size_t>(group[g]);
            const std::size_t rows = static_cast<std::size_t>(group[g + 1]) - k;
            const std::size_t longest = begin[k + rows] - begin[k + rows - 1];
            const std::size_t from = (p - static_cast<std::size_t>(piece_begin[g])) * piece;
            const std::size_t to = from + piece < longest ? from + piece : longest;
            GroupSum sum;
            for (std::size_t i = from + team.rank(); i < to; i += team.size()) {
                const double* here = b + 3 * static_cast<std::size_t>(order[first[k] + i]);
                const double three[3] = {here[0], here[1], here[2]};
                for (std::size_t r = 0; r < most_rows; ++r) {
                    // Each row is one longer than the row before.
                    if (r < rows && i + (rows - 1 - r) < longest) sum.add(r, values[begin[k + r] + i], three);
                }
            }
            for (std::size_t r = 0; r < rows; ++r) sum.put(team, r, partial + 3 * (most_rows * p + r));
        });
        add_pieces(half);
    }
    /// half of each row from the sums over its pieces, in order.
    void add_pieces(double* half) {
        const Index *group = group_begin_.data(), *group_of = group_of_.data(), *piece_begin = piece_begin_.data();
        const double* partial = partial_.data();
        device_.for_each(3 * unknowns_, [=] STICTION_BODY(std::size_t j) {
            const std::size_t k = j / 3, g = static_cast<std::size_t>(group_of[k]);
            const std::size_t place = 3 * (k - static_cast<std::size_t>(group[g])) + j % 3;
            double sum = 0.0;
            for (Index p = piece_begin[g]; p < piece_begin[g + 1]; ++p)
                sum += partial[3 * most_rows * static_cast<std::size_t>(p) + place];
            half[j] = sum;
        });
    }
    /// x = P^T S^T half. A team takes several columns of a supernode, which end at the same root.
    void second_half(const double* half, double* x) {
        const InverseColumns all = columns();
        const Index *order = order_.data(), *path = path_.data(), *group = group_begin_.data();
        const std::size_t* path_begin = column_path_.data();
        device_.for_each_team(groups_, [=] STICTION_BODY(const Team& team, std::size_t g) {
            const auto k = static_cast<std::size_t>(group[g]);
            const std::size_t count = static_cast<std::size_t>(group[g + 1]) - k;
            const auto longest = static_cast<std::size_t>(all.length[k]);
            const Index* rows = path + path_begin[k];
            GroupSum sum;
            for (std::size_t i = team.rank(); i < longest; i += team.size()) {
                const double* here = half + 3 * static_cast<std::size_t>(rows[i]);
                const double three[3] = {here[0], here[1], here[2]};
                for (std::size_t c = 0; c < most_rows; ++c) {
                    // Each column begins one position after the column before.
                    if (c < count && c <= i) sum.add(c, all.values[all.end[k + c] - longest + i], three);
                }
            }
            for (std::size_t c = 0; c < count; ++c) sum.put(team, c, x + 3 * static_cast<std::size_t>(order[k + c]));
        });
    }
    /// x = A^-1 b; x may be b.
    void solve(const double* b, double* x) {
        first_half(b, half_.data());
        second_half(half_.data(), x);
    }

    static constexpr std::size_t most_rows = 8;  ///< of a team
    static constexpr std::size_t piece = 512;    ///< entries of a row that a team takes

    /// Sums of three numbers for each row of a team, in the registers of its threads.
    struct GroupSum {
        double sum[most_rows][3] = {};
        STICTION_HD void add(std::size_t r, double value, const double* three) {
            for (int c = 0; c < 3; ++c) sum[r][c] += value * three[c];
        }
        STICTION_HD void put(const Team& team, std::size_t r, double* out) const {
            for (std::size_t s = 0; s < most_rows; ++s) {
                if (s != r) continue;
                for (int c = 0; c < 3; ++c) {
                    const double total = team.sum(sum[s][c]);
                    if (team.rank() == 0) out[c] = total;
                }
            }
        }
    };

    std::size_t unknown_count() const { return unknowns_; }
    /// Groups of rows, and pieces that they are cut into.
    std::size_t groups() const { return groups_; }
    std::size_t pieces() const { return piece_group_.size(); }
    /// The position of an unknown in the elimination order.
    Index position_of(Index unknown) const { return positions_[at(unknown)]; }
    InverseColumns columns() const {
        return {column_end_.data(), column_length_.data(), supernode_.data(),
                parent_.data(),     path_length_.data(),   column_values_.data()};
    }

private:
    void upload_groups(const supernodal::SparseInverse& inverse) {
        std::vector<Index> begin, group_of, piece_begin, piece_group;
        for (std::size_t s = 0; s < inverse.supernodes(); ++s) {
            const Index first = inverse.column_begin[at(inverse.first_descendant[s])],
                        end = inverse.column_begin[s + 1];
            for (Index k = inverse.column_begin[s]; k < end; k += static_cast<Index>(most_rows)) {
                const auto group = static_cast<Index>(begin.size());
                const Index rows = std::min(static_cast<Index>(most_rows), end - k);
                const std::size_t pieces = (at(k + rows - first) + piece - 1) / piece;
                begin.push_back(k);
                group_of.insert(group_of.end(), at(rows), group);
                piece_begin.push_back(static_cast<Index>(piece_group.size()));
                piece_group.insert(piece_group.end(), pieces, group);
            }
        }
        groups_ = begin.size();
        begin.push_back(static_cast<Index>(unknowns_));
        piece_begin.push_back(static_cast<Index>(piece_group.size()));
        partial_.resize(3 * most_rows * piece_group.size());
        group_begin_.upload(begin);
        group_of_.upload(group_of);
        piece_begin_.upload(piece_begin);
        piece_group_.upload(piece_group);
    }
    void upload_columns(const supernodal::SparseInverse& inverse) {
        std::vector<std::size_t> ends, path_begins;
        std::vector<Index> lengths, supernodes, path;
        std::vector<double> values;
        values.reserve(inverse.values.size());
        for (std::size_t s = 0; s < inverse.supernodes(); ++s) {
            const std::size_t begin = path.size();
            for (auto t = static_cast<Index>(s); t >= 0; t = inverse.parent[at(t)]) {
                for (Index k = inverse.column_begin[at(t)]; k < inverse.column_begin[at(t) + 1]; ++k) path.push_back(k);
            }
            const auto width = at(inverse.width(s)), rows = at(inverse.path_length[s]);
            for (std::size_t c = 0; c < width; ++c) {
                for (std::size_t r = c; r < rows; ++r) values.push_back(inverse.block(s)[r * width + c]);
                ends.push_back(values.size());
                lengths.push_back(static_cast<Index>(rows - c));
                supernodes.push_back(static_cast<Index>(s));
                path_begins.push_back(begin + c);
            }
        }
        positions_.resize(unknowns_);
        for (std::size_t k = 0; k < unknowns_; ++k) positions_[at(inverse.order[k])] = static_cast<Index>(k);
        column_end_.upload(ends);
        column_length_.upload(lengths);
        supernode_.upload(supernodes);
        column_path_.upload(path_begins);
        path_.upload(path);
        parent_.upload(inverse.parent);
        path_length_.upload(inverse.path_length);
        column_values_.upload(values);
    }

    void upload_rows(const supernodal::SparseInverse& inverse) {
        std::vector<std::size_t> begin{0}, first;
        std::vector<double> values;
        values.reserve(inverse.values.size());
        for (std::size_t t = 0; t < inverse.supernodes(); ++t) {
            const auto descendant = at(inverse.first_descendant[t]);
            for (Index row = 0; row < inverse.width(t); ++row) {
                for (std::size_t s = descendant; s < t; ++s) {
                    const double* from = inverse.row(s, t, row);
                    values.insert(values.end(), from, from + inverse.width(s));
                }
                const double* own = inverse.row(t, t, row);
                values.insert(values.end(), own, own + row + 1);
                begin.push_back(values.size());
                first.push_back(at(inverse.column_begin[descendant]));
            }
        }
        row_begin_.upload(begin);
        row_first_.upload(first);
        row_values_.upload(values);
    }

    Device& device_;
    std::size_t unknowns_ = 0, groups_ = 0;
    std::vector<Index> positions_;
    Array<Index> order_, group_begin_, group_of_, piece_begin_, piece_group_, column_length_, supernode_, path_,
        parent_, path_length_;
    Array<std::size_t> column_end_, column_path_, row_begin_, row_first_;
    Array<double> column_values_, row_values_, partial_, half_;
};

}  // namespace stiction::local_global

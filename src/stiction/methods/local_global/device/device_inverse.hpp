// The sparse inverse S = L^-1 on a device, and its products.
#pragma once

#include "stiction/linalg/supernodal/sparse_inverse.hpp"
#include "stiction/methods/local_global/element_bodies.hpp"

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
        upload_columns(inverse);
        upload_rows(inverse);
    }

    /// half = S P b for n x 3 arrays.
    void first_half(const double* b, double* half) {
        const std::size_t *begin = row_begin_.data(), *first = row_first_.data();
        const Index* order = order_.data();
        const double* values = row_values_.data();
        device_.for_each_team(unknowns_, [=] STICTION_HD(const Team& team, std::size_t k) {
            const double* row = values + begin[k];
            const std::size_t count = begin[k + 1] - begin[k];
            double sum[3] = {0.0, 0.0, 0.0};
            for (std::size_t i = team.rank(); i < count; i += team.size()) {
                const double* here = b + 3 * static_cast<std::size_t>(order[first[k] + i]);
                for (int c = 0; c < 3; ++c) sum[c] += row[i] * here[c];
            }
            for (int c = 0; c < 3; ++c) {
                const double total = team.sum(sum[c]);
                if (team.rank() == 0) half[3 * k + static_cast<std::size_t>(c)] = total;
            }
        });
    }
    /// x = P^T S^T half.
    void second_half(const double* half, double* x) {
        const InverseColumns all = columns();
        const Index *order = order_.data(), *path = path_.data();
        const std::size_t* path_begin = column_path_.data();
        device_.for_each_team(unknowns_, [=] STICTION_HD(const Team& team, std::size_t k) {
            const auto count = static_cast<std::size_t>(all.length[k]);
            const double* column = all.values + all.end[k] - count;
            const Index* rows = path + path_begin[k];
            double sum[3] = {0.0, 0.0, 0.0};
            for (std::size_t i = team.rank(); i < count; i += team.size()) {
                const double* here = half + 3 * static_cast<std::size_t>(rows[i]);
                for (int c = 0; c < 3; ++c) sum[c] += column[i] * here[c];
            }
            for (int c = 0; c < 3; ++c) {
                const double total = team.sum(sum[c]);
                if (team.rank() == 0) x[3 * static_cast<std::size_t>(order[k]) + static_cast<std::size_t>(c)] = total;
            }
        });
    }
    /// x = A^-1 b; x may be b.
    void solve(const double* b, double* x) {
        half_.resize(3 * unknowns_);
        first_half(b, half_.data());
        second_half(half_.data(), x);
    }

    std::size_t unknown_count() const { return unknowns_; }
    /// The position of an unknown in the elimination order.
    Index position_of(Index unknown) const { return positions_[at(unknown)]; }
    InverseColumns columns() const {
        return {column_end_.data(), column_length_.data(), supernode_.data(),
                parent_.data(),     path_length_.data(),   column_values_.data()};
    }

private:
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
    std::size_t unknowns_ = 0;
    std::vector<Index> positions_;
    Array<Index> order_, column_length_, supernode_, path_, parent_, path_length_;
    Array<std::size_t> column_end_, column_path_, row_begin_, row_first_;
    Array<double> column_values_, row_values_, half_;
};

}  // namespace stiction::local_global

#include "stiction/linalg/multigrid/transfer.hpp"

#include <cmath>

namespace stiction {
namespace {

/// A column that keeps less than this of its length beside those before it counts as dependent on them.
constexpr double dependent = 1e-9;

/// Gram-Schmidt, every column twice; dependent columns become zero. @return R with Q R = columns
Eigen::Matrix<double, 6, 6> orthonormalize(Eigen::Matrix<double, Eigen::Dynamic, 6>& columns) {
    Eigen::Matrix<double, 6, 6> R = Eigen::Matrix<double, 6, 6>::Zero();
    for (int k = 0; k < 6; ++k) {
        const double length = columns.col(k).norm();
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                const double part = columns.col(j).dot(columns.col(k));
                columns.col(k) -= part * columns.col(j);
                R(j, k) += part;
            }
        }
        const double rest = columns.col(k).norm();
        if (rest > dependent * length) {
            columns.col(k) /= rest;
            R(k, k) = rest;
        } else {
            columns.col(k).setZero();
        }
    }
    return R;
}

}  // namespace

Modes<3> rigid_modes(const VecX& positions) {
    const auto nodes = static_cast<std::size_t>(positions.size() / 3);
    const auto place = [&](std::size_t i) -> Vec3 { return positions.segment<3>(3 * static_cast<Eigen::Index>(i)); };
    const Vec3 mean =
        parallel_sum(nodes, Vec3(Vec3::Zero()), place) / static_cast<double>(std::max<std::size_t>(nodes, 1));
    double radius = 0.0;
    for (std::size_t i = 0; i < nodes; ++i) radius = std::max(radius, (place(i) - mean).norm());
    Modes<3> modes(nodes);
    parallel_for(nodes, [&](std::size_t i) {
        const Vec3 arm = radius > 0.0 ? Vec3((place(i) - mean) / radius) : Vec3(Vec3::Zero());
        modes[i] << 1, 0, 0, 0, arm.z(), -arm.y(),  //
            0, 1, 0, -arm.z(), 0, arm.x(),          //
            0, 0, 1, arm.y(), -arm.x(), 0;
    });
    return modes;
}

template <int N>
StrengthGraph strength_graph(const BlockRows<N, N>& A, double threshold) {
    const std::size_t rows = at(A.rows);
    std::vector<double> size(rows, 0.0);
    parallel_for(rows, [&](std::size_t i) {
        for (std::size_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
            if (at(A.column[k]) == i) size[i] = A.value[k].norm();
        }
    });
    std::vector<double> ratio(A.value.size(), 0.0);
    parallel_for(rows, [&](std::size_t i) {
        for (std::size_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
            const double scale = std::sqrt(size[i] * size[at(A.column[k])]);
            if (at(A.column[k]) != i && scale > 0.0) ratio[k] = A.value[k].norm() / scale;
        }
    });
    StrengthGraph graph;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
            if (!(ratio[k] > threshold)) continue;
            graph.column.push_back(A.column[k]);
            graph.strength.push_back(ratio[k]);
        }
        graph.begin.push_back(graph.column.size());
    }
    return graph;
}

template <int N>
BlockRows<N, 6> tentative_prolongation(const Modes<N>& modes, const Aggregates& aggregates, Modes<6>& coarse_modes) {
    const std::size_t rows = modes.size(), count = at(aggregates.count);
    BlockRows<N, 6> T;
    T.rows = static_cast<Index>(rows);
    T.columns = aggregates.count;
    T.begin.assign(rows + 1, 0);
    std::vector<std::vector<std::size_t>> members(count);
    for (std::size_t i = 0; i < rows; ++i) {
        const Index own = aggregates.of_node[i];
        T.begin[i + 1] = T.begin[i] + (own >= 0 ? 1 : 0);
        if (own < 0) continue;
        T.column.push_back(own);
        members[at(own)].push_back(i);
    }
    T.value.resize(T.column.size());
    coarse_modes.resize(count);
    parallel_for(count, [&](std::size_t a) {
        Eigen::Matrix<double, Eigen::Dynamic, 6> columns(N * static_cast<Eigen::Index>(members[a].size()), 6);
        for (std::size_t m = 0; m < members[a].size(); ++m)
            columns.template middleRows<N>(N * static_cast<Eigen::Index>(m)) = modes[members[a][m]];
        coarse_modes[a] = orthonormalize(columns);
        for (std::size_t m = 0; m < members[a].size(); ++m)
            T.value[T.begin[members[a][m]]] = columns.template middleRows<N>(N * static_cast<Eigen::Index>(m));
    });
    return T;
}

template <int N>
BlockRows<N, 6> smoothed_prolongation(const BlockRows<N, N>& A,
                                      const std::vector<Eigen::Matrix<double, N, N>>& inverse_diagonal, double omega,
                                      const BlockRows<N, 6>& T) {
    BlockRows<N, 6> P = product(A, T);
    parallel_for(at(P.rows), [&](std::size_t i) {
        for (std::size_t k = P.begin[i]; k < P.begin[i + 1]; ++k) {
            const typename BlockRows<N, 6>::Block correction = -omega * (inverse_diagonal[i] * P.value[k]);
            P.value[k] = correction;
            if (T.begin[i] < T.begin[i + 1] && T.column[T.begin[i]] == P.column[k]) P.value[k] += T.value[T.begin[i]];
        }
    });
    return P;
}

template StrengthGraph strength_graph(const BlockRows<3, 3>&, double);
template StrengthGraph strength_graph(const BlockRows<6, 6>&, double);
template BlockRows<3, 6> tentative_prolongation(const Modes<3>&, const Aggregates&, Modes<6>&);
template BlockRows<6, 6> tentative_prolongation(const Modes<6>&, const Aggregates&, Modes<6>&);
template BlockRows<3, 6> smoothed_prolongation(const BlockRows<3, 3>&, const std::vector<Mat3>&, double,
                                               const BlockRows<3, 6>&);
template BlockRows<6, 6> smoothed_prolongation(const BlockRows<6, 6>&, const std::vector<Eigen::Matrix<double, 6, 6>>&,
                                               double, const BlockRows<6, 6>&);

}  // namespace stiction

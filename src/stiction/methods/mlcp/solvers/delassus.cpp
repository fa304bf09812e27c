#include "stiction/methods/mlcp/solvers/delassus.hpp"

#include <algorithm>
#include <numeric>

namespace stiction::mlcp {
namespace {

/// Connected component of A of every node, as the number of one of its nodes. Every node of a rigid body is a
/// component.
std::vector<std::size_t> connected_components(const VelocityMatrix& matrix) {
    std::vector<std::size_t> parent(static_cast<std::size_t>(matrix.nodes()));
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    if (matrix.elastic != nullptr) {
        const BlockPattern& pattern = *matrix.elastic->pattern();
        for (Index column = 0; column < pattern.nodes; ++column) {
            for (Index slot = pattern.column_begin[static_cast<std::size_t>(column)];
                 slot < pattern.column_begin[static_cast<std::size_t>(column) + 1]; ++slot) {
                parent[root(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(slot)]))] =
                    root(static_cast<std::size_t>(column));
            }
        }
        const bool joined =
            matrix.rank_one != nullptr && matrix.rank_one->terms() > 0;  // they may couple any of the nodes
        for (std::size_t i = 1; joined && i < static_cast<std::size_t>(pattern.nodes); ++i) parent[root(i)] = root(0);
    }
    std::vector<std::size_t> part(parent.size());
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = root(i);
    return part;
}

}  // namespace

DelassusOperator::DelassusOperator(const VelocityMatrix& matrix, std::span<const ContactConstraint> contacts,
                                   const Preconditioner::Solve& solve)
    : contacts_(contacts), places_(contacts.size()) {
    const std::vector<std::size_t> component_of = connected_components(matrix);
    part_of_.assign(component_of.size(), component_of.size());
    std::vector<std::size_t> number(component_of.size(), component_of.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        for (const Index touched : contacts[k].nodes) {
            const auto node = static_cast<std::size_t>(touched);
            std::size_t& part = number[component_of[node]];
            if (part == component_of.size()) {
                part = parts_.size();
                parts_.emplace_back();
            }
            part_of_[node] = part;
            std::vector<Index>& touching = parts_[part].contacts;
            if (!touching.empty() && touching.back() == static_cast<Index>(k)) continue;
            places_[k].push_back({part, 3 * static_cast<Eigen::Index>(touching.size())});
            touching.push_back(static_cast<Index>(k));
        }
    }
    std::size_t most = 0;
    for (Part& part : parts_) {
        const auto size = 3 * static_cast<Eigen::Index>(part.contacts.size());
        part.W.setZero(size, size);
        part.f.setZero(size);
        most = std::max(most, part.contacts.size());
    }
    for (std::size_t turn = 0; turn < most; ++turn) {
        for (int row = 0; row < 3; ++row) fill_columns(turn, row, 3 * static_cast<Eigen::Index>(matrix.nodes()), solve);
    }
}

template <class Visit>
void DelassusOperator::for_each_block(std::size_t part, std::size_t contact, const Visit& visit) const {
    const ContactConstraint& constraint = contacts_[contact];
    for (std::size_t i = 0; i < constraint.node_count(); ++i) {
        const Index node = constraint.nodes[i];
        if (part_of_[static_cast<std::size_t>(node)] == part)
            visit(3 * static_cast<Eigen::Index>(node), constraint.jacobian[i]);
    }
}

/// One solve: the column of every component that belongs to a row of its contact number `turn`.
void DelassusOperator::fill_columns(std::size_t turn, int row, Eigen::Index size, const Preconditioner::Solve& solve) {
    VecX rhs = VecX::Zero(size), x;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (turn >= parts_[p].contacts.size()) continue;
        const auto contact = static_cast<std::size_t>(parts_[p].contacts[turn]);
        for_each_block(p, contact, [&](Eigen::Index at, const Mat3& jacobian) {
            rhs.segment<3>(at) += jacobian.row(row).transpose();
        });
    }
    solve(rhs, x);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        Part& part = parts_[p];
        if (turn >= part.contacts.size()) continue;
        for (std::size_t l = 0; l < part.contacts.size(); ++l) {
            Vec3 u = Vec3::Zero();
            for_each_block(p, static_cast<std::size_t>(part.contacts[l]),
                           [&](Eigen::Index at, const Mat3& jacobian) { u += jacobian * x.segment<3>(at); });
            part.W.block<3, 1>(3 * static_cast<Eigen::Index>(l), 3 * static_cast<Eigen::Index>(turn) + row) = u;
        }
    }
}

Mat3 DelassusOperator::diagonal(std::size_t contact) const {
    Mat3 sum = Mat3::Zero();
    for (const Place& place : places_[contact]) sum += parts_[place.part].W.block<3, 3>(place.row, place.row);
    return 0.5 * (sum + sum.transpose());
}

Vec3 DelassusOperator::motion(std::size_t contact) const {
    Vec3 u = Vec3::Zero();
    for (const Place& place : places_[contact])
        u += parts_[place.part].W.middleRows<3>(place.row) * parts_[place.part].f;
    return u;
}

void DelassusOperator::set(std::size_t contact, const Vec3& force) {
    for (const Place& place : places_[contact]) parts_[place.part].f.segment<3>(place.row) = force;
}

}  // namespace stiction::mlcp

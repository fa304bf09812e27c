// Attachments and cables as rows of the contact solver.
#pragma once

#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/global_system.hpp"

namespace stiction::local_global {

/// A point that moves with up to four vertices: sum of weights times positions.
struct WeightedPoint {
    std::array<Index, 4> vertices{-1, -1, -1, -1};
    std::array<double, 4> weights{};  ///< add up to 1

    Vec3 at(const VecX& x) const;
};

/// A point that is at `position` (m) in the world's initial positions and moves with the body's nearest tet; of bodies
/// without tets, the place in the plane of the nearest triangle.
WeightedPoint embedded_point(const World& world, const Body& body, const Vec3& position);

/// Attachments and cables of a world: three rows a held vertex, one one-sided row a cable.
class BilateralConstraints {
public:
    /// Throws InputError, without a file, for names that are no body, attachments without vertices, and cables without
    /// length or with times that do not rise.
    BilateralConstraints(const World& world, const Options& options);

    /// Adds the rows of a step that ends at time t, and the forces (N) of the last one, to those of contacts.
    /// @param guess  of the end's positions: cables are linear about it
    void fill(const GlobalSystem& system, const VecX& guess, const VecX& target, double t,
              const std::string& warm_start, ContactRows& rows, std::vector<double>& lambda);
    /// Forces of the rows that fill() added, which stand from `first` on, as bytes for the next step.
    void warm_start(const std::vector<double>& forces, std::size_t first, std::string& bytes) const;
    bool empty() const { return held_.empty() && cables_.empty(); }
    /// (vertex, body) of every vertex that a body holds.
    std::vector<std::array<Index, 2>> held_to_bodies() const;

private:
    struct Held {
        Index vertex;
        Index body;        ///< that holds it; -1: none
        WeightedPoint to;  ///< vertices all -1: `place`
        double offset;     ///< m: of the place from its triangle's plane, along the normal; 0 of tets
        Vec3 place;        ///< m
        double compliance;
    };
    struct String {
        std::vector<WeightedPoint> points;
        std::vector<std::array<double, 2>> length;
        double rest;  ///< m, at t = 0
        double compliance;

        double length_at(double t) const;
    };
    struct Column {
        std::vector<Index> unknowns;
        std::vector<double> weights;
        Vec3 driven = Vec3::Zero();

        void clear();
    };
    std::size_t attachment_rows() const;
    void add_to(Column& column, const WeightedPoint& point, double sign, const GlobalSystem& system,
                const VecX& target) const;

    std::vector<Held> held_;
    std::vector<String> cables_;
    std::vector<Index> row_of_cable_;  ///< among the rows of the last fill(); -1: all driven
    Index rows_filled_ = 0;
    Column column_;  ///< here for their memory, like what follows
    std::vector<Index> columns_;
    std::vector<Vec3> directions_;
    std::vector<double> last_;
};

}  // namespace stiction::local_global

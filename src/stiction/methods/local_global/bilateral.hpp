// Attachments and cables as rows of the contact solver.
#pragma once

#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/weighted_column.hpp"

namespace stiction::local_global {

/// A point that moves with up to four vertices: sum of weights times positions.
struct WeightedPoint {
    std::array<Index, 4> vertices{-1, -1, -1, -1};
    std::array<double, 4> weights{};  ///< add up to 1

    /// Position at x (m).
    Vec3 at(const VecX& x) const;
};

/// The point that is at `position` (m) at t = 0 and moves with the nearest tet of the body. For a body of triangles:
/// its projection to the plane of the nearest triangle. Of a rigid body: the point that moves with its frame.
WeightedPoint embedded_point(const World& world, const Body& body, const Vec3& position);

/// Attachments and cables of a world: three rows for an attached vertex, one one-sided row for a cable.
class BilateralConstraints {
public:
    /// Throws InputError, without a file, for unknown bodies, attachments without vertices, and cables without length
    /// or with times that do not rise.
    BilateralConstraints(const World& world, const Options& options);

    /// Appends the rows of a step that ends at time t (s), and their forces (N) of the last step.
    /// @param guess       first guess of the end of the step (m): cables are linear about it
    /// @param warm_start  bytes that warm_start() wrote in the last step
    void fill(const GlobalSystem& system, const VecX& guess, const VecX& target, double t,
              const std::string& warm_start, ContactRows& rows, std::vector<double>& lambda);
    /// Forces of the rows that fill() appended, as bytes for the next step.
    /// @param first  the first of them in `forces`
    void warm_start(const std::vector<double>& forces, std::size_t first, std::string& bytes) const;
    bool empty() const { return held_.empty() && cables_.empty(); }
    /// (vertex, body) of every vertex that is attached to a body.
    std::vector<std::array<Index, 2>> held_to_bodies() const;

private:
    struct Held {
        Index vertex;
        Index body;         ///< that holds it; -1: none
        WeightedPoint to;   ///< the point of that body; vertices all -1: `place`
        double offset;      ///< m: of the vertex from the plane of its triangle, along the normal; 0 for tets
        Vec3 place;         ///< at t = 0 (m)
        double compliance;  ///< m/N
    };
    struct String {
        std::vector<WeightedPoint> points;
        std::vector<std::array<double, 2>> length;
        double rest;        ///< length at t = 0 (m)
        double compliance;  ///< m/N

        double length_at(double t) const;  ///< m
    };
    void add_attachment(const World& world, const Attachment& attachment, const std::string& field);
    void add_cable(const World& world, const Cable& cable, const std::string& field);
    void fill_attachments(const GlobalSystem& system, const VecX& guess, const VecX& target, ContactRows& rows);
    void fill_cables(const GlobalSystem& system, const VecX& guess, const VecX& target, double t, ContactRows& rows);
    void fill_forces(const std::string& warm_start, std::vector<double>& lambda);
    std::size_t attachment_rows() const;
    void add_to_column(const WeightedPoint& point, double sign, const GlobalSystem& system, const VecX& target);

    std::vector<Held> held_;
    std::vector<String> cables_;
    std::vector<Index> row_of_cable_;  ///< among the rows of the last fill(); -1: all its points are driven
    Index rows_filled_ = 0;
    WeightedColumn column_;  ///< scratch, like the lists below
    std::vector<Index> columns_;
    std::vector<Vec3> directions_;
    std::vector<double> last_;
};

}  // namespace stiction::local_global

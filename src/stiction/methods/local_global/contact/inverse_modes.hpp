// What the constant matrix A cannot hold, as corrections of its inverse: rigid bodies, fillings, coordinates that are
// driven alone.
#pragma once

#include "stiction/methods/local_global/contact/contact_rows.hpp"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace stiction::local_global {

/// A acts on each coordinate alike, so it cannot tell a rotation from a stretch, or one axis from another; and it is
/// sparse, so it has no pressure. In their presence A^-1 - Y Y^T stands for A^-1. The columns of Y are *modes*.
///
/// - A rigid body is an affine one in A. Its twelve coordinates are the positions of four unknowns, which share entries
///   with each other only. Its modes are six deformations: a basis, with Y^T A Y = 1, of what is A-orthogonal to the
///   rigid motions T at its present pose. T (T^T A T)^-1 T^T is left of A^-1, with the mass matrix of its six
///   velocities.
/// - A filling adds k a a^T to A: a is the gradient of its volume, k its stiffness. It has one
///   mode (Sherman, Morrison).
/// - Driven coordinates of vertices that are free along other axes do not move. Their modes are A^-1 E L^-T with unit
///   vectors E and E^T A^-1 E = L L^T.
struct InverseModes {
    struct RigidModes {
        using Basis = Eigen::Matrix<double, 12, 6>;
        std::array<Index, 4> unknowns{};
        Basis deformations = Basis::Zero();  ///< Y
        Basis scaled = Basis::Zero();        ///< A Y
    };
    struct Filling {
        VecX response;                ///< y, n x 3
        std::vector<Index> unknowns;  ///< of the region
        std::vector<Vec3> weights;    ///< c there, with y . b = c . d where d is what the modes before leave of A^-1 b

        /// c . d for a move d of all unknowns.
        double part_of(const double* d) const;
    };
    /// Along one axis.
    struct DrivenCoordinates {
        std::vector<Index> unknowns;
        Eigen::MatrixXd response;  ///< Y, one row an unknown of A
        Eigen::MatrixXd lower;     ///< L
    };

    std::vector<RigidModes> rigid;
    std::vector<Index> rigid_of_unknown;  ///< -1: of no rigid body; empty where there is none
    std::vector<Filling> fillings;
    const std::array<DrivenCoordinates, 3>* driven = nullptr;  ///< null: none; else one an axis

    bool empty() const { return rigid.empty() && fillings.empty() && driven == nullptr; }
    /// What of a move d = A^-1 b of all unknowns (n x 3) is left: d - Y Y^T b.
    void project(double* d) const;
};

/// The modes in the rows H of a contact problem: Z = H Y. A product with W has Z Z^T subtracted. Keeps its memory.
class ModeRows {
public:
    /// One number a mode.
    using Sums = std::vector<double>;

    /// @param modes  null or empty: nothing is subtracted
    void set(const ContactRows& rows, const InverseModes* modes);
    bool empty() const { return terms_.empty(); }
    /// Whether row j moves a rigid body.
    bool moves_rigid(std::size_t j) const {
        return !empty() && start_[j + 1] > start_[j] && terms_[start_[j]].mode < rigid_modes_;
    }

    /// Whether every unknown of row j has a driven coordinate.
    bool all_driven(std::size_t j) const { return all_driven_[j] != 0; }

    /// out -= Z Z^T z, one number a row.
    void subtract(const double* z, double* out);
    /// sums = Z^T z; its size is set.
    void sums_of(const double* z, Sums& sums) const;
    /// Row j of Z times sums.
    double value(std::size_t j, const Sums& sums) const;
    /// sums += change times row j of Z.
    void add(std::size_t j, double change, Sums& sums) const;
    /// Row i times row j of Z.
    double product(std::size_t i, std::size_t j) const;

private:
    /// Entries of a row for modes that follow each other, from values_[values] on.
    struct Term {
        std::size_t mode, count, values;
    };
    void add_column(const ContactRows& rows, const InverseModes& modes, std::size_t column, const Vec3& direction);
    template <class Values>
    void add_term(std::size_t mode, double scale, const Values& values);
    void mark_driven(const InverseModes& modes);
    void end_row() { start_.push_back(terms_.size()); }
    Eigen::Map<const VecX> of(const Term& term) const {
        return {values_.data() + term.values, static_cast<Eigen::Index>(term.count)};
    }

    std::size_t rigid_modes_ = 0, modes_ = 0;
    std::vector<std::size_t> start_;  ///< of terms_, one more than rows; those of a row ascend in their modes
    std::vector<Term> terms_;
    std::vector<char> all_driven_, has_driven_;  ///< of each row; of each unknown
    std::vector<double> values_;
    Sums sums_;
};

}  // namespace stiction::local_global

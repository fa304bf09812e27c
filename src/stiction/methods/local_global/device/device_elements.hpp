// The objective of a step on a device: elements, hinges and quadratic terms.
#pragma once

#include "stiction/fem/hinge_angle.hpp"
#include "stiction/materials/extrapolated.hpp"
#include "stiction/methods/local_global/element_bodies.hpp"
#include "stiction/methods/local_global/global_system.hpp"

#include <list>
#include <vector>

namespace stiction::local_global {

/// A configuration and the objective at it, in the memory of a device: Evaluation.
template <class Device>
struct DeviceEvaluation {
    typename Device::template Array<double> x, energy, gradient, quadratic;
};

/// A sparse matrix by rows, in the memory of a device.
template <class Device>
struct DeviceRows {
    typename Device::template Array<std::int64_t> start, column;
    typename Device::template Array<double> value;
    bool empty = true;

    void upload(const ScalarRows& rows) {
        empty = rows.nonZeros() == 0;
        if (empty) return;
        start.upload(rows.outerIndexPtr(), static_cast<std::size_t>(rows.rows()) + 1);
        column.upload(rows.innerIndexPtr(), static_cast<std::size_t>(rows.nonZeros()));
        value.upload(rows.valuePtr(), static_cast<std::size_t>(rows.nonZeros()));
    }
};

/// Objective for a device: the same terms, evaluated where the state lives. The Rayleigh damping of solids is not among
/// them.
template <class Device>
class DeviceElements {
public:
    template <class T>
    using Array = typename Device::template Array<T>;

    DeviceElements(Device& device, const ElementArrays& elements, const Objective& objective)
        : device_(device), objective_(objective) {
        for (std::size_t b = 0; b < elements.tets.size(); ++b)
            tets_.emplace_back(elements.tets[b], elements.first_tet_corner[b]);
        for (std::size_t b = 0; b < elements.triangles.size(); ++b)
            triangles_.emplace_back(elements.triangles[b], elements.first_triangle_corner[b]);
        element_count_ = elements.element_count;
        corner_count_ = elements.corner_count;
        upload_hinges();
        upload_corners(elements);
        bending_.upload(objective.bending());
        consistent_mass_.upload(objective.consistent_mass());
    }

    /// Once a step: the unknowns, and what the quadratic terms are measured from.
    void begin(const GlobalSystem& system) {
        h_ = system.step();
        unknowns_.upload(system.unknowns());
        mass_.upload(system.masses());
        const VecX& damping = objective_.sheet_damping();
        std::vector<double> of_unknowns;
        for (const Index v : system.unknowns()) of_unknowns.push_back(v < damping.size() ? damping[v] : 0.0);
        damping_.upload(of_unknowns);
        upload(objective_.start(), start_);
        upload(objective_.predicted(), predicted_);
        upload(objective_.force(), force_);
    }

    std::size_t unknown_count() const { return unknowns_.size(); }
    const Index* unknowns() const { return unknowns_.data(); }
    /// Elements, then hinges.
    std::size_t energy_count() const { return element_count_ + hinge_count_; }

    /// Computes energies and gradients at evaluation.x.
    void evaluate(DeviceEvaluation<Device>& evaluation) {
        evaluation.energy.resize(energy_count());
        evaluation.gradient.resize(3 * unknown_count());
        evaluation.quadratic.resize(3 * unknown_count());
        corner_force_.resize(3 * (corner_count_ + 4 * hinge_count_));
        for (const TetBlock& block : tets_) local_step(block, evaluation);
        for (const TriangleBlock& block : triangles_) local_step(block, evaluation);
        bend(evaluation);
        add_quadratic(evaluation);
        add_corners(evaluation);
    }

    // Public, as are all members that run bodies: a CUDA compiler asks for it.

    struct Block {
        template <class Arrays>
        Block(const Arrays& arrays, std::size_t first_corner_)
            : first_element(arrays.first_element), first_corner(first_corner_) {
            count = arrays.count;
            corner.upload(arrays.corner);
            rest_inverse.upload(arrays.rest_inverse);
            volume.upload(arrays.volume);
            mu.upload(arrays.mu);
            lambda.upload(arrays.lambda);
        }
        ElementsView view() const { return ElementsView(*this); }
        std::size_t count, first_element, first_corner;
        Array<Index> corner;
        Array<double> rest_inverse, volume, mu, lambda;
    };
    struct TetBlock : Block {
        TetBlock(const TetArrays& arrays, std::size_t first)
            : Block(arrays, first), law(arrays.law), extrapolate_below(arrays.extrapolate_below) {}
        MaterialLaw law;
        double extrapolate_below;
    };
    struct TriangleBlock : Block {
        TriangleBlock(const TriangleArrays& arrays, std::size_t first) : Block(arrays, first), law(arrays.law) {}
        MembraneLaw law;
    };

    template <class Law>
    void run_tets(const Block& block, DeviceEvaluation<Device>& evaluation) {
        const ElementsView tets = block.view();
        const double* x = evaluation.x.data();
        double* energy = evaluation.energy.data() + block.first_element;
        double* force = corner_force_.data() + 3 * block.first_corner;
        device_.for_each(block.count, [=] STICTION_BODY(std::size_t e) {
            const LameParameters lame{tets.mu[e], tets.lambda[e]};
            tet_step(tets, Law::from_lame(lame), e, x, energy, force);
        });
    }
    void run_extrapolated(const TetBlock& block, DeviceEvaluation<Device>& evaluation) {
        const ElementsView tets = block.view();
        const double* x = evaluation.x.data();
        const double ratio = block.extrapolate_below;
        double* energy = evaluation.energy.data() + block.first_element;
        double* force = corner_force_.data() + 3 * block.first_corner;
        device_.for_each(block.count, [=] STICTION_BODY(std::size_t e) {
            const LameParameters lame{tets.mu[e], tets.lambda[e]};
            tet_step(tets, Extrapolated<NeoHookean>::from_lame(lame, ratio), e, x, energy, force);
        });
    }
    template <class Law>
    void run_triangles(const Block& block, DeviceEvaluation<Device>& evaluation) {
        const ElementsView triangles = block.view();
        const double* x = evaluation.x.data();
        double* energy = evaluation.energy.data() + block.first_element;
        double* force = corner_force_.data() + 3 * block.first_corner;
        device_.for_each(block.count, [=] STICTION_BODY(std::size_t e) {
            const LameParameters lame{triangles.mu[e], triangles.lambda[e]};
            triangle_step(triangles, Law::from_lame(lame), e, x, energy, force);
        });
    }

    void local_step(const TetBlock& block, DeviceEvaluation<Device>& evaluation) {
        if (block.extrapolate_below > 0.0) return run_extrapolated(block, evaluation);
        switch (block.law) {
            case MaterialLaw::neo_hookean: return run_tets<NeoHookean<double>>(block, evaluation);
            case MaterialLaw::stable_neo_hookean: return run_tets<StableNeoHookean<double>>(block, evaluation);
            case MaterialLaw::fixed_corotated: return run_tets<FixedCorotated<double>>(block, evaluation);
            case MaterialLaw::arap: return run_tets<Arap<double>>(block, evaluation);
            case MaterialLaw::saint_venant_kirchhoff: return run_tets<SaintVenantKirchhoff<double>>(block, evaluation);
            case MaterialLaw::linear:
            case MaterialLaw::sum: break;
        }
        throw InternalError("a law that does not run on a device");
    }
    void local_step(const TriangleBlock& block, DeviceEvaluation<Device>& evaluation) {
        switch (block.law) {
            case MembraneLaw::neo_hookean: return run_triangles<MembraneNeoHookean<double>>(block, evaluation);
            case MembraneLaw::saint_venant_kirchhoff:
                return run_triangles<MembraneSaintVenantKirchhoff<double>>(block, evaluation);
            case MembraneLaw::fixed_corotated: return run_triangles<MembraneFixedCorotated<double>>(block, evaluation);
            case MembraneLaw::arap: return run_triangles<MembraneArap<double>>(block, evaluation);
        }
        throw InternalError("a law that does not run on a device");
    }

    void bend(DeviceEvaluation<Device>& evaluation) {
        const std::size_t count = hinge_count_;
        const Index* vertices = hinge_vertices_.data();
        const double *angle = hinge_angle_.data(), *stiffness = hinge_stiffness_.data(), *x = evaluation.x.data();
        double* energy = evaluation.energy.data() + element_count_;
        double* force = corner_force_.data() + 3 * corner_count_;
        device_.for_each(count, [=] STICTION_BODY(std::size_t h) {
            const Vec3 x0 = position(x, vertices[h]), x1 = position(x, vertices[count + h]),
                       x2 = position(x, vertices[2 * count + h]), x3 = position(x, vertices[3 * count + h]);
            energy[h] = hinge_energy(x0, x1, x2, x3, angle[h], stiffness[h]);
            const Vec12 gradient = hinge_gradient(x0, x1, x2, x3, angle[h], stiffness[h]);
            for (std::size_t c = 0; c < 4; ++c)
                Eigen::Map<Vec3>(force + 3 * (c * count + h)) = gradient.segment<3>(3 * static_cast<int>(c));
        });
    }

    /// Gradient of the quadratic terms, over the unknowns.
    void add_quadratic(DeviceEvaluation<Device>& evaluation) {
        const double h = h_;
        const Index* unknowns = unknowns_.data();
        const double *x = evaluation.x.data(), *start = start_.data(), *predicted = predicted_.data(),
                     *force = force_.data(), *mass = mass_.data(), *damping = damping_.data();
        const bool lumped = consistent_mass_.empty, bends = !bending_.empty;
        const std::int64_t *mass_start = consistent_mass_.start.data(), *mass_column = consistent_mass_.column.data(),
                           *bend_start = bending_.start.data(), *bend_column = bending_.column.data();
        const double *mass_value = consistent_mass_.value.data(), *bend_value = bending_.value.data();
        double* out = evaluation.quadratic.data();
        device_.for_each(unknown_count(), [=] STICTION_BODY(std::size_t i) {
            const Index v = unknowns[i];
            const Vec3 here = position(x, v);
            Vec3 sum = -h * h * position(force, v);
            if (lumped) {
                sum += mass[i] * (here - position(predicted, v));
            } else {
                for (std::int64_t k = mass_start[v]; k < mass_start[v + 1]; ++k) {
                    const auto other = static_cast<Index>(mass_column[k]);
                    sum += mass_value[k] * (position(x, other) - position(predicted, other));
                }
            }
            // Rows of B sum to zero. Differences of positions keep the digits far from the origin.
            if (bends) {
                for (std::int64_t k = bend_start[v]; k < bend_start[v + 1]; ++k)
                    sum += h * h * bend_value[k] * (position(x, static_cast<Index>(bend_column[k])) - here);
            }
            sum += h * damping[i] * (here - position(start, v));
            Eigen::Map<Vec3>(out + 3 * i) = sum;
        });
    }

    /// gradient = quadratic + h^2 times the forces of all corners of a vertex, in fixed order.
    void add_corners(DeviceEvaluation<Device>& evaluation) {
        const double scale = h_ * h_;
        const Index* unknowns = unknowns_.data();
        const std::size_t *begin = vertex_begin_.data(), *corner = vertex_corner_.data();
        const double *force = corner_force_.data(), *quadratic = evaluation.quadratic.data();
        double* gradient = evaluation.gradient.data();
        device_.for_each(unknown_count(), [=] STICTION_BODY(std::size_t i) {
            const auto v = static_cast<std::size_t>(unknowns[i]);
            Vec3 sum = Vec3::Zero();
            for (std::size_t k = begin[v]; k < begin[v + 1]; ++k) sum += Eigen::Map<const Vec3>(force + 3 * corner[k]);
            Eigen::Map<Vec3>(gradient + 3 * i) = Eigen::Map<const Vec3>(quadratic + 3 * i) + scale * sum;
        });
    }

private:
    static void upload(const VecX& from, Array<double>& to) {
        to.upload(from.data(), static_cast<std::size_t>(from.size()));
    }

    void upload_hinges() {
        const HingeBending all = objective_.hinges();
        hinge_count_ = all.size();
        std::vector<Index> vertices(4 * hinge_count_);
        for (std::size_t h = 0; h < hinge_count_; ++h) {
            for (std::size_t c = 0; c < 4; ++c) vertices[c * hinge_count_ + h] = all.vertices[h][c];
        }
        hinge_vertices_.upload(vertices);
        hinge_angle_.upload(all.rest_angle);
        hinge_stiffness_.upload(all.stiffness);
        hinge_corners_ = std::move(vertices);
    }

    /// The corners of each vertex: those of elements, then those of hinges.
    void upload_corners(const ElementArrays& elements) {
        const std::size_t vertices = elements.vertex_begin.size() - 1;
        std::vector<std::size_t> begin(vertices + 1, 0), corners;
        for (const Index v : hinge_corners_) ++begin[at(v) + 1];
        for (std::size_t v = 0; v < vertices; ++v)
            begin[v + 1] += begin[v] + elements.vertex_begin[v + 1] - elements.vertex_begin[v];
        corners.resize(begin[vertices]);
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t v = 0; v < vertices; ++v) {
            for (std::size_t k = elements.vertex_begin[v]; k < elements.vertex_begin[v + 1]; ++k)
                corners[next[v]++] = elements.vertex_corner[k];
        }
        for (std::size_t k = 0; k < hinge_corners_.size(); ++k)
            corners[next[at(hinge_corners_[k])]++] = corner_count_ + k;
        vertex_begin_.upload(begin);
        vertex_corner_.upload(corners);
    }

    Device& device_;
    const Objective& objective_;
    std::list<TetBlock> tets_;
    std::list<TriangleBlock> triangles_;
    std::size_t element_count_ = 0, corner_count_ = 0, hinge_count_ = 0;
    std::vector<Index> hinge_corners_;
    Array<Index> hinge_vertices_, unknowns_;
    Array<double> hinge_angle_, hinge_stiffness_, mass_, damping_, start_, predicted_, force_, corner_force_;
    Array<std::size_t> vertex_begin_, vertex_corner_;
    DeviceRows<Device> bending_, consistent_mass_;
    double h_ = 0.0;
};

}  // namespace stiction::local_global

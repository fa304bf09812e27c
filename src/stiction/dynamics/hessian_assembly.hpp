// The linear system of a solve: elements and contacts assembled through the DofMap into one block matrix.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/contact/contact_set.hpp"
#include "stiction/dynamics/element_orders.hpp"
#include "stiction/dynamics/newton_system.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/world/dof_map.hpp"
#include "stiction/world/world.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stiction {

/// Owns the block system. The pattern is that of the elements plus a superset of the contacts: it is extended only when
/// a stencil falls outside, so the symbolic factorisation survives contact changes. At the start of a step it is
/// rebuilt, so that a result never depends on earlier steps. A solve begins with the elimination order of the elements
/// alone and keeps it until it loses too much (KeptOrder); a part of the scene begins with none.
class HessianAssembly {
public:
    using Stencil = std::array<Index, 4>;  ///< global vertex ids, -1 = unused

    explicit HessianAssembly(const World& world) : world_(world) {
        newton_.set_order([this] { keep_order(); });
    }
    HessianAssembly(const HessianAssembly&) = delete;  // the order is asked of this object
    HessianAssembly& operator=(const HessianAssembly&) = delete;

    /// Starts a solve with these unknowns and no stencils beyond the elements.
    /// @param is_part  unknowns that hardly come again: no elimination order is made of the elements alone
    void begin(const DofMap& map, bool is_part = false);
    const DofMap& map() const { return *map_; }

    /// NewtonSystem::choose() for these unknowns. The entries of a factor of the elements are counted once for each set
    /// of driven coordinates. Call it after begin().
    void choose(SystemSolver wanted, int max_cg_iterations = 500);
    /// Positions of the vertices (m), for NewtonSystem::set_positions() where that is used.
    void set_positions(const VecX& x);

    /// Whether an unknown moves one of the first `count` vertices.
    bool moves(const Stencil& vertices, int count) const;
    /// Whether every pair of unknowns of the stencil has a block.
    bool covers(const Stencil& stencil) const;
    /// Makes room for stencils beside those already there.
    void extend(const std::vector<Stencil>& stencils);

    /// Starts the symbolic factorisation that a new pattern needs beside the assembly to come.
    void analyze_ahead();
    void set_zero() {
        newton_.sparse().set_zero();
        newton_.rank_one().clear();
    }
    void add_mass(double scale = 1.0);
    /// scale * hessians[e] for every element of a group; elastic groups are counted first, then those of sheets, then
    /// fillings.
    void add_elements(std::size_t group, const std::vector<Mat12>& hessians, double scale);
    /// The same for Hessians that `fill` computes, a part of the elements at a time.
    void add_elements(std::size_t group, const ElementScatter::Fill& fill, double scale);
    /// Both for quadratic tets, whose groups are counted by themselves.
    void add_elements(std::size_t group, const std::vector<Mat30>& hessians, double scale);
    void add_elements(std::size_t group, const NodeScatter<10>::Fill& fill, double scale);
    /// Adds c u u^T, c >= 0, u stacked over the vertices: kept beside the sparse matrix, and exact in solve() and
    /// refine().
    void add_rank_one(double c, const VecX& vertex_vector);
    /// A stencil's Hessian; only the first `count` vertices are used.
    void add_stencil(const Stencil& vertices, int count, const Mat12& hessian) {
        add_stencil(vertices, count, hessian, ColumnShare{});
    }
    /// The same for many, each block summed in their order by one thread. stencil(i): vertices and count of the one
    /// that hessians[i] is of; count 0 leaves it out.
    template <class StencilOf>
    void add_stencils(const std::vector<Mat12>& hessians, const StencilOf& stencil) {
        const auto shares = hessians.size() < min_shared_stencils ? Index{1} : static_cast<Index>(thread_count());
        parallel_tasks(at(shares), [&](std::size_t share) {
            for (std::size_t i = 0; i < hessians.size(); ++i) {
                const auto& [vertices, count] = stencil(i);
                add_stencil(vertices, count, hessians[i], ColumnShare{static_cast<Index>(share), shares});
            }
        });
    }
    /// The same for `count` stencils whose Hessians are not there yet: all at once they would take 1152 bytes each.
    /// hessian(i) is that of stencil i; it is asked for on several threads, and not of stencils that are left out.
    template <class HessianOf, class StencilOf>
    void add_stencils(std::size_t count, const HessianOf& hessian, const StencilOf& stencil) {
        std::vector<Mat12> part;
        for (std::size_t first = 0; first < count; first += part.size()) {
            part.resize(std::min(stencils_at_once, count - first));
            parallel_for(part.size(), [&](std::size_t i) {
                if (stencil(first + i).second > 0) part[i] = hessian(first + i);
            });
            add_stencils(part, [&](std::size_t i) { return stencil(first + i); });
        }
    }
    /// Calls add(row node, column node, block) for every block of a stencil's matrix, symmetric or not, spread over the
    /// nodes with prescribed coordinates left out: what a system that is not symmetric is filled with. Only the first
    /// `count` vertices are used.
    template <class Add>
    void for_each_block(const Stencil& vertices, int count, const Mat12& matrix, const Add& add) const {
        for (int a = 0; a < count; ++a) {
            for (int b = 0; b < count; ++b) {
                spread(vertices[static_cast<std::size_t>(a)], vertices[static_cast<std::size_t>(b)],
                       matrix.block<3, 3>(3 * a, 3 * b), add);
            }
        }
    }
    /// The same for one block, rows of vertex a and columns of vertex b: for stencils of any size.
    template <class Add>
    void for_each_block(Index a, Index b, const Mat3& block, const Add& add) const {
        spread(a, b, block, add);
    }
    /// Adds one block of a symmetric matrix; with a != b it stands for its transpose at (b, a) as well.
    void add_block(Index a, Index b, const Mat3& block) { spread_symmetric(a, b, block, ColumnShare{}); }
    /// How stiff the matrix so far holds each vertex if no other moves (kg): a third of the trace of its block.
    /// Infinite where a vertex has no unknowns.
    std::vector<double> vertex_stiffness() const;
    /// diag(value) at a vertex.
    void add_diagonal(Index vertex, const Vec3& value);
    /// Puts 1 on prescribed coordinates of partly driven nodes; call after the last add.
    void finish();
    /// Adds `shift` times the mass to the diagonal.
    void add_shift(double shift);

    /// NewtonSystem::solve() of A step = -gradient for stacked vertex vectors; false also where the step is not finite.
    bool solve(const VecX& vertex_gradient, VecX& vertex_step);
    /// NewtonSystem::refine() of the step of the last solve(), of the same gradient. A direction of descent in any
    /// case.
    void refine(const VecX& vertex_gradient, VecX& vertex_step);
    /// The matrix in the unknowns, and its solver.
    NewtonSystem& newton() { return newton_; }
    const NewtonSystem& newton() const { return newton_; }
    /// The sparse part of the matrix.
    const BlockSystem& system() const { return newton_.sparse(); }

private:
    /// Below the first, threads cost more than they save; the second is how many Hessians there are at one time.
    static constexpr std::size_t min_shared_stencils = 256, stencils_at_once = 1024;
    /// A part of the columns: groups of them go to the shares in turn.
    struct ColumnShare {
        Index share = 0, shares = 1;
        bool owns(Index column) const { return shares == 1 || (column / 64) % shares == share; }
    };

    /// Before a factorisation: the first one of a solve begins with the order of the elements.
    void keep_order();
    void rebuild();
    /// visit(pair) for the pairs of unknowns of the stencil that have no block, smaller node first.
    template <class Visit>
    void visit_missing(const Stencil& stencil, const Visit& visit) const;
    /// Vertices of the elements of each group but those of quadratic tets, -1 = unused.
    std::vector<const std::vector<Tet>*> element_stencils() const;
    /// Zeroes rows and columns of prescribed coordinates of an element, whose vertices hang on no others.
    template <std::size_t N, class ElementMatrix>
    void mask(const std::array<Index, N>& vertices, ElementMatrix& hessian) const;
    /// The two add_elements() of either order. `stencils`: vertices of the elements.
    template <std::size_t N, class Scatter, class ElementMatrix>
    void scatter_all(const Scatter& scatter, const std::vector<std::array<Index, N>>& stencils,
                     const std::vector<ElementMatrix>& hessians, double scale);
    template <std::size_t N, class Scatter, class ElementMatrix>
    void scatter_parts(const Scatter& scatter, const std::vector<std::array<Index, N>>& stencils,
                       const typename Scatter::Fill& fill, double scale, std::vector<ElementMatrix>& scratch);
    /// What a block of two vertices is for two of their nodes. Nodes are masked, not vertices: one that hangs on a
    /// partly driven vertex is itself not driven.
    Mat3 weighted(const DofMap::Entry& left, const DofMap::Entry& right, const Mat3& block) const {
        Mat3 result = left.weight * right.weight * block;
        if (map_->any_masked()) map_->mask(left.node, right.node, result);
        return result;
    }
    /// A block of two vertices, over their nodes.
    template <class Add>
    void spread(Index a, Index b, const Mat3& block, const Add& add) const {
        for (const auto& left : map_->entries(a)) {
            for (const auto& right : map_->entries(b)) add(left.node, right.node, weighted(left, right, block));
        }
    }
    /// A block of a symmetric matrix, over the nodes: what falls into the share.
    void spread_symmetric(Index a, Index b, const Mat3& block, ColumnShare share);
    void add_stencil(const Stencil& vertices, int count, const Mat12& hessian, ColumnShare share);

    const World& world_;
    std::optional<DofMap> map_;
    NewtonSystem newton_;
    std::shared_ptr<const BlockPattern> element_pattern_;
    std::vector<Edge> contact_pairs_;  ///< beyond the elements, each once
    ElementOrders element_orders_;
    bool is_part_ = false, has_first_order_ = false;  ///< of the present solve
    std::vector<ElementScatter> scatters_;
    std::vector<NodeScatter<10>> quadratic_scatters_;
    std::vector<Mat12> scratch_;
    std::vector<Mat30> quadratic_scratch_;
    VecX node_gradient_, node_step_;
};

}  // namespace stiction

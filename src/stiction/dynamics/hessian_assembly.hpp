// The linear system of a solve: elements and contacts assembled through the DofMap into one block matrix.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/contact/contact_set.hpp"
#include "stiction/dynamics/element_orders.hpp"
#include "stiction/linalg/block_system.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/low_rank_update.hpp"
#include "stiction/linalg/multigrid/multigrid.hpp"
#include "stiction/world/dof_map.hpp"
#include "stiction/world/world.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stiction {

/// How solve() and factorize() work.
enum class SystemSolver {
    automatic,  ///< multigrid where the factor of the elements alone would cost more, else mixed
    direct,     ///< sparse Cholesky
    mixed,      ///< conjugate gradients with a sparse Cholesky factor in single precision; `direct` for few nodes
    multigrid,  ///< conjugate gradients with a Multigrid as preconditioner
};

/// Names of scenes, in the order of the enumerators; `auto` is the first.
const std::vector<std::string>& system_solver_names();
/// Throws InternalError for any other name.
SystemSolver system_solver_from_name(const std::string& name);

/// Owns the block system. The pattern is that of the elements plus a superset of the contacts: it is extended only when
/// a stencil falls outside, so the symbolic factorisation survives contact changes. At the start of a step it is
/// rebuilt, so that a result never depends on earlier steps. A solve begins with the elimination order of the elements
/// alone and keeps it until it loses too much (KeptOrder); a part of the scene begins with none.
class HessianAssembly {
public:
    using Stencil = std::array<Index, 4>;  ///< global vertex ids, -1 = unused

    explicit HessianAssembly(const World& world) : world_(world) {}

    /// Starts a solve with these unknowns and no stencils beyond the elements.
    /// @param is_part  unknowns that hardly come again: no elimination order is made of the elements alone
    void begin(const DofMap& map, bool is_part = false);
    const DofMap& map() const { return *map_; }

    /// Takes a solver, direct at first. `automatic` looks at counts alone: nodes, and the predicted entries of the
    /// factor of the elements; they are counted once for each set of driven coordinates. Call it after begin().
    /// @param max_cg_iterations  of one solve by multigrid, after which a factor takes over; `automatic` makes it fewer
    ///                           where the factor would take less time
    void choose(SystemSolver wanted, int max_cg_iterations = 500);
    /// `direct`, `mixed` or `multigrid`.
    SystemSolver solver() const { return solver_; }
    /// Whether this solver was given up since choose(), because conjugate gradients reached their iteration limit or
    /// the matrix was positive definite in double precision alone.
    bool gave_up(SystemSolver solver) const { return gave_up_[static_cast<std::size_t>(solver)]; }
    /// Positions of the vertices (m) that multigrid makes its rigid-body modes from at the next factorisation.
    void set_positions(const VecX& x);
    /// Iterations of all solves by conjugate gradients so far.
    long cg_iterations() const { return cg_iterations_; }

    /// Whether an unknown moves one of the first `count` vertices.
    bool moves(const Stencil& vertices, int count) const;
    /// Whether every pair of unknowns of the stencil has a block.
    bool covers(const Stencil& stencil) const;
    /// Makes room for stencils beside those already there.
    void extend(const std::vector<Stencil>& stencils);

    /// Starts the symbolic factorisation that a new pattern needs beside the assembly to come.
    void analyze_ahead();
    void set_zero() {
        system_.set_zero();
        rank_one_.clear();
    }
    void add_mass(double scale = 1.0);
    /// scale * hessians[e] for every element of a group; elastic groups are counted first, then those of sheets, then
    /// fillings.
    void add_elements(std::size_t group, const std::vector<Mat12>& hessians, double scale);
    /// The same for Hessians that `fill` computes, a part of the elements at a time.
    void add_elements(std::size_t group, const ElementScatter::Fill& fill, double scale);
    /// Adds c u u^T, c >= 0, u stacked over the vertices: kept beside the sparse matrix, and exact in solve() and
    /// refine().
    void add_rank_one(double c, const VecX& vertex_vector);
    /// The terms of add_rank_one in the unknowns.
    const LowRankUpdate& rank_one() const { return rank_one_; }
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

    /// Solves A step = -gradient for stacked vertex vectors; false when A is not positive definite. Conjugate gradients
    /// leave an error of `cg_tolerance` of the step, both in the norm of the preconditioner. At their iteration limit a
    /// factor takes over from multigrid, double precision from single.
    bool solve(const VecX& vertex_gradient, VecX& vertex_step);
    /// Factors the present values, or makes their multigrid hierarchy; false when they are not positive definite. In
    /// single precision that is for the direct solver to say.
    bool factorize();
    /// z = A^-1 r with the last factor, in its precision, or one multigrid cycle, in unknowns.
    void apply_factor(const VecX& r, VecX& z);
    /// The step that minimises gradient . step + step . A step / 2 for the present values of A, which need not be
    /// positive definite, by a few conjugate gradients preconditioned with the factor of the last solve(). They begin
    /// along the step of that solve, of the same gradient (with a factor in single precision, close to it): where A
    /// curves too little along it, it is the result. A direction of descent in any case.
    void refine(const VecX& vertex_gradient, VecX& vertex_step);
    /// The sparse part.
    const BlockSystem& system() const { return system_; }
    /// Why the last solve() failed.
    const std::string& failure() const;

private:
    /// Below the first, threads cost more than they save; the second is how many Hessians there are at one time.
    static constexpr std::size_t min_shared_stencils = 256, stencils_at_once = 1024;
    /// A part of the columns: groups of them go to the shares in turn.
    struct ColumnShare {
        Index share = 0, shares = 1;
        bool owns(Index column) const { return shares == 1 || (column / 64) % shares == share; }
    };

    bool uses_multigrid() const { return solver_ == SystemSolver::multigrid; }
    bool factorize_sparse();
    bool factorize_rank_one();
    /// `mixed` or `direct`.
    SystemSolver factor_solver() const;
    /// Goes on with a slower and safer solver until choose(), and factors with it. Where that one fails, too, it is the
    /// matrix, and the solver stays.
    bool fall_back();
    /// Before a factorisation: the first one of a solve begins with the order of the elements.
    void keep_order();
    /// @return whether it converged
    bool solve_by_cg();
    /// The inverse of the sparse part, or its approximation.
    void apply_sparse(const VecX& b, VecX& x);
    void rebuild();
    /// visit(pair) for the pairs of unknowns of the stencil that have no block, smaller node first.
    template <class Visit>
    void visit_missing(const Stencil& stencil, const Visit& visit) const;
    /// Vertices of the elements of each group, -1 = unused.
    std::vector<const std::vector<Tet>*> element_stencils() const;
    /// Zeroes rows and columns of prescribed coordinates of an element, whose vertices hang on no others.
    void mask(const Tet& vertices, Mat12& hessian) const;
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
    BlockSystem system_;
    LowRankUpdate rank_one_, factored_rank_one_;  ///< of the matrix, and of its last factor
    std::shared_ptr<const BlockPattern> element_pattern_;
    std::vector<Edge> contact_pairs_;  ///< beyond the elements, each once
    ElementOrders element_orders_;
    bool is_part_ = false, has_first_order_ = false;  ///< of the present solve
    std::vector<ElementScatter> scatters_;
    std::vector<Mat12> scratch_;
    VecX node_gradient_, node_step_;
    SystemSolver solver_ = SystemSolver::direct;  ///< the present one
    std::array<bool, 4> gave_up_{};               ///< by solver
    int max_cg_iterations_ = 0;
    Multigrid multigrid_;
    VecX node_positions_;
    long cg_iterations_ = 0;
    std::string cg_failure_;
};

}  // namespace stiction

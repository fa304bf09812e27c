// Cholesky of our own: multifrontal on supernodes of 3x3 blocks.
#include "stiction/base/error.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/block_cholesky/numeric.hpp"
#include "stiction/linalg/block_cholesky/triangular_solves.hpp"
#include "stiction/linalg/cholesky.hpp"

#include <fmt/format.h>

#include <new>

namespace stiction {
namespace {

class BlockCholesky final : public SparseFactor {
public:
    bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) override;
    bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) override;
    void solve(const VecX& b, VecX& x) override;
    double factor_nonzeros() const override { return symbolic_.nonzeros(); }

private:
    bool make_room();

    block_cholesky::Symbolic symbolic_;
    block_cholesky::Numbers factor_;
    block_cholesky::NumberPool pool_;
    bool has_factor_ = false;
    std::vector<double> fronts_;
};

bool BlockCholesky::analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    failure_.clear();
    has_factor_ = false;
    try {
        symbolic_ = block_cholesky::analyze(pattern, order);
    } catch (const std::bad_alloc&) {
        symbolic_ = {};
        failure_ = "analysis: out of memory";
        return false;
    }
    return true;
}

/// The memory of another pattern is kept where it fits about.
bool BlockCholesky::make_room() {
    const std::size_t needed = symbolic_.value_begin.back();
    if (!factor_.memory || factor_.size < needed || factor_.size / 2 > needed) {
        factor_ = {};
        factor_ = block_cholesky::allocate_numbers(needed + needed / 16);
    }
    return factor_.memory != nullptr;
}

bool BlockCholesky::factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    using Kind = block_cholesky::Outcome::Kind;
    use_one_blas_thread();
    failure_.clear();
    has_factor_ = false;
    if (!make_room()) {
        failure_ = "factorisation: out of memory";
        return false;
    }
    block_cholesky::Outcome outcome;
    try {
        outcome = block_cholesky::factorize(symbolic_, pattern, values, factor_.get(), pool_);
    } catch (const std::bad_alloc&) {
        outcome.kind = Kind::out_of_memory;
    }
    if (outcome.kind == Kind::factored) return has_factor_ = true;
    if (outcome.kind == Kind::out_of_memory) {
        failure_ = "factorisation: out of memory";
        return false;
    }
    const auto component = static_cast<Index>(outcome.column % 3);
    const Index node = symbolic_.order[outcome.column / 3];
    const std::string name = scalar_row_name(3 * node + component);
    if (outcome.kind == Kind::not_positive_definite) {
        failure_ = fmt::format("not positive definite at {}", name);
    } else {
        failure_ = fmt::format("singular at {}: pivot {:.3e} of diagonal {:.3e}", name, outcome.pivot,
                               values[pattern.column_begin[node]](component, component));
    }
    return false;
}

void BlockCholesky::solve(const VecX& b, VecX& x) {
    use_one_blas_thread();
    STICTION_CHECK(has_factor_ && b.size() == 3 * Eigen::Index{symbolic_.nodes()},
                   "right-hand side of another size than the factor");
    block_cholesky::solve(symbolic_, factor_.get(), b, x, fronts_);
}

}  // namespace

std::unique_ptr<SparseFactor> make_block_cholesky() {
    return std::make_unique<BlockCholesky>();
}

std::string block_cholesky_name() {
    return "multifrontal Cholesky (Apache-2.0), METIS ordering";
}

}  // namespace stiction

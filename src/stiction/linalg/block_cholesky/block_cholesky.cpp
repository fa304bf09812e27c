// Cholesky of our own: multifrontal on supernodes of 3x3 blocks.
#include "stiction/base/error.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/block_cholesky/numeric.hpp"
#include "stiction/linalg/block_cholesky/triangular_solves.hpp"
#include "stiction/linalg/sparse_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace stiction {
namespace {

class BlockCholesky final : public SparseFactor {
public:
    bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) override;
    bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision precision) override;
    void solve(const VecX& b, VecX& x) override;
    double factor_nonzeros() const override { return symbolic_.nonzeros(); }

private:
    template <class Number>
    bool factorize_in(const BlockPattern& pattern, const std::vector<Mat3>& values);
    template <class Number>
    Number* factor() const {
        return reinterpret_cast<Number*>(factor_.bytes.get());
    }
    bool make_room(std::size_t size);
    bool fail(const block_cholesky::Outcome& outcome, const BlockPattern& pattern, const std::vector<Mat3>& values);

    block_cholesky::Symbolic symbolic_;
    block_cholesky::Memory factor_;
    block_cholesky::MemoryPool pool_;
    bool has_factor_ = false;
    Precision precision_ = Precision::full;  ///< of the factor
    std::vector<double> fronts_;
    std::vector<float> single_fronts_;
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

/// The memory of another pattern, or precision, is kept where it fits about.
bool BlockCholesky::make_room(std::size_t size) {
    if (!factor_.bytes || factor_.size < size || factor_.size / 4 > size) {
        factor_ = {};
        factor_ = block_cholesky::allocate_memory(std::max(size, size + size / 16));
    }
    return factor_.bytes != nullptr;
}

bool BlockCholesky::factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision precision) {
    use_one_blas_thread();
    failure_.clear();
    precision_ = precision;
    return has_factor_ = precision == Precision::full ? factorize_in<double>(pattern, values)
                                                      : factorize_in<float>(pattern, values);
}

template <class Number>
bool BlockCholesky::factorize_in(const BlockPattern& pattern, const std::vector<Mat3>& values) {
    block_cholesky::Outcome outcome{block_cholesky::Outcome::Kind::out_of_memory};
    if (!make_room(block_cholesky::bytes_of<Number>(symbolic_.value_begin.back())))
        return fail(outcome, pattern, values);
    try {
        outcome = block_cholesky::factorize(symbolic_, pattern, values, factor<Number>(), pool_);
    } catch (const std::bad_alloc&) {
        outcome.kind = block_cholesky::Outcome::Kind::out_of_memory;
    }
    return outcome.kind == block_cholesky::Outcome::Kind::factored || fail(outcome, pattern, values);
}

bool BlockCholesky::fail(const block_cholesky::Outcome& outcome, const BlockPattern& pattern,
                         const std::vector<Mat3>& values) {
    using Kind = block_cholesky::Outcome::Kind;
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
    if (precision_ == Precision::full) return block_cholesky::solve(symbolic_, factor<double>(), b, x, fronts_);
    block_cholesky::solve(symbolic_, factor<float>(), b, x, single_fronts_);
}

}  // namespace

std::unique_ptr<SparseFactor> make_cholesky() {
    return std::make_unique<BlockCholesky>();
}

}  // namespace stiction

#include "stiction/linalg/factored_operator.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/base/error.hpp"
#include "stiction/linalg/supernodal/automatic_operator.hpp"
#include "stiction/linalg/supernodal/rounding.hpp"

namespace stiction {

const std::vector<std::string>& operator_names() {
    static const std::vector<std::string> names{"triangular_solves", "sparse_inverse", "auto"};
    return names;
}

void FactoredOperator::find_part(const std::vector<Index>& unknowns, OperatorPart& part) const {
    for (const Index unknown : unknowns)
        STICTION_CHECK(unknown >= 0 && unknown < size(), "part of an operator with an unknown it has not");
    part.touched.clear();
    part.entries = entries();
}

void FactoredOperator::solve_part(const OperatorPart&, const double* right_hand_side, double* solution) const {
    solve(right_hand_side, solution);
}

std::unique_ptr<FactoredOperator> factor_operator(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind,
                                                  double most_in_double) {
    supernodal::Factor factor = supernodal::factorize(matrix);
    if (static_cast<double>(factor.values.size()) > most_in_double)
        supernodal::round_to_single_precision(matrix, factor);
    switch (kind) {
        case OperatorKind::triangular_solves: return std::make_unique<supernodal::TriangularSolves>(std::move(factor));
        case OperatorKind::sparse_inverse:
            return std::make_unique<supernodal::InverseProducts>(supernodal::invert(factor));
        case OperatorKind::automatic: break;
    }
    return std::make_unique<supernodal::AutomaticOperator>(std::move(factor));
}

}  // namespace stiction

#include "stiction/linalg/factored_operator.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/linalg/supernodal/automatic_operator.hpp"

namespace stiction {

const std::vector<std::string>& operator_names() {
    static const std::vector<std::string> names{"triangular_solves", "sparse_inverse", "auto"};
    return names;
}

std::unique_ptr<FactoredOperator> factor_operator(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind) {
    supernodal::Factor factor = supernodal::factorize(matrix);
    switch (kind) {
        case OperatorKind::triangular_solves: return std::make_unique<supernodal::TriangularSolves>(std::move(factor));
        case OperatorKind::sparse_inverse:
            return std::make_unique<supernodal::InverseProducts>(supernodal::invert(factor));
        case OperatorKind::automatic: break;
    }
    return std::make_unique<supernodal::AutomaticOperator>(std::move(factor));
}

}  // namespace stiction

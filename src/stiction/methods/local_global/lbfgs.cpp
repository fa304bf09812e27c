#include "stiction/methods/local_global/lbfgs.hpp"

namespace stiction::local_global {

void Lbfgs::add(const VecX& s, const VecX& y) {
    const double product = dot(s, y);
    if (!(product > 0.0) || s_.empty()) return;
    const std::size_t i = slot(count_++);
    s_[i] = s;
    y_[i] = y;
    rho_[i] = 1.0 / product;
}

}  // namespace stiction::local_global

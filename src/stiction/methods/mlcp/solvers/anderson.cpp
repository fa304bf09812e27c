#include "stiction/methods/mlcp/solvers/anderson.hpp"

#include <Eigen/QR>

#include <algorithm>

namespace stiction::mlcp {

VecX AndersonAcceleration::next(const VecX& x, const VecX& g) {
    constexpr double growth = 10.0, rank_threshold = 1e-10;
    const VecX f = g - x;
    double least = f.norm();
    for (const Pair& pair : history_) least = std::min(least, pair.f.norm());
    if (f.norm() > growth * least) history_.clear();
    VecX step = damping_ * f;
    if (!history_.empty()) {
        Eigen::MatrixXd dx(x.size(), static_cast<Eigen::Index>(history_.size())), df = dx;
        for (std::size_t i = 0; i < history_.size(); ++i) {
            dx.col(static_cast<Eigen::Index>(i)) = x - history_[i].x;
            df.col(static_cast<Eigen::Index>(i)) = f - history_[i].f;
        }
        Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(df.rows(), df.cols());
        factor.setThreshold(rank_threshold);
        factor.compute(df);
        const VecX weights = factor.solve(f);
        step -= (dx + damping_ * df) * weights;
    }
    history_.push_back({x, f});
    if (history_.size() > depth_) history_.pop_front();
    return x + step;
}

}  // namespace stiction::mlcp

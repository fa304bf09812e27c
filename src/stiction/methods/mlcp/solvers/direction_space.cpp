#include "stiction/methods/mlcp/solvers/direction_space.hpp"

#include "stiction/linalg/vector_ops.hpp"

namespace stiction::mlcp {

void DirectionSpace::orthogonalise(const SaddleVector& DBp, SaddleVector& p, SaddleVector& Bp) const {
    std::vector<double> parts(directions_.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = (dot(DBp.v, directions_[i].Bp.v) + dot(DBp.c, directions_[i].Bp.c)) / directions_[i].length;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        p.v -= parts[i] * directions_[i].p.v;
        p.c -= parts[i] * directions_[i].p.c;
        Bp.v -= parts[i] * directions_[i].Bp.v;
        Bp.c -= parts[i] * directions_[i].Bp.c;
    }
}

void DirectionSpace::add(const SaddleVector& p, const SaddleVector& Bp, double length) {
    if (directions_.size() < depth_) {
        directions_.push_back({p, Bp, length});
        return;
    }
    directions_[next_] = {p, Bp, length};
    next_ = (next_ + 1) % depth_;
}

}  // namespace stiction::mlcp

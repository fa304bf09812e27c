#include "stiction/dynamics/region_detection.hpp"

#include "stiction/dynamics/pair_step_bound.hpp"

namespace stiction {

RegionDetection::RegionDetection(ContactDetection& detection, const std::vector<char>& moving, double room)
    : detection_(detection), moving_(moving), room_(room) {
    keep_moving();
}

void RegionDetection::keep_moving() {
    candidates_ = detection_.candidates().select(*detection_.scene().surface, moving_, true);
}

void RegionDetection::search(const VecX& x, const VecX& end) {
    low_ = x.cwiseMin(end);
    high_ = x.cwiseMax(end);
    for (std::size_t v = 0; v < moving_.size(); ++v) {
        if (!moving_[v]) continue;
        low_.segment<3>(3 * static_cast<Eigen::Index>(v)).array() -= room_;
        high_.segment<3>(3 * static_cast<Eigen::Index>(v)).array() += room_;
    }
    detection_.update_swept(low_, high_, moving_);  // boxes around a straight way from corner to corner
    keep_moving();
    ++searches_;
}

StepBound RegionDetection::step_bound(const World& world, const VecX& x, const VecX& p, double slack) {
    StepBound bound;
    bound.fraction = element_step_bound(world, x, p, moving_);
    const ContactScene& scene = detection_.scene();
    StepBound part;
    VecX end = x + bound.fraction * p;
    bound_pairs(scene, candidates_, {}, x, end, slack, part);
    bound_half_spaces(scene, x, end, slack, part, moving_);
    shorten(part, bound);
    end = x + bound.fraction * p;
    const bool inside = low_.size() > 0 && (end.array() >= low_.array()).all() && (end.array() <= high_.array()).all();
    if (inside) return bound;
    const Candidates known = candidates_;
    search(x, end);
    part = {};
    bound_pairs(scene, candidates_, known, x, end, slack, part);
    shorten(part, bound);
    return bound;
}

}  // namespace stiction

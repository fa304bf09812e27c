#include "stiction/repair/least_separation.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction::repair {
namespace {

/// Extent of the colliding vertices along a direction (m).
std::pair<double, double> extent(const Shape& shape, const Vec3& direction) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& [point] : shape.points.corners) {
        const double along = direction.dot(point);
        low = std::min(low, along);
        high = std::max(high, along);
    }
    return {low, high};
}

Vec3 centroid(const Shape& shape) {
    Vec3 sum = Vec3::Zero();
    for (const auto& [point] : shape.points.corners) sum += point;
    return sum / static_cast<double>(shape.points.corners.size());
}

class Search {
public:
    Search(const ShapePair& pair, const Vec3& shift, double distance)
        : pair_(pair), shift_(shift), distance_(distance) {}

    std::optional<Separation> run() {
        for (const Vec3& direction : candidates()) attempt(direction, 1.25);
        if (best_) vary();
        return best_;
    }

private:
    bool is_clear_at(const Vec3& direction, double length) const {
        return is_clear(pair_, shift_ + length * direction, distance_);
    }

    std::vector<Vec3> candidates() const {
        constexpr std::size_t most_normals = 16;
        std::vector<Vec3> list;
        const auto add = [&](const Vec3& way) {
            if (way.norm() > 0.0) list.push_back(way.normalized());
        };
        add(centroid(*pair_.first) + shift_ - centroid(*pair_.second));
        add(0.5 * (pair_.first->low + pair_.first->high - pair_.second->low - pair_.second->high) + shift_);
        if (const auto way = deepest_exit(pair_, shift_)) add(*way);
        for (const int x : {0, 1, -1}) {
            for (const int y : {0, 1, -1}) {
                for (const int z : {0, 1, -1}) add(Vec3(x, y, z));
            }
        }
        std::vector<Vec3> normals = crossed_normals(pair_, shift_);
        normals.resize(std::min(normals.size(), most_normals));
        for (const Vec3& normal : normals) {
            add(normal);
            add(-normal);
        }
        return list;
    }

    /// Takes the way in a direction if it is shorter than the best one, and goes on along the normal at the nearest
    /// points of its end: the plane there separates convex bodies, and is nearer along its normal. Ways that are longer
    /// than `promising` times the best one are not looked at.
    bool attempt(Vec3 direction, double promising) {
        constexpr int most_normals = 8;
        double clear_at = best_ ? promising * best_->length : first_clear(direction);
        bool better = false;
        for (int i = 0; i < most_normals && std::isfinite(clear_at) && is_clear_at(direction, clear_at); ++i) {
            const double length = shortest(direction, clear_at);
            if (!best_ || length < 0.999 * best_->length) {
                best_ = {direction, length};
                better = true;
            }
            const auto difference = nearest_difference(pair_, shift_ + length * direction, 1.5 * distance_);
            if (!difference || difference->norm() == 0.0) break;
            const Vec3 normal = difference->normalized();
            const double cosine = normal.dot(direction);
            if (cosine < 0.1 || cosine > 0.9999) break;
            clear_at = length * cosine + 0.02 * distance_;
            direction = normal;
        }
        return better;
    }

    /// The first of some growing lengths at which the two are clear; infinity if there is none. At the last one a plane
    /// is between them.
    double first_clear(const Vec3& direction) const {
        const double beyond = extent(*pair_.second, direction).second - extent(*pair_.first, direction).first -
                              direction.dot(shift_) + 2.0 * distance_;
        constexpr double growth = 2.0;
        constexpr int lengths = 9;
        for (int k = lengths - 1; k >= 0; --k) {
            const double length = std::abs(beyond) * std::pow(growth, -k);
            if (is_clear_at(direction, length)) return length;
        }
        return std::numeric_limits<double>::infinity();
    }

    /// The length below `clear_at` from which on the two are clear, within a hundredth of the distance.
    double shortest(const Vec3& direction, double clear_at) const {
        const double tolerance = 0.01 * distance_;
        double low = 0.0;
        constexpr int most_halvings = 60;
        for (int i = 0; i < most_halvings && clear_at - low > tolerance; ++i) {
            const double middle = 0.5 * (low + clear_at);
            (is_clear_at(direction, middle) ? clear_at : low) = middle;
        }
        return clear_at;
    }

    /// Turns the best direction to either side of two axes, by ever smaller angles, as long as the way gets shorter.
    void vary() {
        constexpr double first_angle = 0.35, last_angle = 0.01;  // rad
        for (double angle = first_angle; angle > last_angle;) {
            const Vec3 across = best_->direction.unitOrthogonal(), along = best_->direction.cross(across);
            bool better = false;
            for (const Vec3& side : {across, Vec3(-across), along, Vec3(-along)})
                better = better || attempt((best_->direction + std::tan(angle) * side).normalized(), 0.999);
            if (!better) angle *= 0.5;
        }
    }

    const ShapePair& pair_;
    Vec3 shift_;
    double distance_;
    std::optional<Separation> best_;
};

}  // namespace

std::optional<Separation> least_separation(const ShapePair& pair, const Vec3& shift, double distance) {
    return Search(pair, shift, distance).run();
}

}  // namespace stiction::repair

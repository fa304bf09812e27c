#include "stiction/repair/least_way.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiction::repair {
namespace {

class Search {
public:
    explicit Search(const WayProblem& problem) : problem_(problem) {}

    std::optional<Way> run() {
        constexpr double promising = 1.25;
        for (const Vec3& direction : problem_.directions) attempt(direction, promising);
        if (best_) vary_shortest();
        return best_;
    }

private:
    bool is_clear_at(const Vec3& direction, double length) const { return problem_.is_clear(length * direction); }

    /// Takes the way in a direction if it is shorter than the best one, and goes on along the normal at the nearest
    /// points of its end: the plane there separates convex bodies, and is nearer along its normal. Ways that are longer
    /// than `promising` times the best one are not looked at. Whether a way was taken.
    bool attempt(Vec3 direction, double promising) {
        constexpr int most_normals = 8;
        double clear_at = best_ ? promising * best_->length : first_clear(direction);
        bool better = false;
        for (int i = 0; i < most_normals && std::isfinite(clear_at) && is_clear_at(direction, clear_at); ++i) {
            const double length = shortest(direction, clear_at);
            found_.push_back({direction, length});
            if (!best_ || length < 0.999 * best_->length) {
                best_ = {direction, length};
                better = true;
            }
            const auto nearest = problem_.nearest ? problem_.nearest(length * direction) : std::nullopt;
            if (!nearest || nearest->norm() == 0.0) break;
            const Vec3 normal = nearest->normalized();
            const double cosine = normal.dot(direction);
            if (cosine < 0.1 || cosine > 0.9999) break;
            clear_at = length * cosine + 2.0 * problem_.tolerance;
            direction = normal;
        }
        return better;
    }

    /// The first of some growing lengths at which all is clear; infinity if there is none.
    double first_clear(const Vec3& direction) const {
        const double beyond = std::abs(problem_.beyond(direction));
        constexpr int lengths = 9;
        for (int k = lengths - 1; k >= 0; --k) {
            const double length = std::ldexp(beyond, -k);
            if (is_clear_at(direction, length)) return length;
        }
        return std::numeric_limits<double>::infinity();
    }

    /// The length below `clear_at` from which on all is clear.
    double shortest(const Vec3& direction, double clear_at) const {
        double low = 0.0;
        constexpr int most_halvings = 60;
        for (int i = 0; i < most_halvings && clear_at - low > problem_.tolerance; ++i) {
            const double middle = 0.5 * (low + clear_at);
            (is_clear_at(direction, middle) ? clear_at : low) = middle;
        }
        return clear_at;
    }

    /// Varies the shortest ways of different directions: a longer one may end in the shorter valley.
    void vary_shortest() {
        constexpr std::size_t most_starts = 3;
        constexpr double same_cosine = 0.95;
        std::vector<Way> starts, ways = found_;
        std::stable_sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.length < b.length; });
        for (const Way& way : ways) {
            const bool known = std::any_of(starts.begin(), starts.end(), [&](const Way& start) {
                return start.direction.dot(way.direction) > same_cosine;
            });
            if (!known && starts.size() < most_starts) starts.push_back(way);
        }
        Way shortest_way = *best_;
        for (const Way& start : starts) {
            best_ = start;
            vary();
            if (best_->length < shortest_way.length) shortest_way = *best_;
        }
        best_ = shortest_way;
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

    const WayProblem& problem_;
    std::optional<Way> best_;
    std::vector<Way> found_;
};

}  // namespace

std::optional<Way> least_way(const WayProblem& problem) {
    return Search(problem).run();
}

std::vector<Vec3> axes_and_diagonals() {
    std::vector<Vec3> directions;
    for (const int x : {0, 1, -1}) {
        for (const int y : {0, 1, -1}) {
            for (const int z : {0, 1, -1}) {
                if (x != 0 || y != 0 || z != 0) directions.push_back(Vec3(x, y, z).normalized());
            }
        }
    }
    return directions;
}

}  // namespace stiction::repair

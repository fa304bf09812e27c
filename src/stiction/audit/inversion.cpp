#include "stiction/audit/inversion.hpp"

#include "stiction/audit/collect.hpp"
#include "stiction/audit/predicates.hpp"
#include "stiction/audit/quadratic_tet.hpp"
#include "stiction/base/error.hpp"

#include <algorithm>

namespace stiction::audit {

Inversions find_inversions(const World& world, const VecX& x) {
    STICTION_CHECK(x.size() == 3 * static_cast<Eigen::Index>(world.vertex_count()), "positions of all vertices");
    Inversions result;
    for (std::size_t g = 0; g < world.elastic.size(); ++g) {
        const ElasticGroup& group = world.elastic[g];
        const auto found =
            collect<InvertedTet>(group.elements.size(), [&](std::size_t e, std::vector<InvertedTet>& out) {
                const Tet& tet = group.elements.vertices[e];
                const int sign = orient3d(x.segment<3>(3 * tet[0]), x.segment<3>(3 * tet[1]), x.segment<3>(3 * tet[2]),
                                          x.segment<3>(3 * tet[3]));
                if (sign <= 0)
                    out.push_back({group.body[e], group.body_element[e], static_cast<Index>(g), static_cast<Index>(e),
                                   sign == 0});
            });
        auto& list = group.keeps_orientation() ? result.forbidden : result.allowed;
        list.insert(list.end(), found.begin(), found.end());
    }
    for (std::size_t g = 0; g < world.quadratic.size(); ++g) {
        const QuadraticGroup& group = world.quadratic[g];
        const auto number = static_cast<Index>(world.elastic.size() + g);
        const bool forbidden = group.keeps_orientation();
        const auto found =
            collect<InvertedTet>(group.elements.size(), [&](std::size_t e, std::vector<InvertedTet>& out) {
                const Tet10Positions nodes = positions(group.elements.vertices[e], x);
                if (forbidden ? is_positive(nodes) : is_positive_at_corners(nodes)) return;
                out.push_back({group.body[e], group.body_element[e], number, static_cast<Index>(e), false});
            });
        auto& list = forbidden ? result.forbidden : result.allowed;
        list.insert(list.end(), found.begin(), found.end());
    }
    const auto before = [](const InvertedTet& a, const InvertedTet& b) {
        return std::pair(a.body, a.element) < std::pair(b.body, b.element);
    };
    std::sort(result.forbidden.begin(), result.forbidden.end(), before);
    std::sort(result.allowed.begin(), result.allowed.end(), before);
    return result;
}

}  // namespace stiction::audit

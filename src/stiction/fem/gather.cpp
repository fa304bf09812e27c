#include "stiction/fem/gather.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

namespace stiction {
namespace {

constexpr Index unused = -1;

}  // namespace

template <int N>
NodeGather<N>::NodeGather(const std::vector<Nodes>& elements, Index vertex_count)
    : element_count_(elements.size()), vertex_count_(vertex_count) {
    std::vector<std::size_t> count(static_cast<std::size_t>(vertex_count), 0);
    for (const Nodes& nodes : elements) {
        for (const Index vertex : nodes) {
            STICTION_CHECK(vertex >= unused && vertex < vertex_count, "element refers to a vertex out of range");
            if (vertex != unused) ++count[static_cast<std::size_t>(vertex)];
        }
    }
    std::vector<std::size_t> cursor(count.size(), 0);
    first_.push_back(0);
    for (std::size_t v = 0; v < count.size(); ++v) {
        if (count[v] == 0) continue;
        cursor[v] = first_.back();
        touched_.push_back(static_cast<Index>(v));
        first_.push_back(first_.back() + count[v]);
    }
    corners_.resize(first_.back());
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t corner = 0; corner < N; ++corner) {
            if (elements[e][corner] != unused)
                corners_[cursor[static_cast<std::size_t>(elements[e][corner])]++] = N * e + corner;
        }
    }
}

template <int N>
void NodeGather<N>::add(const std::vector<ElementVector>& element_vectors, VecX& out) const {
    STICTION_CHECK(element_vectors.size() == element_count_, "one vector per element");
    STICTION_CHECK(out.size() == 3 * static_cast<Eigen::Index>(vertex_count_), "stacked vector of all vertices");
    parallel_for(touched_.size(), [&](std::size_t i) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
            sum += element_vectors[corners_[k] / N].template segment<3>(3 * static_cast<Eigen::Index>(corners_[k] % N));
        }
        out.segment<3>(3 * static_cast<Eigen::Index>(touched_[i])) += sum;
    });
}

template class NodeGather<4>;
template class NodeGather<10>;

}  // namespace stiction

#include "stiction/collision/implicit_surface.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

Vec3 point(const VecX& x, Index vertex) {
    return x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

void require(bool good, std::size_t body, const char* option, double value, const char* expected) {
    if (!good)
        throw InputError("", fmt::format("implicit surface of body {}: {}", body, option), fmt::format("{}", value),
                         expected);
}

void check_options(const ImplicitSurfaceOptions& options, std::size_t body) {
    require(options.radius >= 0.0 && std::isfinite(options.radius), body, "radius", options.radius,
            "a length in m, 0 for automatic");
    require(options.radius_factor > 1.0 && std::isfinite(options.radius_factor), body, "radius_factor",
            options.radius_factor, "a number above 1");
    require(options.smoothing > 0.0 && std::isfinite(options.smoothing), body, "smoothing", options.smoothing,
            "a positive number");
    require(options.spacing > 0.0, body, "spacing", options.spacing, "a positive length in m");
}

double longest_edge(const Triangle& triangle, const VecX& x) {
    double longest = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
        longest = std::max(longest, (point(x, triangle[k]) - point(x, triangle[(k + 1) % 3])).norm());
    return longest;
}

/// Parts per edge that make edges of the parts no longer than the spacing.
int parts_per_edge(const Triangle& triangle, const VecX& rest, double spacing, std::size_t body) {
    if (!std::isfinite(spacing)) return 1;
    const double parts = std::ceil(longest_edge(triangle, rest) / spacing);
    require(parts <= 1000.0, body, "spacing", spacing, "at least a thousandth of the longest edge");
    return std::max(1, static_cast<int>(parts));
}

/// Centroids of the n^2 congruent parts of a triangle.
void add_samples(Index triangle, int n, std::vector<SurfaceSample>& samples) {
    const double third = 1.0 / 3.0;
    const auto add = [&](double i, double j) {
        const Vec3 barycentric((n - i - j) / n, i / n, j / n);
        samples.push_back({triangle, barycentric});
    };
    for (int i = 0; i < n; ++i) {
        for (int j = 0; i + j < n; ++j) {
            add(i + third, j + third);
            if (i + j + 2 <= n) add(i + 2 * third, j + 2 * third);
        }
    }
}

/// All parts are congruent to the triangle shrunk by n: the corner farthest from its centroid decides.
double triangle_coverage(const Triangle& triangle, std::size_t samples, const VecX& x) {
    const Vec3 centroid = (point(x, triangle[0]) + point(x, triangle[1]) + point(x, triangle[2])) / 3.0;
    double farthest = 0.0;
    for (const Index vertex : triangle) farthest = std::max(farthest, (point(x, vertex) - centroid).norm());
    return farthest / std::sqrt(static_cast<double>(samples));
}

}  // namespace

Vec3 ImplicitSurfaces::position(Index sample, const VecX& x) const {
    const SurfaceSample& s = samples[at(sample)];
    const Triangle& triangle = triangles[at(s.triangle)];
    return s.barycentric[0] * point(x, triangle[0]) + s.barycentric[1] * point(x, triangle[1]) +
           s.barycentric[2] * point(x, triangle[2]);
}

ImplicitSurfaces make_implicit_surfaces(const CollisionSurface& surface,
                                        std::span<const ImplicitSurfaceOptions> options, const VecX& rest) {
    ImplicitSurfaces result;
    for (std::size_t body = 0; body < options.size(); ++body) check_options(options[body], body);
    for (const Triangle& triangle : surface.triangles) {
        const std::size_t body = at(surface.body_of_vertex[at(triangle[0])]);
        STICTION_CHECK(body < options.size(), "one entry of options a body");
        if (!options[body].enabled) continue;
        result.triangles.push_back(triangle);
        const int parts = parts_per_edge(triangle, rest, options[body].spacing, body);
        add_samples(static_cast<Index>(result.triangles.size()) - 1, parts, result.samples);
        result.body_of_sample.resize(result.samples.size(), static_cast<Index>(body));
    }
    for (std::size_t body = 0; body < options.size(); ++body) {
        const double coverage = sample_coverage(result, static_cast<Index>(body), rest);
        const double radius =
            options[body].radius > 0.0 ? options[body].radius : options[body].radius_factor * coverage;
        const bool any = options[body].enabled && coverage > 0.0;
        result.kernels.push_back(any ? ImplicitKernel{radius, options[body].smoothing} : ImplicitKernel{});
    }
    return result;
}

double sample_coverage(const ImplicitSurfaces& surfaces, Index body, const VecX& x) {
    double coverage = 0.0;
    for (std::size_t begin = 0, end = 0; begin < surfaces.samples.size(); begin = end) {
        const Index triangle = surfaces.samples[begin].triangle;
        while (end < surfaces.samples.size() && surfaces.samples[end].triangle == triangle) ++end;
        if (surfaces.body_of_sample[begin] != body) continue;
        coverage = std::max(coverage, triangle_coverage(surfaces.triangles[at(triangle)], end - begin, x));
    }
    return coverage;
}

ImplicitStencil ImplicitStencils::operator[](std::size_t i) const {
    const Head& head = heads_[i];
    return {head.body, std::span(vertices_).subspan(head.vertices_begin, head.vertices_end - head.vertices_begin),
            std::span(samples_).subspan(head.samples_begin, head.samples_end - head.samples_begin)};
}

void ImplicitStencils::clear() {
    heads_.clear();
    vertices_.clear();
    samples_.clear();
}

void ImplicitStencils::append(const ImplicitStencils& other) {
    for (Head head : other.heads_) {
        head.vertices_begin += vertices_.size();
        head.vertices_end += vertices_.size();
        head.samples_begin += samples_.size();
        head.samples_end += samples_.size();
        heads_.push_back(head);
    }
    vertices_.insert(vertices_.end(), other.vertices_.begin(), other.vertices_.end());
    samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
}

void ImplicitSearch::build(const ImplicitSurfaces& surfaces, std::span<const Index> vertices,
                           std::span<const Index> body_of_vertex, const Filter& filter, const VecX& x) {
    surfaces_ = &surfaces;
    bodies_ = surfaces.kernels.size();
    allowed_.assign(bodies_ * bodies_, 0);
    for (std::size_t a = 0; a < bodies_; ++a) {
        for (std::size_t b = 0; b < bodies_; ++b) {
            const bool surface = a != b && surfaces.kernels[b].radius > 0.0;
            allowed_[a * bodies_ + b] = surface && filter(static_cast<Index>(a), static_cast<Index>(b)) ? 1 : 0;
        }
    }
    queries_.clear();
    for (const Index vertex : vertices) {
        const Index body = body_of_vertex[at(vertex)];
        STICTION_CHECK(body >= 0 && at(body) < bodies_, "the body of every query vertex is known to the surfaces");
        const auto row = allowed_.begin() + static_cast<std::ptrdiff_t>(at(body) * bodies_);
        if (std::any_of(row, row + static_cast<std::ptrdiff_t>(bodies_), [](auto a) { return a != 0; }))
            queries_.push_back({vertex, body});
    }
    positions_.resize(surfaces.samples.size());
    boxes_.resize(surfaces.samples.size());
    tree_ = Bvh{};
    refresh(x, 0.0);
}

void ImplicitSearch::refresh(const VecX& x, double margin) {
    // A box larger than the ball: rounding of the box must not lose a sample that the exact test below keeps.
    parallel_for(boxes_.size(), [&](std::size_t i) {
        positions_[i] = surfaces_->position(static_cast<Index>(i), x);
        boxes_[i] = Box{positions_[i], positions_[i]};
        boxes_[i].inflate((1.0 + 1e-9) * (surfaces_->kernels[at(surfaces_->body_of_sample[i])].radius + margin));
    });
    if (tree_.size() == boxes_.size() && !boxes_.empty()) {
        tree_.refit(boxes_);
        if (tree_.inner_area() <= 1.5 * built_area_) return;
    }
    tree_.build(boxes_, surfaces_->body_of_sample);
    built_area_ = tree_.inner_area();
}

void ImplicitSearch::find_at(const Query& query, const VecX& x, double margin, ImplicitStencils& found) const {
    const Vec3 centre = point(x, query.vertex);
    std::vector<std::array<Index, 2>> near;  // body, sample
    tree_.query(
        Box{centre, centre}, 0, [&](Index body) { return !allowed(query.body, body); },
        [&](Index sample) {
            const Index body = surfaces_->body_of_sample[at(sample)];
            if (!allowed(query.body, body)) return;
            const double reach = surfaces_->kernels[at(body)].radius + margin;
            if ((centre - positions_[at(sample)]).norm() < reach) near.push_back({body, sample});
        });
    std::sort(near.begin(), near.end());
    for (std::size_t begin = 0, end = 0; begin < near.size(); begin = end) {
        while (end < near.size() && near[end][0] == near[begin][0]) ++end;
        append_stencil(query.vertex, std::span(near).subspan(begin, end - begin), found);
    }
}

void ImplicitSearch::append_stencil(Index vertex, std::span<const std::array<Index, 2>> near,
                                    ImplicitStencils& found) const {
    const auto triangle_of = [&](Index sample) -> const Triangle& {
        return surfaces_->triangles[at(surfaces_->samples[at(sample)].triangle)];
    };
    const std::size_t first_vertex = found.vertices_.size(), first_sample = found.samples_.size();
    found.vertices_.push_back(vertex);
    for (const auto& [body, sample] : near) {
        const Triangle& triangle = triangle_of(sample);
        found.vertices_.insert(found.vertices_.end(), triangle.begin(), triangle.end());
    }
    const auto begin = found.vertices_.begin() + static_cast<std::ptrdiff_t>(first_vertex) + 1;
    std::sort(begin, found.vertices_.end());
    found.vertices_.erase(std::unique(begin, found.vertices_.end()), found.vertices_.end());
    for (const auto& [body, sample] : near) {
        const Triangle& triangle = triangle_of(sample);
        StencilSample member{sample, {}};
        for (std::size_t c = 0; c < 3; ++c) {
            member.local[c] =
                static_cast<Index>(std::lower_bound(begin, found.vertices_.end(), triangle[c]) - begin) + 1;
        }
        found.samples_.push_back(member);
    }
    found.heads_.push_back(
        {near.front()[0], first_vertex, found.vertices_.size(), first_sample, found.samples_.size()});
}

const ImplicitStencils& ImplicitSearch::find(const VecX& x, double margin) {
    STICTION_CHECK(surfaces_ != nullptr, "build comes before find");
    STICTION_CHECK(margin >= 0.0, "a margin is not negative");
    refresh(x, margin);
    constexpr std::size_t block_size = 64;
    std::vector<ImplicitStencils> blocks((queries_.size() + block_size - 1) / block_size);
    parallel_for(
        blocks.size(),
        [&](std::size_t b) {
            const std::size_t end = std::min(queries_.size(), (b + 1) * block_size);
            for (std::size_t i = b * block_size; i < end; ++i) find_at(queries_[i], x, margin, blocks[b]);
        },
        1);
    stencils_.clear();
    for (const ImplicitStencils& block : blocks) stencils_.append(block);
    return stencils_;
}

}  // namespace stiction

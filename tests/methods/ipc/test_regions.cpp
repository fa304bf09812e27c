// Newton iterations in a part of the scene: what belongs to it, that it is a piece of the whole, and the same end.
#include "stiction/barrier/potential.hpp"
#include "stiction/barrier/region.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/dynamics/region_detection.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double h = 0.01;

/// A soft box that falls askew on another one, with friction, above the ground.
struct SoftBoxes {
    World world;
    State state;

    SoftBoxes() {
        WorldBuilder builder;
        const BodyMaterial rubber{MaterialLaw::neo_hookean, 2e4, 0.4, 1000.0};
        builder.add_deformable("lower", translated(generate_box({1, 1, 1}, {6, 6, 6}), {0, 0.502, 0}), rubber);
        const Mat3 turn = Eigen::AngleAxisd(0.5, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
        builder.add_deformable("upper",
                               translated(rotated(generate_box({0.6, 0.6, 0.6}, {5, 5, 5}), turn), {0.1, 1.5, 0}),
                               rubber, {0.3, -2, 0});
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.3);
        std::tie(world, state) = builder.build();
    }
};

Eigen::Index at3(Index vertex) {
    return 3 * static_cast<Eigen::Index>(vertex);
}

/// A vertex, its region, and the assembly that the region was found with.
struct RegionOfOne {
    HessianAssembly assembly;
    Index vertex;
    VecX direction;

    RegionOfOne(const World& world, Index v)
        : assembly(world), vertex(v), direction(VecX::Zero(3 * world.vertex_count())) {
        assembly.begin(DofMap(std::vector<std::uint8_t>(at(world.vertex_count()), 0)));
        direction.segment<3>(at3(v)) = Vec3(1e-3, -2e-3, 0.0);
    }
};

std::vector<Index> neighbours(const World& world, const std::vector<Index>& of) {
    std::vector<Index> result;
    for (const Tet& tet : world.elastic[0].elements.vertices) {
        if (std::ranges::none_of(tet, [&](Index v) { return std::ranges::count(of, v) > 0; })) continue;
        result.insert(result.end(), tet.begin(), tet.end());
    }
    std::ranges::sort(result);
    result.erase(std::ranges::unique(result).begin(), result.end());
    return result;
}

}  // namespace

TEST_CASE("region: the vertices that move most and two rings around them, where that is little") {
    const SoftBoxes boxes;
    RegionOfOne one(boxes.world, 60);
    const auto find = [&](const RegionOptions& options) {
        return find_region(boxes.world, one.assembly, one.direction, options);
    };
    const auto region = find({.fewest_nodes = 0, .largest_part = 0.4});
    REQUIRE(region);
    const std::vector<Index> expected = neighbours(boxes.world, neighbours(boxes.world, {60}));
    for (Index v = 0; v < boxes.world.vertex_count(); ++v) {
        CHECK((region->moving[at(v)] != 0) == (std::ranges::count(expected, v) > 0));
        CHECK((region->driven_axes[at(v)] == 7) == (region->moving[at(v)] == 0));
    }
    CHECK_FALSE(find({.fewest_nodes = 0, .largest_part = 0.001}));
    CHECK_FALSE(find({.fewest_nodes = boxes.world.vertex_count() + 1, .largest_part = 1.0}));
    // A vertex that moves a fifth as far belongs to the core, one that moves less does not.
    one.direction[at3(0)] = 4.1e-4;
    one.direction[at3(1)] = 3.9e-4;
    const auto core = find({.fewest_nodes = 0, .largest_part = 1.0, .core = 0.2, .rings = 0});
    REQUIRE(core);
    CHECK(std::ranges::count(core->moving, 1) == 2);
    CHECK(core->moving[0] == 1);
}

TEST_CASE("region: gradient, energies and matrix are those of the whole") {
    const SoftBoxes boxes;
    const World& world = boxes.world;
    const unsigned seed = 5;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    ipc::Options options;
    ipc::Ipc ipc(options);
    const State state = run_steps(ipc, world, boxes.state, h, 8);

    const double dhat = 1e-3 * world.diagonal;
    const StepInput input = schedule(world, state, h);
    const Stage stage{1.0, h, state.x, state.v};
    BarrierPotential potential(world, stage, input.external_force, state.x, dhat,
                               {FrictionProfile::quadratic, 1e-3, 0.0});
    potential.set_stiffness(1e4);
    ContactDetection detection(world, 2.0 * dhat);
    detection.update(state.x);
    const ContactSet contacts = detection.contacts(state.x, dhat);
    REQUIRE(contacts.contacts.size() > 5);
    potential.set_friction(potential.lag_friction(state.x, contacts, 1e4));

    RegionOfOne one(world, contacts.contacts.front().vertices[0]);
    const auto region = find_region(world, one.assembly, one.direction, {.fewest_nodes = 0, .largest_part = 0.5});
    REQUIRE(region);
    RegionDetection inside(detection, region->moving, dhat);
    const ContactSet some = inside.contacts(state.x, dhat);
    CHECK(some.contacts.size() > 0);

    const VecX whole = potential.gradient(state.x, contacts);
    const VecX part = potential.gradient(state.x, some, nullptr, region->moving);
    VecX p = VecX::Zero(whole.size());
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!region->moving[at(v)]) continue;
        CHECK((part - whole).segment<3>(at3(v)).norm() <= 1e-12 * whole.lpNorm<Eigen::Infinity>());
        for (int axis = 0; axis < 3; ++axis) p[at3(v) + axis] = 0.1 * dhat * uniform(random);
    }

    const VecX end = state.x + inside.step_bound(world, state.x, p, 0.1).fraction * p;
    detection.update_swept(state.x, end);
    const EnergyDifference all = potential.difference(state.x, potential.values(state.x, contacts), end,
                                                      potential.values(end, detection.contacts(end, dhat)), 0.0);
    const EnergyDifference of_region =
        potential.difference(state.x, potential.values(state.x, some, region->moving), end,
                             potential.values(end, inside.contacts(end, dhat), region->moving), 0.0);
    CHECK(std::abs(all.value) > 0.0);
    CHECK(of_region.value == within(all.value, 1e-9 * std::abs(all.value)));

    HessianAssembly small(world);
    const DofMap map(region->driven_axes);
    small.begin(map);
    for (auto [assembly, set] : {std::pair(&one.assembly, &contacts), std::pair(&small, &some)}) {
        assembly->extend(detection.near(state.x, detection.reach()));
        potential.assemble(state.x, *set, true, *assembly);
    }
    CHECK(map.node_count() < world.vertex_count() / 2);
    double largest = 0.0, off = 0.0;
    for (Index a = 0; a < world.vertex_count(); ++a) {
        for (Index b = 0; b < world.vertex_count(); ++b) {
            if (map.node(a) < 0 || map.node(b) < 0) continue;
            const Mat3 of_whole = one.assembly.system().block(a, b);
            largest = std::max(largest, of_whole.norm());
            off = std::max(off, (small.system().block(map.node(a), map.node(b)) - of_whole).norm());
        }
    }
    CHECK(largest > 0.0);
    CHECK(off <= 1e-12 * largest);
}

TEST_CASE("region: certified moves do not intersect, and one search serves moves in its room") {
    const SoftBoxes boxes;
    const World& world = boxes.world;
    ipc::Ipc ipc({});
    VecX x = run_steps(ipc, world, boxes.state, h, 6).x;
    const double dhat = 1e-3 * world.diagonal;
    ContactDetection detection(world, 2.0 * dhat);
    detection.update(x);
    REQUIRE(detection.contacts(x, dhat).contacts.size() > 0);
    RegionOfOne one(world, detection.contacts(x, dhat).contacts.front().vertices[0]);
    const auto region = find_region(world, one.assembly, one.direction, {.fewest_nodes = 0, .largest_part = 0.5});
    REQUIRE(region);
    const double room = 0.05;
    RegionDetection inside(detection, region->moving, room);
    const unsigned seed = 11;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int held = 0;
    double moved = 0.0;
    for (int move = 0; move < 30; ++move) {
        VecX p = VecX::Zero(x.size());
        const Vec3 common(uniform(random), uniform(random), uniform(random));
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (region->moving[at(v)]) p.segment<3>(at3(v)) = 0.02 * common;
        }
        const StepBound bound = inside.step_bound(world, x, p, 0.1);
        CHECK(bound.fraction > 0.0);
        held += bound.fraction < 1.0;
        moved += bound.fraction * 0.02 * common.lpNorm<Eigen::Infinity>();
        x += bound.fraction * p;
        CHECK(find_intersections(world.surface, world.contact_pairs, x).empty());
        for (const Tet& tet : world.elastic[0].elements.vertices) CHECK(edge_matrix(tet, x).determinant() > 0.0);
        // Contacts with a moving vertex are those of a search of the whole.
        ContactDetection fresh(world, 2.0 * dhat);
        fresh.update(x);
        const auto has_moving = [&](const Contact& contact) {
            return std::any_of(contact.vertices.begin(), contact.vertices.begin() + contact.vertex_count(),
                               [&](Index v) { return region->moving[at(v)] != 0; });
        };
        const ContactSet some = inside.contacts(x, dhat), all = fresh.contacts(x, dhat);
        CHECK(std::ranges::count_if(some.contacts, has_moving) == std::ranges::count_if(all.contacts, has_moving));
        // Pairs of the others are kept: the solve of the whole goes on with these candidates.
        const ContactSet kept = detection.contacts(x, dhat);
        REQUIRE(kept.contacts.size() == all.contacts.size());
        for (std::size_t i = 0; i < all.contacts.size(); ++i)
            CHECK(kept.contacts[i].vertices == all.contacts[i].vertices);
    }
    CHECK(held > 3);
    CHECK(inside.searches() >= 1);
    CHECK(inside.searches() <= 1 + static_cast<int>(moved / room));
}

TEST_CASE("ipc: with and without regions a run ends at the same state") {
    const SoftBoxes boxes;
    const double tolerance = 1e-6;
    const int steps = 12;
    struct End {
        VecX x;
        int iterations = 0, solves = 0;
    };
    const auto run = [&](const RegionOptions& region) {
        ipc::Options options;
        options.velocity_tolerance = tolerance;
        options.region = region;
        ipc::Ipc ipc(options);
        End end;
        end.x = run_steps(ipc, boxes.world, boxes.state, h, steps, [&](const State&, const StepResult& result) {
                    end.iterations += result.report.iterations;
                    end.solves += result.report.linear_solves;
                }).x;
        return end;
    };
    const End without = run({}), with = run({.fewest_nodes = 0, .largest_part = 0.5});
    CHECK(without.solves == without.iterations);  // too small for a region
    CHECK(with.solves > with.iterations + 10);
    CHECK((without.x - boxes.state.x).lpNorm<Eigen::Infinity>() > 0.05);
    CHECK((with.x - without.x).lpNorm<Eigen::Infinity>() == within(0.0, 10.0 * steps * h * tolerance));

    const int threads = thread_count();
    set_thread_count(threads == 1 ? 2 : 1);
    const End again = run({.fewest_nodes = 0, .largest_part = 0.5});
    set_thread_count(threads);
    CHECK(again.x == with.x);
}

namespace {

/// Ends a step at the call that `left` counts down to.
class EndAtCall final : public StepWatch {
public:
    bool go_on(int, double) override {
        ended = ended || left-- == 0;
        return !ended;
    }
    int left = 0;
    bool ended = false;
};

}  // namespace

TEST_CASE("ipc: steps with regions that are interrupted at any call are made again to the same bits") {
    const SoftBoxes boxes;
    ipc::Options options;
    options.region = {.fewest_nodes = 0, .largest_part = 0.5};
    ipc::Ipc plain(options), interrupted(options);
    State state = boxes.state;
    StepResult expected, result;
    int region_solves = 0, interrupts = 0;
    for (int step = 0; step < 16; ++step) {
        CAPTURE(step);
        StepInput input = schedule(boxes.world, state, h);
        plain.step(boxes.world, state, input, expected);
        REQUIRE(is_accepted(expected.report.status));
        region_solves += expected.report.linear_solves - expected.report.iterations;
        EndAtCall watch;
        for (int at = 0;; at += 1 + at / 4) {
            watch = {};
            watch.left = at;
            input.watch = &watch;
            interrupted.step(boxes.world, state, input, result);
            if (!watch.ended) break;
            ++interrupts;
            CHECK(result.report.status == Status::interrupted);
        }
        CHECK(result.state == expected.state);
        CHECK(result.report.iterations == expected.report.iterations);
        state = expected.state;
    }
    CHECK(region_solves > 10);
    CHECK(interrupts > 100);
}

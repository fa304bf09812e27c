#include "stiction/audit/interval_ccd.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/methods/ipc/method.hpp"

#include "audit/random.hpp"
#include "audit/worlds.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::testing;
using audit::MoveCertificate;
using audit::MoveCertifier;

namespace {

/// 'block' 0.01 above 'slab', over a half-space far below.
struct Blocks {
    World world;
    VecX x;
    Index block_first = 0;

    explicit Blocks(double gap = 0.01, int cells = 3) {
        WorldBuilder builder;
        const Index slab =
            builder.add_obstacle("slab", generate_box({2, 0.01, 2}, {cells + 2, 1, cells + 2}, Fill::surface));
        const Index block = builder.add_deformable(
            "block", moved(generate_box({0.5, 0.5, 0.5}, {cells, cells, cells}), {0.03, 0.255 + gap, 0.02}), {});
        builder.add_half_space("ground", {0, -3, 0}, {0, 1, 0});
        block_first = builder.first_vertex(block);
        CHECK(slab == 0);
        auto [w, state] = builder.build();
        world = std::move(w);
        x = state.x;
    }
    /// The block's vertices mapped.
    template <class Map>
    VecX moved_block(const Map& map) const {
        VecX y = x;
        const Body& body = world.bodies[1];
        for (Index v = block_first; v < block_first + body.vertex_count(); ++v)
            y.segment<3>(3 * v) = map(Vec3(x.segment<3>(3 * v)));
        return y;
    }
    VecX shifted(const Vec3& by) const {
        return moved_block([&](const Vec3& p) -> Vec3 { return p + by; });
    }
    MoveCertificate certify(const VecX& y) const { return MoveCertifier(world).certify_move(x, y); }
};

class Recorder final : public MoveSink {
public:
    void accepted_move(const VecX& x0, const VecX& x1) override { moves.emplace_back(x0, x1); }
    std::vector<std::pair<VecX, VecX>> moves;
};

}  // namespace

TEST_CASE("certifier: a body that tunnels through an obstacle is caught, one that flies past is proved") {
    const Blocks blocks;
    // Both ends are free of intersections: only the move is wrong.
    const VecX below = blocks.shifted({0, -1.5, 0});
    CHECK(audit::audit_state(blocks.world, blocks.x).ok());
    CHECK(audit::audit_state(blocks.world, below).ok());
    const MoveCertificate tunnel = blocks.certify(below);
    CHECK_FALSE(tunnel.ok());
    CHECK(tunnel.unproved > 10);
    CHECK(tunnel.pairs == tunnel.proved + tunnel.unproved);
    CHECK(tunnel.tets_unproved == 0);
    CHECK(tunnel.tets == 162);
    REQUIRE(tunnel.first_unproved.size() == audit::most_unproved_listed);
    const std::string line = audit::describe(blocks.world, tunnel.first_unproved.front());
    CHECK(line.find("obstacle 'slab'") != std::string::npos);
    CHECK(line.find("body 'block'") != std::string::npos);
    CHECK(line.find("touching is not excluded") != std::string::npos);
    // Sideways beside the slab, then down and back under it: three straight moves, all proved.
    const VecX beside = blocks.shifted({3, 0, 0}), beside_below = blocks.shifted({3, -1.5, 0});
    const MoveCertifier certifier(blocks.world);
    MoveCertificate total;
    total += certifier.certify_move(blocks.x, beside);
    total += certifier.certify_move(beside, beside_below);
    total += certifier.certify_move(beside_below, below);
    CHECK(total.ok());
    CHECK(total.moves == 3);
    // Down through the ground.
    const MoveCertificate ground = certifier.certify_move(below, blocks.shifted({0, -3.5, 0}));
    REQUIRE(ground.unproved > 0);
    CHECK(ground.first_unproved.front().kind == audit::MovePairKind::point_half_space);
    CHECK(audit::describe(blocks.world, ground.first_unproved.front()).find("against half-space 'ground'") !=
          std::string::npos);
}

TEST_CASE("certifier: sliding and turning at gaps of 1e-9 of the size") {
    const Blocks blocks(1e-9);
    const MoveCertificate slide = blocks.certify(blocks.shifted({0.3, 0, -0.2}));
    CHECK(slide.ok());
    CHECK(slide.proved > 100);
    CHECK(blocks.certify(blocks.x).ok());  // no motion at a gap
    // A turn about the vertical axis; straight paths shrink the block by 1 - cos(angle / 2), which keeps it flat.
    const Mat3 turn = Eigen::AngleAxisd(0.2, Vec3::UnitY()).toRotationMatrix();
    CHECK(blocks.certify(blocks.moved_block([&](const Vec3& p) -> Vec3 { return turn * p; })).ok());
    // Just onto the slab: not proved.
    VecX touching = blocks.moved_block([](const Vec3& p) -> Vec3 { return {p[0], p[1] < 0.01 ? 0.005 : p[1], p[2]}; });
    CHECK_FALSE(blocks.certify(touching).ok());
    CHECK_FALSE(MoveCertifier(blocks.world).certify_move(touching, touching).ok());
}

TEST_CASE("certifier: tets that turn inside out and back, self-contact, what is not finite") {
    const Blocks blocks;
    const MoveCertifier certifier(blocks.world);
    // Half a turn in one straight move: every tet is squeezed flat at the middle.
    const Vec3 centre(0.03, 0.265, 0.02);
    const VecX turned = blocks.moved_block([&](const Vec3& p) -> Vec3 {
        return {2 * centre[0] - p[0], p[1], 2 * centre[2] - p[2]};
    });
    const MoveCertificate squeezed = blocks.certify(turned);
    CHECK(squeezed.tets_unproved == squeezed.tets);
    CHECK(squeezed.unproved > 0);  // and its surface passes through itself
    CHECK_FALSE(squeezed.ok());
    VecX broken = blocks.x;
    broken[3 * blocks.block_first] = std::numeric_limits<double>::infinity();
    const MoveCertificate nothing = certifier.certify_move(blocks.x, broken);
    CHECK_FALSE(nothing.ok());
    REQUIRE(nothing.first_unproved.size() == 1);
    CHECK(audit::describe(blocks.world, nothing.first_unproved[0]) == "body 'block' vertex 0 is not finite");
    CHECK_THROWS_AS(certifier.certify_move(blocks.x, VecX::Zero(3)), InternalError);
}

TEST_CASE("certifier: bare points and edges") {
    Soup soup;
    for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 1)}) soup.add(p, 0);
    for (const Vec3& p : {Vec3(0.5, 1, 0), Vec3(0, 2, 1), Vec3(0.6, 2, -1), Vec3(0.6, 2, 2)}) soup.add(p, 1);
    soup.edges = {{0, 1}, {6, 7}};
    soup.bare = {2, 4, 5};
    const World world = bare_world(soup);
    const MoveCertifier certifier(world);
    const auto move = [&](Index v, const Vec3& to) {
        VecX y = soup.x();
        y.segment<3>(3 * v) = to;
        return certifier.certify_move(soup.x(), y);
    };
    CHECK(move(4, {0.5, 0.01, 0}).ok());
    CHECK(move(4, {0.5, -1, 0.01}).ok());
    const auto point_edge = move(4, {0.5, -1, 0});
    REQUIRE(point_edge.unproved == 1);
    CHECK(audit::describe(world, point_edge.first_unproved[0]) ==
          "body 'b' vertex 0 against body 'a' edge (0, 1): touching is not excluded");
    const auto point_point = move(5, {0, -1, 1});
    REQUIRE(point_point.unproved == 1);
    CHECK(point_point.first_unproved[0].kind == audit::MovePairKind::point_point);
    const auto edge_edge = move(7, {0.6, -2, 1});
    REQUIRE(edge_edge.unproved == 1);
    CHECK(edge_edge.first_unproved[0].kind == audit::MovePairKind::edge_edge);
}

TEST_CASE("certifier: no pair is missed: against all pairs without boxes") {
    const std::uint64_t seed = 37;
    Dice dice(seed);
    INFO("seed ", seed);
    long unproved = 0;
    for (int i = 0; i < 12; ++i) {
        Soup soup;
        for (int v = 0; v < 24; ++v) soup.add(dice.vector(1.0), v < 12 ? 0 : 1);
        for (Index t = 0; t < 8; ++t) soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        const World world = bare_world(soup);
        const VecX x0 = soup.x();
        VecX x1 = x0;
        const double speed = i % 3 == 0 ? 3.0 : 0.3;
        const Vec3 common = dice.vector(100.0);
        for (Index v = 0; v < 24; ++v) x1.segment<3>(3 * v) += dice.vector(speed) + common;
        const MoveCertificate certificate = MoveCertifier(world).certify_move(x0, x1);
        long slow = 0;
        const auto pair = [&](audit::PairKind kind, const std::array<Index, 4>& vertices) {
            audit::PairMove move{kind, {}, {}};
            for (std::size_t k = 0; k < 4; ++k) {
                move.x0[k] = x0.segment<3>(3 * vertices[k]);
                move.x1[k] = x1.segment<3>(3 * vertices[k]);
            }
            slow += audit::certify_pair(move) != audit::MoveVerdict::separate;
        };
        for (const Triangle& t : soup.triangles) {
            for (Index v = 0; v < 24; ++v) {
                if (std::find(t.begin(), t.end(), v) == t.end())
                    pair(audit::PairKind::point_triangle, {v, t[0], t[1], t[2]});
            }
        }
        const auto& edges = world.surface.edges;
        for (std::size_t a = 0; a < edges.size(); ++a) {
            for (std::size_t b = a + 1; b < edges.size(); ++b) {
                if (disjoint(ids(edges[a]), ids(edges[b])))
                    pair(audit::PairKind::edge_edge, {edges[a][0], edges[a][1], edges[b][0], edges[b][1]});
            }
        }
        CHECK(certificate.unproved == slow);
        unproved += slow;
    }
    CHECK(unproved > 50);
}

TEST_CASE("certifier: every move that ipc accepts is proved; a box of a few thousand nodes takes milliseconds a move") {
    WorldBuilder builder;
    builder.add_deformable("block", moved(generate_box({0.4, 0.4, 0.4}, {4, 4, 4}), {0, 0.21, 0}), {}, {0.5, -2, 0},
                           {0, 3, 1});
    builder.add_obstacle("slab", moved(generate_box({2, 0.02, 2}, {4, 1, 4}, Fill::surface), {0, -0.01, 0}));
    builder.add_half_space("ground", {0, -1, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    Recorder recorder;
    const double start = now_seconds();
    for (int step = 0; step < 4; ++step) {
        StepInput input = schedule(world, state, 0.02);
        input.moves = &recorder;
        StepResult result;
        ipc.step(world, state, input, result);
        REQUIRE(is_accepted(result.report.status));
        state = result.state;
    }
    const double solved = now_seconds();
    const MoveCertifier certifier(world);
    MoveCertificate total;
    VecX last = world.initial_positions;
    for (const auto& [x0, x1] : recorder.moves) {
        CHECK(x0 == last);  // the moves are a chain
        last = x1;
        total += certifier.certify_move(x0, x1);
    }
    CHECK(last == state.x);
    MESSAGE(total.moves, " moves, ", total.pairs, " pairs, ", total.unproved, " unproved, ",
            1e3 * (now_seconds() - solved), " ms; solved in ", 1e3 * (solved - start), " ms");
    CHECK(total.ok());
    CHECK(total.pairs > 1000);

    Blocks large(1e-4, 14);
    const double before = now_seconds();
    const MoveCertificate certificate = large.certify(large.shifted({0.05, 0, 0.02}));
    MESSAGE(large.world.vertex_count(), " vertices: ", certificate.pairs, " pairs, ", certificate.tets, " tets, ",
            1e3 * (now_seconds() - before), " ms");
    CHECK(certificate.ok());
    set_thread_count(1);
    const MoveCertificate down = large.certify(large.shifted({0, -1, 0}));
    set_thread_count(0);
    const MoveCertificate again = large.certify(large.shifted({0, -1, 0}));
    CHECK(again.first_unproved == down.first_unproved);
    CHECK(again.pairs == down.pairs);
    CHECK(again.unproved == down.unproved);
}

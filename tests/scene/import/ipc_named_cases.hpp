// Where vertices are in time under each animation of IPC scripts, worked out from what the format says, without the
// importer.
#pragma once

#include "stiction/base/types.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace ipc_named {

using stiction::Vec3;

inline const double circle = 2.0 * std::numbers::pi;
inline const double h = 0.07;

/// A body by its name; where its vertex started; how many steps were made. Nothing: the vertex is free.
using Place = std::function<std::optional<Vec3>(const std::string& body, const Vec3& x, int n)>;

struct NamedCase {
    std::array<int, 3> steps;
    Place place;
    std::function<Vec3(const Vec3&)> start = [](const Vec3& x) { return x; };  ///< of the bar, from the file
};

inline std::optional<Vec3> free_vertex(const std::string&, const Vec3&, int) {
    return std::nullopt;
}

/// The bar's vertices that pass a test are displaced, all others free; other bodies stay.
inline Place bar_moves(const std::function<std::optional<Vec3>(const Vec3& x, int n)>& displacement) {
    return [=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
        if (body != "bar") return x;
        const auto d = displacement(x, n);
        if (!d) return std::nullopt;
        return Vec3(x + *d);
    };
}

inline Place bar_holds(const std::function<bool(const Vec3& x)>& test) {
    return bar_moves([=](const Vec3& x, int) -> std::optional<Vec3> {
        if (test(x)) return Vec3(0, 0, 0);
        return std::nullopt;
    });
}

/// Bodies by name; everything else that is not the bar stays.
inline Place bodies_move(
    const std::function<std::optional<Vec3>(const std::string& body, const Vec3& x, int n)>& place) {
    return [=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
        if (body == "bar") return std::nullopt;
        const auto moved = place(body, x, n);
        return moved ? *moved : x;
    };
}

inline Vec3 turned(const Vec3& x, const Vec3& centre, int axis, double angle) {
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const Vec3 arm = x - centre;
    Vec3 result = x;
    result[a] = centre[a] + std::cos(angle) * arm[a] - std::sin(angle) * arm[b];
    result[b] = centre[b] + std::sin(angle) * arm[a] + std::cos(angle) * arm[b];
    return result;
}

/// Displacement after n steps of something that turns round before every step in which it is at or beyond a bound.
inline double zigzag(int n, double step, double low, double high) {
    double d = 0.0;
    for (int k = 0; k < n; ++k) {
        if (d <= low || d >= high) step = -step;
        d += step;
    }
    return d;
}

/// Steps made until a thing that goes `step` each has gone `far`.
inline int steps_to(double far, double step) {
    return static_cast<int>(std::ceil(far / step));
}

/// Distance of each of two things after n steps that come together by `step` and part once their gap is below `limit`.
inline double together(int n, double step, double gap, double limit) {
    const int near = static_cast<int>(std::floor((gap - limit) / (2 * step))) + 1;
    return step * (n <= near ? n : 2 * near - n);
}

inline bool is_left(const Vec3& x) {
    return x.x() < 0.07;
}
inline bool is_right(const Vec3& x) {
    return x.x() > 6.93;
}

inline std::optional<Vec3> nothing() {
    return std::nullopt;
}

/// Left and right move oppositely along an axis.
inline Place sides_go(int axis, const std::function<double(int n)>& left) {
    return bar_moves([=](const Vec3& x, int n) -> std::optional<Vec3> {
        if (is_left(x)) return Vec3(left(n) * Vec3::Unit(axis));
        if (is_right(x)) return Vec3(-left(n) * Vec3::Unit(axis));
        return nothing();
    });
}

/// The same with a turn about the x axis through the middle of the bar. @param spin  rad/s of the right side
inline Place sides_turn(double spin, double step, const std::function<double(int n)>& left) {
    return bar_moves([=](const Vec3& x, int n) -> std::optional<Vec3> {
        if (!is_left(x) && !is_right(x)) return nothing();
        const double sign = is_left(x) ? -1 : 1;
        const Vec3 goal = turned(x, Vec3(3.5, 2, 1), 0, sign * spin * n * step) - sign * Vec3(left(n), 0, 0);
        return Vec3(goal - x);
    });
}

// --- The cases -------------------------------------------------------------------------------------------------------

using Cases = std::map<std::string, NamedCase>;

inline void add_free(Cases& cases) {
    const double diagonal = std::sqrt(49.0 + 16 + 4);
    const auto lifted = [](double by) { return [=](const Vec3& x) { return Vec3(x + Vec3(0, by, 0)); }; };
    const std::array<int, 3> steps{1, 2, 3};
    for (const char* name : {"fallNoShift", "drop", "leftHitRight", "XYRotate"}) cases[name] = {steps, free_vertex};
    cases["fall"] = {steps, free_vertex, lifted(0.5 * diagonal)};
    cases["scaleF"] = {steps, free_vertex, [](const Vec3& x) { return Vec3(1.5 * x); }};
    cases["onepoint"] = {steps, free_vertex, [](const Vec3&) { return Vec3(3.5, 4, 1); }};
    cases["random"] = {steps, free_vertex, [](const Vec3& x) {
                           static std::vector<Vec3> places;
                           if (places.empty()) {
                               std::srand(1);
                               places.resize(8 * 5 * 3);
                               for (int axis = 0; axis < 3; ++axis)
                                   for (Vec3& p : places) p[axis] = static_cast<double>(std::rand()) / RAND_MAX;
                               const Vec3 first = places[0];
                               for (Vec3& p : places) p += Vec3(3.5, 4, 1) - first;
                           }
                           return places[static_cast<std::size_t>(x.x() + 8 * (x.y() + 5 * x.z()))];
                       }};
    cases["null"] = {{1, 7, 60}, [](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
                         if (body == "bar") return nothing();
                         const Vec3 centre(0.5, -5, 0.5);
                         return Vec3(turned(x, centre, 1, circle / 4 * n * h) + Vec3(0.5 * n * h, 0, 0));
                     }};
}

inline void add_held(Cases& cases) {
    const std::array<int, 3> steps{1, 20, 50};
    const auto hold = [&](const char* name, const std::function<bool(const Vec3&)>& test) {
        cases[name] = {steps, bar_holds(test)};
    };
    hold("hang", [](const Vec3& x) { return x == Vec3(0, 4, 2) || x == Vec3(7, 4, 2); });
    hold("hang2", [](const Vec3& x) { return x.y() > 3.96; });
    hold("hangTopLeft", [](const Vec3& x) { return x == Vec3(0, 4, 0) || x == Vec3(0, 4, 2); });
    hold("hangLeft", is_left);
    hold("stamp", is_left);
    hold("stampTopLeft", [](const Vec3& x) { return is_left(x) && x.y() == 4; });
    hold("stampBoth", [](const Vec3& x) { return is_left(x) || is_right(x); });
    hold("stand", [](const Vec3& x) { return x.y() < 0.04; });
    hold("topbottomfix", [](const Vec3& x) { return x.y() < 0.08 || x.y() > 3.92; });
    hold("fixLowerHalf", [](const Vec3& x) { return x.y() < 2; });
    hold("corner", [](const Vec3& x) { return x.x() < 0.07 || x.y() < 0.04 || x.z() < 0.02; });
    hold("swing", [](const Vec3& x) { return x.x() < 0.35; });
    cases["swing"].start = [](const Vec3& x) { return Vec3(x + Vec3(0, 5.2, 0)); };
    hold("fixRightMost1", [](const Vec3& x) { return x == Vec3(7, 0, 0); });
    hold("stampInv", [](const Vec3& x) { return x.x() > -0.01; });  // x = 0 stays, the others go to -0.1 and beyond
    cases["stampInv"].start = [](const Vec3& x) { return Vec3(-0.1 * x.x(), x.y(), x.z()); };
    hold("standInv", [](const Vec3& x) { return x.y() > -0.01; });
    cases["standInv"].start = [](const Vec3& x) { return Vec3(x.x(), -0.1 * x.y(), x.z()); };
}

inline void add_sides(Cases& cases) {
    const double pi = circle / 2;
    cases["stretch"] = {{1, 20, 100}, sides_go(0, [](int n) { return -0.1 * n * h; })};
    cases["squash"] = {{1, 20, 100}, sides_go(0, [](int n) { return 0.03 * n * h; })};
    cases["stretchnsquash"] = {{10, 20, 130}, sides_go(0, [](int n) { return zigzag(n, -0.9 * h, -0.8, 0.4); })};
    cases["upndown"] = {{3, 9, 140}, sides_go(1, [](int n) { return zigzag(n, 1.8 * h, -0.6, 0.6); })};
    cases["undstamp"] = {{3, 9, 140}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                             if (is_left(x)) return Vec3(0, zigzag(n, 1.8 * h, -0.6, 0.6), 0);
                             return nothing();
                         })};
    cases["twist"] = {{1, 30, 140}, sides_turn(0.4 * pi, h, [](int) { return 0.0; })};
    cases["twistnstretch"] = {{1, 30, 140}, sides_turn(0.1 * pi, h, [](int n) { return -0.1 * n * h; })};
    cases["twistnsns"] = {{10, 30, 140}, sides_turn(0.4 * pi, h, [](int n) { return zigzag(n, -1.2 * h, -1.2, 0.4); })};
    cases["twistnsns_old"] = {{10, 30, 140},
                              sides_turn(0.4 * pi, h, [](int n) { return zigzag(n, -0.9 * h, -0.8, 0.4); })};
    cases["bend"] = {{1, 30, 140}, bar_moves([=](const Vec3& x, int n) -> std::optional<Vec3> {
                         if (is_left(x)) return Vec3(turned(x, Vec3(0, 4, 2), 2, -0.05 * pi * n * h) - x);
                         if (is_right(x)) return Vec3(turned(x, Vec3(7, 4, 2), 2, 0.05 * pi * n * h) - x);
                         return nothing();
                     })};
    cases["stretchAndPause"] = {{1, 2, 40}, sides_go(0, [](int n) { return -0.1 * std::min(n, 3); })};
}

inline void add_groups(Cases& cases) {
    const auto top_goes = [](const std::function<Vec3(int n)>& d) {
        return bar_moves([=](const Vec3& x, int n) -> std::optional<Vec3> {
            if (x.y() < 0.04) return Vec3(0, 0, 0);
            if (x.y() > 3.96) return d(n);
            return nothing();
        });
    };
    cases["push"] = {{3, 8, 50}, top_goes([](int n) { return Vec3(0, -h * std::min(n, steps_to(0.5, h)), 0); })};
    cases["tear"] = {{3, 12, 60}, top_goes([](int n) {
                         const int turn = steps_to(4, 5 * h);
                         return Vec3(-5 * h * (n <= turn ? n : 2 * turn - n), 0, 0);
                     })};
    cases["rubberBandPull"] = {{5, 29, 60}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                                   const int end = steps_to(5, 2.5 * h);
                                   if (x.y() == 0 || x.y() == 4)
                                       return Vec3(0, (x.y() == 0 ? -0.2 : 0.2) * h * std::min(n, end), 0);
                                   if (x.y() == 2 && n <= end) return Vec3(-2.5 * n * h, 0, 0);
                                   return nothing();
                               })};
    cases["fourLegPull"] = {{5, 21, 40}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                                const bool held = n <= steps_to(5, 3.5 * h);
                                if (x.y() > 4 - 0.129 * 4 && x.x() < 0.16 * 7) return Vec3(0, 0, 0);
                                if (!held) return nothing();
                                if (x.y() > 4 - 0.16 * 4 && x.x() > 7 - 0.16 * 7) return Vec3(2.5 * n * h, 0, 0);
                                if (x.y() < 0.08 && x.x() > 7 - 0.25 * 7) return Vec3(2.5 * n * h, -3.5 * n * h, 0);
                                if (x.y() < 0.08 && x.x() < 0.25 * 7) return Vec3(0, -3.5 * n * h, 0);
                                return nothing();
                            })};
    cases["headTailPull"] = {{5, 19, 40}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                                 if (n > steps_to(4.5, 3.5 * h)) return nothing();
                                 return x.z() == 1 ? Vec3(0, 0, 0) : Vec3(3.5 * n * h, 0, 0);
                             })};
    cases["toggleTop"] = {{1, 3, 10}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                              if (x.y() < 3.92 || n > steps_to(0.1, 0.5 * h)) return nothing();
                              return Vec3(-0.5 * n * h, 0, 0);
                          })};
    const double lift = 0.5 * std::sqrt(49.0 + 16 + 4);
    const auto lifted = [=](const Vec3& x) { return Vec3(x + Vec3(0, lift, 0)); };
    cases["dragdown"] = {{1, 20, 100},
                         bar_moves([=](const Vec3& x, int n) -> std::optional<Vec3> {
                             if (x.y() > lift + 0.4 || x.x() != 3) return nothing();
                             return Vec3(0, -1.5 * n * h, 0);
                         }),
                         lifted};
    // What is free does not follow here, so that nothing is let go: that has a test of its own below.
    cases["dragright"] = {{1, 86, 100},
                          bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                              if (x.x() < 6.72) return nothing();
                              return Vec3(0.5 * n * h, 0, 0);
                          }),
                          lifted};
    cases["curtain"] = {{1, 20, 100}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                            if (x.y() != 4) return nothing();
                            return Vec3(0.04 * (7 - x.x()) / 7 * n * h, 0, 0);
                        })};
    cases["pushRightMost1"] = {{1, 20, 100}, bar_moves([](const Vec3& x, int n) -> std::optional<Vec3> {
                                   if (x != Vec3(7, 0, 0)) return nothing();
                                   return Vec3(-0.15 * n * h, 0, 0);
                               })};
    for (const char* name : {"NMFixBottomDragLeft", "NMFixBottomDragForward"})
        cases[name] = {{1, 20, 50}, bar_holds([](const Vec3& x) { return x.y() < 0.2; })};
    cases["utopiaComparison"] = {{1, 20, 50}, bar_holds([](const Vec3& x) { return x.y() < 7e-4; })};
}

inline void add_planes_and_mesh_obstacles(Cases& cases) {
    const auto planes = [](int axes, double limit) {
        const double gaps[] = {11, 10.05, 8};
        return bodies_move([=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
            const int plane = body == "half_space" ? 0 : body.back() - '1';
            const int axis = plane / 2;
            if (axis >= axes) return nothing();
            const double d = together(n, h, gaps[axis], limit);
            return Vec3(x + (plane % 2 == 0 ? d : -d) * Vec3::Unit(axis));
        });
    };
    cases["ACOSquash"] = {{10, 78, 120}, planes(1, 0.1)};
    cases["ACOSquash6"] = {{10, 72, 140}, planes(3, 0.2)};
    cases["ACOSquashShear"] = {{10, 73, 120},
                               bodies_move([](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
                                   const int near = static_cast<int>(std::floor((11 - 0.8) / (2 * h))) + 1;
                                   const double d = std::min(n, near) * h, up = std::max(0, n - near) * h;
                                   if (body == "half_space") return Vec3(x + Vec3(d, 0, 0));
                                   if (body == "half_space_2") return Vec3(x + Vec3(-d, up, 0));
                                   return nothing();
                               })};
    const auto number = [](const std::string& body) { return body == "box" ? 0 : body.back() - '1'; };
    cases["MCOSquash"] = {{10, 33, 80},
                          bodies_move([=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
                              const double d = together(n, h, 6, 1.5);
                              if (number(body) > 1) return nothing();
                              return Vec3(x + Vec3(number(body) == 0 ? d : -d, 0, 0));
                          })};
    cases["MCORotSquash"] = {{1, 33, 80},
                             bodies_move([=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
                                 const int k = number(body);
                                 if (k > 1) return nothing();
                                 return turned(x, Vec3(6 * k, k == 0 ? -19 : -21, 3), 2, circle / 2 * n * h);
                             })};
    const auto cylinders = [=](const std::function<Vec3(int k)>& centre) {
        return bodies_move([=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
            const int k = number(body), axes[] = {0, 0, 2, 2}, signs[] = {1, -1, -1, 1};
            return turned(x, centre(k), axes[k], signs[k] * circle / 4 * n * h);
        });
    };
    cases["MCORotCylinders"] = {{1, 33, 80}, cylinders([](int k) { return Vec3(6 * k, -20, 3); })};
    cases["DCORotCylinders"] = {{1, 33, 80}, cylinders([](int k) { return Vec3(10 * k + 0.5, -19.5, 0.5); })};
}

inline void add_shapes(Cases& cases) {
    const auto number = [](const std::string& body) { return body == "box" ? 0 : body.back() - '1'; };
    cases["DCOVerschoorRoller"] = {
        {1, 33, 80}, bodies_move([=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
            const double spins[] = {-4, -2, 2, 4, 2, -2};
            const int k = number(body);
            return turned(x, Vec3(10 * k + 0.5, -19.5, 0.5), k < 4 ? 2 : 0, spins[k] * n * h);
        })};
    const auto squash = [=](int axes) {
        return bodies_move([=](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
            const int k = number(body);
            const double d = together(n, h, 9, 0.1);
            REQUIRE(k / 2 < axes);
            return Vec3(x + (k % 2 == 0 ? d : -d) * Vec3::Unit(k / 2));
        });
    };
    cases["DCOSquash"] = {{10, 64, 120}, squash(1)};
    cases["DCOSquash6"] = {{10, 64, 120}, squash(3)};
    cases["DCOFix"] = {{1, 20, 50}, bodies_move([](const std::string&, const Vec3&, int) { return nothing(); })};
    cases["DCOBallHitWall"] = cases["DCOFix"];
    cases["DCOHammerWalnut"] = {{3, 7, 50},
                                bodies_move([](const std::string&, const Vec3& x, int n) -> std::optional<Vec3> {
                                    return turned(x, Vec3(-19, 0.3, 0.5), 2, circle / 12 * h * std::min(n, 7));
                                })};
    cases["DCOCut"] = {{3, 14, 50}, bodies_move([](const std::string&, const Vec3& x, int n) -> std::optional<Vec3> {
                           const double d = h * std::min(n, 14);
                           return Vec3(x - Vec3(0, d, d));
                       })};
    cases["DCOSegBedSquash"] = {{3, 13, 50},
                                bodies_move([](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
                                    if (body == "edge") return nothing();
                                    return Vec3(x - Vec3(0, h * std::min(n, 13), 0));
                                })};
    cases["DCOSqueezeOut"] = {{10, 167, 180},
                              bodies_move([](const std::string& body, const Vec3& x, int n) -> std::optional<Vec3> {
                                  if (body != "box") return nothing();
                                  return Vec3(x - Vec3(0, 0.3 * h * std::min(n, 167), 0));
                              })};
    cases["meshSeqFromFile"] = {{1, 5, 50},
                                bodies_move([](const std::string&, const Vec3& x, int n) -> std::optional<Vec3> {
                                    // 1.obj is reached after the first step; 11.obj is the last.
                                    return Vec3(x.x(), -5 - 0.1 * std::min(n, 11), x.z());
                                })};
}

inline Cases all_cases() {
    Cases cases;
    add_free(cases), add_held(cases), add_sides(cases), add_groups(cases), add_planes_and_mesh_obstacles(cases);
    add_shapes(cases);
    return cases;
}

}  // namespace ipc_named

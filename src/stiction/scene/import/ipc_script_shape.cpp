#include "stiction/scene/import/ipc_script_shape.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

namespace stiction::scene {
namespace {

template <class Box>
void read_box(Box& box, IpcWords& w) {
    box.min = w.vector("two corners of a box (six numbers)");
    box.max = w.vector("two corners of a box (six numbers)");
    if ((box.min.array() > box.max.array()).any()) w.refuse("", "a box with min <= max along every axis");
}

template <class Box>
void read_times(Box& box, IpcWords& w) {
    if (w.at_number()) box.begin = w.number("");
    if (w.at_number()) box.end = w.number("");
    if (!(box.end > box.begin)) w.refuse(fmt::format("{} {}", box.begin, box.end), "an end after the begin");
}

}  // namespace

void read_ipc_shape_extra(const std::string& extra, IpcShape& shape, const std::string& file, IpcWords& w) {
    const auto positive = [](double value) { return value > 0.0; };
    if (extra == "material") {
        shape.material.emplace();
        shape.material->line = w.line(), shape.material->keyword = extra;
        shape.material->density = w.number("density > 0, Young's modulus > 0 and Poisson's ratio", positive);
        shape.material->youngs_modulus = w.number("density > 0, Young's modulus > 0 and Poisson's ratio", positive);
        shape.material->poissons_ratio = w.number("density > 0, Young's modulus > 0 and Poisson's ratio");
    } else if (extra == "initVel") {
        shape.initial_velocity = w.vector("a velocity and an angular velocity (six numbers)");
        shape.initial_spin = w.vector("a velocity and an angular velocity (six numbers)");
    } else if (extra == "linearVelocity") {
        shape.linear_velocity = w.vector("a velocity");
    } else if (extra == "angularVelocity") {
        shape.angular_velocity = w.vector("an angular velocity (degrees/s)");
    } else if (extra == "DBC") {
        IpcDrivenBox box;
        read_box(box, w);
        box.velocity = w.vector("a velocity");
        box.spin = w.vector("an angular velocity (degrees/s)");
        read_times(box, w);
        shape.driven.push_back(box);
    } else if (extra == "NBC") {
        IpcLoadedBox box;
        read_box(box, w);
        box.acceleration = w.vector("an acceleration");
        read_times(box, w);
        shape.loaded.push_back(box);
    } else if (extra == "meshSeq") {
        shape.sequence = w.text("a folder");
    } else {
        const std::string nearest =
            nearest_name(extra, {"material", "initVel", "linearVelocity", "angularVelocity", "DBC", "NBC", "meshSeq"});
        throw InputError(file, fmt::format("line {}", w.line()), extra,
                         nearest.empty() ? "material, initVel, linearVelocity, angularVelocity, DBC, NBC or meshSeq"
                                         : "'" + nearest + "'");
    }
}

}  // namespace stiction::scene

#include "stiction/scene/import/ipc_script_shape.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_keywords.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    if (w.at_time()) w.time_into(box.begin, "");
    if (w.at_time()) w.time_into(box.end, "");
}

}  // namespace

void read_ipc_shape_extra(const std::string& extra, IpcShape& shape, const std::string& file, IpcWords& w) {
    if (extra == "material") {
        const std::string expected = "density, Young's modulus and Poisson's ratio";
        IpcMaterial material;
        material.line = w.line(), material.keyword = extra;
        material.density = w.number(expected);
        material.youngs_modulus = w.number(expected);
        material.poissons_ratio = w.number(expected);
        if (material.density > 0.0 && material.youngs_modulus > 0.0)
            shape.material = material;
        else
            w.note("density and Young's modulus are not both > 0: the script's material holds, as there");
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
        std::vector<std::string> known;
        for (const IpcKeyword& entry : ipc_shape_extras()) known.push_back(entry.name);
        const std::string nearest = nearest_name(extra, known);
        throw InputError(file, fmt::format("line {}", w.line()), extra,
                         nearest.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : "'" + nearest + "'");
    }
}

}  // namespace stiction::scene

#include "stiction/scene/key_hints.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace stiction::scene {
namespace {

/// Names that people bring, and the path of what they mean here.
struct Meaning {
    std::initializer_list<const char*> names;
    const char* path;  ///< its words are tried from the last one on: known here, or in an object that is known here
};

const std::array meanings{
    Meaning{{"E", "young", "youngs", "young_modulus", "stiffness"}, "material.youngs_modulus"},
    Meaning{{"nu", "poisson", "poisson_ratio"}, "material.poissons_ratio"},
    Meaning{{"rho"}, "material.density"},
    Meaning{{"type", "model"}, "material.law"},
    Meaning{{"mu", "friction_coefficient", "coefficient_of_friction"}, "contact.friction"},
    Meaning{{"dt", "h", "timestep", "time_step"}, "time.step"},
    Meaning{{"tend", "t_end", "duration", "end_time"}, "time.end"},
    Meaning{{"at", "position", "pos", "translate"}, "transform.translation"},
    Meaning{{"position"}, "center"},
    Meaning{{"rotate", "orientation"}, "transform.rotation"},
    Meaning{{"size"}, "transform.dimensions"},
    Meaning{{"initial_velocity", "linear_velocity"}, "velocity"},
    Meaning{{"omega"}, "angular_velocity"},
    Meaning{{"origin"}, "half_space.point"},
    Meaning{{"path", "filename"}, "mesh.file"},
    Meaning{{"dirichlet", "boundary_conditions", "fixed"}, "boundary"},
    Meaning{{"objects", "geometry"}, "bodies"},
    Meaning{{"d_hat"}, "ipc.dhat"},
    Meaning{{"eps_v"}, "ipc.friction_velocity"},
    Meaning{{"eps_d"}, "ipc.velocity_tolerance"},
    Meaning{{"kappa"}, "ipc.barrier_stiffness"},
    // no other names: keys that stand a level too high or too low
    Meaning{{}, "contact.kinetic_friction"},
    Meaning{{}, "contact.pairs"},
    Meaning{{}, "contact.self_contact"},
    Meaning{{}, "transform.scale"},
    Meaning{{}, "time.steps"},
    Meaning{{}, "time.integrator"},
    Meaning{{}, "material.mass_damping"},
    Meaning{{}, "material.stiffness_damping"},
};

/// Keys of the top of the scene whose parts are meant wherever they stand.
constexpr std::array<std::string_view, 3> top_keys{"contact", "time", "ipc"};

std::string in_quotes(std::string_view name) {
    return "'" + std::string(name) + "'";
}

/// The path as it is written where these keys are known; empty where it does not belong.
std::string written_here(std::string_view path, const std::vector<std::string>& known) {
    const auto is_known = [&](std::string_view name) {
        return std::find(known.begin(), known.end(), name) != known.end();
    };
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return is_known(path) ? in_quotes(path) : std::string();
    if (is_known(path.substr(dot + 1))) return in_quotes(path.substr(dot + 1));
    const std::string_view parent = path.substr(0, dot);
    if (is_known(parent)) return in_quotes(path);
    const bool of_scene = std::find(top_keys.begin(), top_keys.end(), parent) != top_keys.end();
    return of_scene ? in_quotes(path) + " of the scene" : "";
}

}  // namespace

std::string proposed_key(const std::string& key, const std::vector<std::string>& known) {
    for (const Meaning& meaning : meanings) {
        const std::string_view path = meaning.path;
        const bool own_name = path.substr(path.find('.') + 1) == key;
        const bool named = std::find(meaning.names.begin(), meaning.names.end(), key) != meaning.names.end();
        if (!named && !own_name) continue;
        if (std::string here = written_here(path, known); !here.empty()) return here;
    }
    const auto goes_on = [&](const std::string& name) { return key.size() >= 3 && name.starts_with(key); };
    if (const auto longer = std::find_if(known.begin(), known.end(), goes_on); longer != known.end()) {
        return in_quotes(*longer);
    }
    const std::string nearest = nearest_name(key, known);
    return nearest.empty() ? std::string() : in_quotes(nearest);
}

}  // namespace stiction::scene

#include "arrays.hpp"
#include "scene.hpp"
#include "simulation.hpp"

#include "stiction/base/error.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/membrane.hpp"
#include "stiction/fem/tet10_elasticity.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <type_traits>
#include <variant>

namespace stiction::python {
namespace {

const Body& body_at(const Simulation& self, Index body) {
    if (body < 0 || body >= static_cast<Index>(self.world().bodies.size())) throw nb::index_error("no such body");
    return self.world().bodies[static_cast<std::size_t>(body)];
}

const char* kind(const Body& body) {
    if (body.is_shell()) return "shell";
    if (body.is_rod()) return "rod";
    switch (body.kind) {
        case BodyKind::deformable: return "solid";
        case BodyKind::rigid: return "rigid";
        case BodyKind::obstacle: return "obstacle";
        case BodyKind::half_space: return "half_space";
    }
    return "";
}

/// A stacked vector of the present state, one of all vertices or of one body's.
Array<double> field(Simulation& self, const VecX State::*member, std::optional<Index> body) {
    const Present present = self.present();
    const VecX& stacked = (*present.state).*member;
    const Index first = body ? body_at(self, *body).first_vertex : 0;
    const Index n = body ? body_at(self, *body).vertex_count() : self.world().vertex_count();
    return vectors(stacked.data() + 3 * first, static_cast<std::size_t>(n), keep_alive(present.state));
}

std::shared_ptr<const StepResult> last_result(Simulation& self, const char* what) {
    const Present present = self.present();
    if (!present.result)
        throw std::runtime_error(
            fmt::format("{}: there is none before the first step, after an edit and after a restored "
                        "state",
                        what));
    return present.result;
}

Array<double> force(Simulation& self, const VecX StepResult::*member, const char* what, std::optional<Index> body) {
    const auto result = last_result(self, what);
    const VecX& stacked = (*result).*member;
    const Index first = body ? body_at(self, *body).first_vertex : 0;
    const Index n = body ? body_at(self, *body).vertex_count() : self.world().vertex_count();
    if (stacked.size() == 0) {  // no contact at all in the step
        auto zeros = std::make_shared<std::vector<double>>(3 * static_cast<std::size_t>(n), 0.0);
        const double* data = zeros->data();
        return vectors(data, static_cast<std::size_t>(n), keep_alive(std::move(zeros)));
    }
    return vectors(stacked.data() + 3 * first, static_cast<std::size_t>(n), keep_alive(result));
}

Array<std::uint8_t> contact_state(Simulation& self, std::optional<Index> body) {
    const auto result = last_result(self, "contact_state");
    if (result->contact_state.empty())
        throw std::runtime_error(fmt::format("contact_state: the method `{}` does not tell", self.method().name()));
    const Index first = body ? body_at(self, *body).first_vertex : 0;
    const Index n = body ? body_at(self, *body).vertex_count() : self.world().vertex_count();
    static_assert(sizeof(ContactState) == 1);
    return view(reinterpret_cast<const std::uint8_t*>(result->contact_state.data()) + first,
                {static_cast<std::size_t>(n)}, keep_alive(result));
}

/// The list of contacts as bytes, and the NumPy type of an entry as (name, format, offset), with its size.
nb::tuple contacts(Simulation& self) {
    static_assert(std::is_standard_layout_v<ContactForce> && sizeof(Index) == 4);
    const auto result = last_result(self, "contacts");
    const auto* data = reinterpret_cast<const std::uint8_t*>(result->contacts.data());
    const std::size_t size = sizeof(ContactForce);
    nb::list fields;
    const auto add = [&](const char* name, const char* format, std::size_t offset) {
        fields.append(nb::make_tuple(name, format, offset));
    };
    add("bodies", "(2,)i4", offsetof(ContactForce, bodies));
    add("vertices", "(4,)i4", offsetof(ContactForce, vertices));
    add("weights", "(4,)f8", offsetof(ContactForce, weights));
    add("friction_weights", "(4,)f8", offsetof(ContactForce, friction_weights));
    add("gap", "f8", offsetof(ContactForce, gap));
    add("normal", "(3,)f8", offsetof(ContactForce, normal));
    add("contact_force", "(3,)f8", offsetof(ContactForce, contact_force));
    add("friction_force", "(3,)f8", offsetof(ContactForce, friction_force));
    add("state", "u1", offsetof(ContactForce, state));
    return nb::make_tuple(view(data, {size * result->contacts.size()}, keep_alive(result)), fields, size);
}

template <class Elements>
Mat3 mean_stress(const Elements& elements, std::size_t e, const VecX& x) {
    return cauchy_stress(elements, e, x);
}

using RowMajorMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// Cauchy stress of each tet, of sheets that of the membrane in each triangle, of rods that in each edge (Pa). Of
/// quadratic tets the mean.
Array<double> stress(Simulation& self, Index number) {
    const Body& body = body_at(self, number);
    if (body.kind != BodyKind::deformable)
        throw InputError("", "stress", fmt::format("body '{}'", body.name), "a deformable body");
    const Present present = self.present();
    const std::size_t n = body.is_shell() ? body.mesh.triangles.size()
                          : body.is_rod() ? body.mesh.edges.size()
                                          : body.mesh.tets.size();
    auto values = std::make_shared<std::vector<double>>(9 * n, 0.0);
    const auto put = [&](const auto& group, const auto& elements) {
        for (std::size_t e = 0; e < elements.size(); ++e) {
            if (group.body[e] != number) continue;
            Eigen::Map<RowMajorMat3>(values->data() + 9 * static_cast<std::size_t>(group.body_element[e])) =
                mean_stress(elements, e, present.state->x);
        }
    };
    self.world().for_each_tet_group([&](const auto& group) {
        if (!group.frames) put(group, group.elements);
    });
    for (const SheetGroup& group : self.world().sheets) {
        if (const auto* triangles = std::get_if<TriangleElements>(&group.elements)) put(group, *triangles);
        if (const auto* edges = std::get_if<RodStretch>(&group.elements)) put(group, *edges);
    }
    const double* data = values->data();
    return view(data, {n, 3, 3}, keep_alive(std::move(values)));
}

/// The same of each tet of a solid at its corners, or at the points where the energy of quadratic ones is summed:
/// four times the same in linear ones.
Array<double> stress_in_tets(Simulation& self, Index number, bool at_corners) {
    const Body& body = body_at(self, number);
    if (body.kind != BodyKind::deformable || body.is_shell() || body.is_rod())
        throw InputError("", "stress", fmt::format("body '{}'", body.name), "a deformable solid");
    const Present present = self.present();
    const std::size_t n = body.mesh.tets.size();
    auto values = std::make_shared<std::vector<double>>(36 * n, 0.0);
    const auto put = [&](const auto& group, const auto& stress_at) {
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            if (group.body[e] != number) continue;
            for (std::size_t place = 0; place < 4; ++place)
                Eigen::Map<RowMajorMat3>(values->data() + 9 * (4 * static_cast<std::size_t>(group.body_element[e]) +
                                                               place)) = stress_at(group.elements, e, place);
        }
    };
    const VecX& x = present.state->x;
    for (const ElasticGroup& group : self.world().elastic)
        put(group, [&](const auto& elements, std::size_t e, std::size_t) { return cauchy_stress(elements, e, x); });
    for (const QuadraticGroup& group : self.world().quadratic)
        put(group, [&](const auto& elements, std::size_t e, std::size_t place) {
            return at_corners ? corner_stress(elements, e, place, x) : cauchy_stress(elements, e, place, x);
        });
    const double* data = values->data();
    return view(data, {n, 4, 3, 3}, keep_alive(std::move(values)));
}

/// Gauge pressure (Pa) of each filling of a body.
std::vector<double> pressure(Simulation& self, Index number) {
    const Body& body = body_at(self, number);
    const Present present = self.present();
    std::vector<double> result;
    for (const FilledRegion& filling : self.world().fillings) {
        if (filling.body != number) continue;
        const VolumeLaw law = filling.law(filling.overpressure(present.state->t));
        result.push_back(law.pressure(filling.energy.zone.volume(present.state->x), filling.energy.rest_volume));
    }
    if (result.empty()) throw InputError("", "pressure", fmt::format("body '{}'", body.name), "a body with a `volume`");
    return result;
}

nb::dict body_dictionary(const Simulation& self, Index number) {
    const Body& body = body_at(self, number);
    nb::dict result;
    result["name"] = body.name;
    result["kind"] = kind(body);
    result["first"] = body.first_vertex;
    result["count"] = body.vertex_count();
    return result;
}

template <class Element>
Array<Index> element_ids(nb::handle self, const std::vector<Element>& list) {
    return view<Index>(list.empty() ? nullptr : list.front().data(), {list.size(), std::tuple_size_v<Element>}, self);
}

void edit(Simulation& self, const VectorsArgument& x, const VectorsArgument& v) {
    const auto n = static_cast<std::size_t>(self.world().vertex_count());
    if (x.shape(0) != n || v.shape(0) != n)
        throw InputError("", "edit", fmt::format("{} positions and {} velocities", x.shape(0), v.shape(0)),
                         fmt::format("{} of each", n));
    VecX positions = stacked(x), velocities = stacked(v);
    const nb::gil_scoped_release unlocked;
    self.edit(std::move(positions), std::move(velocities));
}

}  // namespace

nb::dict report_dictionary(const StepReport& step) {
    nb::dict result;
    result["status"] = to_string(step.status);
    result["cause"] = step.cause;
    result["notes"] = nb::cast(step.notes);
    result["h"] = step.h;
    result["substeps"] = step.substeps;
    result["iterations"] = step.iterations;
    result["linear_solves"] = step.linear_solves;
    result["line_search"] = step.line_search;
    result["ccd_queries"] = step.ccd_queries;
    result["contacts"] = step.contacts;
    result["min_gap"] = step.min_gap;
    result["residual"] = step.residual;
    result["residual_unit"] = step.residual_unit;
    result["contact_residual"] = step.contact.residual;
    result["clamped"] = step.contact.clamped;
    result["overlaps"] = step.contact.overlaps;
    result["deepest_overlap"] = step.contact.deepest;
    result["overlap_a"] = step.contact.bodies[0];
    result["overlap_b"] = step.contact.bodies[1];
    result["kinetic"] = step.kinetic;
    result["elastic"] = step.elastic;
    result["gravity"] = step.gravity;
    result["work_loads"] = step.balance.loads;
    result["work_driven"] = step.balance.driven;
    result["work_friction"] = step.balance.friction;
    result["work_damping"] = step.balance.damping;
    result["energy_gain"] = step.balance.gain;
    result["momentum_loss"] = step.momentum_loss.linear;
    result["angular_momentum_loss"] = step.momentum_loss.angular;
    result["element_quality"] = step.quality.value;
    result["contact_load"] = step.contact_load.share;
    result["first_move"] = step.first_move.distance;
    result["first_move_explained"] = step.first_move.explained;
    result["contact_energy"] = step.contact_energy;
    result["damped"] = step.damped;
    result["momentum"] = nb::make_tuple(step.momentum.x(), step.momentum.y(), step.momentum.z());
    result["milliseconds"] = step.milliseconds;
    result["phases_ms"] = nb::cast(step.phases_ms);
    return result;
}

void bind_simulation(nb::module_& module) {
    using MaybeBody = std::optional<Index>;
    nb::class_<Simulation>(module, "Simulation", "A scene under way. stiction.Simulation wraps it.")
        .def(
            "__init__",
            [](Simulation* self, const ParsedScene& scene) {
                const nb::gil_scoped_release unlocked;
                new (self) Simulation(scene.spec);
            },
            nb::arg("scene"))
        .def(
            "step",
            [](Simulation& self) {
                const Simulation::Step step = [&] {
                    const nb::gil_scoped_release unlocked;
                    return self.step();
                }();
                if (step.raised) std::rethrow_exception(step.raised);
                nb::dict report = report_dictionary(step.report);
                report["verdict"] = step.verdict;
                return std::pair(step.done, report);
            },
            "One step: whether it could be made, else the state stays, and what it says about itself.")
        .def(
            "x", [](Simulation& self, MaybeBody body) { return field(self, &State::x, body); },
            nb::arg("body") = nb::none(), "Positions (n, 3) in metres.")
        .def(
            "v", [](Simulation& self, MaybeBody body) { return field(self, &State::v, body); },
            nb::arg("body") = nb::none(), "Velocities (n, 3) in m/s.")
        .def(
            "contact_force",
            [](Simulation& self, MaybeBody body) {
                return force(self, &StepResult::contact_force, "contact_force", body);
            },
            nb::arg("body") = nb::none(), "Contact forces (n, 3) in newtons.")
        .def(
            "friction_force",
            [](Simulation& self, MaybeBody body) {
                return force(self, &StepResult::friction_force, "friction_force", body);
            },
            nb::arg("body") = nb::none(), "Friction forces (n, 3) in newtons.")
        .def("contact_state", &contact_state, nb::arg("body") = nb::none(), "0 open, 1 sticking, 2 sliding (n).")
        .def("contacts", &contacts, "Bytes of the list of contacts, fields of an entry, and its size.")
        .def("stress", &stress, nb::arg("body"), "Cauchy stress (k, 3, 3) in Pa, tension positive.")
        .def("stress_in_tets", &stress_in_tets, nb::arg("body"), nb::arg("at_corners"),
             "Cauchy stress (k, 4, 3, 3) in Pa, tension positive, at four places of each tet.")
        .def("pressure", &pressure, nb::arg("body"), "Gauge pressures of the fillings in Pa.")
        .def(
            "rest",
            [](nb::object self) {
                const World& world = nb::cast<Simulation&>(self).world();
                return vectors(world.initial_positions.data(), static_cast<std::size_t>(world.vertex_count()), self);
            },
            "Positions (n, 3) at t = 0 in metres.")
        .def(
            "mass",
            [](nb::object self) {
                const World& world = nb::cast<Simulation&>(self).world();
                return view<double>(world.mass.data(), {static_cast<std::size_t>(world.vertex_count())}, self);
            },
            "Masses (n) in kg, of obstacles 0.")
        .def(
            "tets",
            [](nb::object self, Index body) {
                return element_ids(self, body_at(nb::cast<Simulation&>(self), body).mesh.tets);
            },
            nb::arg("body"), "Vertex ids (k, 4) inside the body.")
        .def(
            "triangles",
            [](nb::object self, Index body) {
                const Body& item = body_at(nb::cast<Simulation&>(self), body);
                return element_ids(self, item.is_shell() ? item.mesh.triangles : item.surface);
            },
            nb::arg("body"), "Vertex ids (k, 3) inside the body: of the surface, of a shell all.")
        .def(
            "edges",
            [](nb::object self, Index body) {
                return element_ids(self, body_at(nb::cast<Simulation&>(self), body).mesh.edges);
            },
            nb::arg("body"), "Vertex ids (k, 2) of the bare edges inside the body.")
        .def(
            "bodies",
            [](const Simulation& self) {
                nb::list result;
                for (std::size_t b = 0; b < self.world().bodies.size(); ++b)
                    result.append(body_dictionary(self, static_cast<Index>(b)));
                return result;
            },
            "Name, kind, first vertex and number of vertices of each body.")
        .def_prop_ro("t", [](const Simulation& self) { return self.now().first; })
        .def_prop_ro("steps_done", [](const Simulation& self) { return self.now().second; })
        .def_prop_ro("step_size", &Simulation::step_size)
        .def_prop_ro("method", [](const Simulation& self) { return std::string(self.method().name()); })
        .def(
            "state",
            [](const Simulation& self) {
                const std::string bytes = self.state();
                return nb::bytes(bytes.data(), bytes.size());
            },
            "The bytes of a checkpoint.")
        .def(
            "restore",
            [](Simulation& self, const nb::bytes& bytes) {
                self.restore({bytes.c_str(), bytes.size()});
            },
            nb::arg("state"), "Goes on from the bytes of a checkpoint.")
        .def("edit", &edit, nb::arg("x"), nb::arg("v"), "Takes other positions and velocities, checked as a start is.")
        .def(
            "command",
            [](Simulation& self, Index body, const VectorsArgument& positions) {
                body_at(self, body);
                self.command(body, stacked(positions));
            },
            nb::arg("body"), nb::arg("positions"), "Where commanded vertices go in the next step.")
        .def(
            "check_commanded",
            [](const Simulation& self, Index body) {
                body_at(self, body);
                self.check_commanded(body);
            },
            nb::arg("body"), "Raises InputError for a body without commanded vertices.")
        .def(
            "apply_force",
            [](Simulation& self, std::optional<VectorsArgument> forces) {
                self.apply_force(forces ? stacked(*forces) : VecX());
            },
            nb::arg("forces").none(), "Forces (n, 3) in newtons in every step from now on; None: none.");
}

}  // namespace stiction::python

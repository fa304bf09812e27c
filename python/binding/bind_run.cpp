// Runs with files, as the command makes them.
#include "arrays.hpp"
#include "scene.hpp"
#include "signals.hpp"
#include "simulation.hpp"

#include "stiction/session/session.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <optional>

namespace stiction::python {
namespace {

/// "ValueError: no" of an exception of Python, in one line.
std::string in_words(const nb::python_error& error) {
    try {
        std::string text = nb::cast<std::string>(nb::str(error.value()));
        text = text.substr(0, text.find('\n'));
        const auto name = nb::cast<std::string>(error.type().attr("__name__"));
        return text.empty() ? name : fmt::format("{}: {}", name, text);
    } catch (const std::exception&) {  // its own text fails
        return "an exception of Python";
    }
}

/// Lets Python take part in a run: before and after each step. An exception there ends the run, which is left as one
/// that can be resumed: interrupted by Ctrl-C, else failed. What a signal handler raises interrupts it, too, and within
/// an iteration.
class PythonObserver final : public Observer {
public:
    PythonObserver(nb::object before, nb::object after) : before_(std::move(before)), after_(std::move(after)) {}

    void attach(Simulator& simulator) { simulator_ = &simulator; }

    void started(const World&, const State& state) override {
        guarded([&] { before_step(state); });
    }

    void step_done(const World&, const State& state, const StepResult& result) override {
        guarded([&] {
            if (is_signalled()) return;
            if (!after_.is_none()) after_(description(state, result));
            before_step(state);
        });
    }

    void iterated(const World&, const State&, int, double) override {
        if (raised_ || !clock_.is_due()) return;
        const nb::gil_scoped_acquire locked;
        is_signalled();
    }

    const std::atomic<bool>& interrupted() const { return interrupted_; }
    /// The exception that ended the run.
    std::optional<nb::python_error>& raised() { return raised_; }

private:
    /// Lets signal handlers run; whether one of them raised an exception.
    bool is_signalled() {
        if (PyErr_CheckSignals() == 0) return false;
        raised_.emplace();
        interrupted_ = true;
        return true;
    }

    template <class Call>
    void guarded(const Call& call) {
        const nb::gil_scoped_acquire locked;
        try {
            call();
        } catch (nb::python_error& error) {
            raised_.emplace(std::move(error));
            if (!raised_->matches(PyExc_KeyboardInterrupt)) throw std::runtime_error(in_words(*raised_));
            interrupted_ = true;
        }
    }

    static nb::object array(const VecX& stacked) {
        return copied(std::vector<double>(stacked.data(), stacked.data() + stacked.size()),
                      {static_cast<std::size_t>(stacked.size()) / 3, 3});
    }

    static nb::dict description(const State& state, const StepResult& result) {
        nb::dict step;
        step["step"] = state.step;
        step["t"] = state.t;
        step["x"] = array(state.x);
        step["v"] = array(state.v);
        step["contact_force"] = array(result.contact_force);
        step["friction_force"] = array(result.friction_force);
        step["report"] = report_dictionary(result.report);
        return step;
    }

    /// before(step, t, x, v) gives forces of all vertices or None, and a list of (body, positions).
    void before_step(const State& state) {
        if (before_.is_none()) return;
        const nb::object given = before_(state.step, state.t, array(state.x), array(state.v));
        const auto [forces, targets] = nb::cast<std::pair<nb::object, nb::list>>(given);
        simulator_->apply_force(forces.is_none() ? VecX() : stacked(nb::cast<VectorsArgument>(forces)));
        for (const nb::handle target : targets) {
            const auto [body, positions] = nb::cast<std::pair<Index, nb::object>>(target);
            command_body(*simulator_, body, stacked(nb::cast<VectorsArgument>(positions)));
        }
    }

    nb::object before_, after_;
    std::optional<nb::python_error> raised_;
    std::atomic<bool> interrupted_{false};
    SignalClock clock_;
    Simulator* simulator_ = nullptr;
};

/// Runs a session that `open` makes, with Python's part in it. Callables must not be touched without the interpreter's
/// lock, so they are let go of inside it.
template <class Open>
void with_python(nb::object before, nb::object after, const Open& open) {
    refuse_forked_child();
    PythonObserver observer(std::move(before), std::move(after));
    try {
        const nb::gil_scoped_release unlocked;
        Session session = open();
        if (!session.is_finished()) {
            Simulator& simulator = session.begin();
            simulator.add_observer(observer);
            observer.attach(simulator);
            session.run(&observer.interrupted());  // the interpreter has the signals
        }
    } catch (...) {
        if (!observer.raised()) throw;
    }
    if (observer.raised()) throw std::move(*observer.raised());
}

void run(const ParsedScene& scene, const std::string& name, const std::string& directory, bool force, bool certify,
         nb::object before, nb::object after) {
    with_python(std::move(before), std::move(after), [&] {
        Session session = Session::create(scene.spec, name, directory, {.force = force, .certify = certify});
        require_start(name, session.scene().world, session.scene().state, &session.scene().spec);
        return session;
    });
}

void resume(const std::string& directory, std::optional<int> steps, bool certify,
            const std::vector<std::string>& overrides, nb::object before, nb::object after) {
    with_python(std::move(before), std::move(after),
                [&] { return Session::resume(directory, {.certify = certify}, steps, overrides); });
}

}  // namespace

void bind_run(nb::module_& module) {
    module.def("run", &run, nb::arg("scene"), nb::arg("name"), nb::arg("directory"), nb::arg("force"),
               nb::arg("certify"), nb::arg("before").none(), nb::arg("after").none(),
               "What `stiction run` does, without a word.");
    module.def("resume", &resume, nb::arg("directory"), nb::arg("steps").none(), nb::arg("certify"),
               nb::arg("overrides"), nb::arg("before").none(), nb::arg("after").none(),
               "What `stiction resume` does, without a word.");
}

}  // namespace stiction::python

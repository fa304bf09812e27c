// The extension module stiction._core: what Python needs of the library, with arrays that are not copied.
#include "arrays.hpp"
#include "command_line.hpp"
#include "mesh.hpp"
#include "scene.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace stiction::python {
namespace {

/// The arguments of the command without its name. @return its exit code
int command(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"stiction"};
    refuse_forked_child();
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return cli::command_line(static_cast<int>(argv.size()), argv.data());
}

/// File names are bytes, and what is no text in them does not hide the error.
void raise(const nb::object& type, const char* message) {
    const nb::object text =
        nb::steal(PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "backslashreplace"));
    PyErr_SetObject(type.ptr(), text.ptr());
}

/// Exceptions of stiction.errors, which Python code raises and catches, too.
void translate(const std::exception_ptr& pointer, void*) {
    const nb::object errors = nb::module_::import_("stiction.errors");
    try {
        std::rethrow_exception(pointer);
    } catch (const InputError& error) {
        raise(errors.attr("InputError"), error.what());
    } catch (const StartError& error) {
        nb::list texts;
        for (const StartProblem& problem : error.problems) texts.append(problem_dictionary(problem));
        const nb::object raised = errors.attr("StartError")(error.what(), texts);
        PyErr_SetObject(errors.attr("StartError").ptr(), raised.ptr());
    } catch (const InternalError& error) {
        raise(errors.attr("InternalError"), error.what());
    } catch (const std::filesystem::filesystem_error& error) {
        raise(errors.attr("InputError"), error.what());
    }
}

}  // namespace
}  // namespace stiction::python

NB_MODULE(_core, module) {
    namespace nb = nanobind;
    using namespace stiction::python;
    module.attr("__version__") = STICTION_VERSION;
    module.def(
        "version", [] { return STICTION_VERSION; }, "Version of stiction.");
    nb::set_leak_warnings(false);  // a thread that still computes when the interpreter ends holds what it works on
    nb::register_exception_translator(&translate);
    bind_mesh(module);
    bind_scene(module);
    bind_simulation(module);
    bind_run(module);
    module.def("command_line", &command, nb::arg("arguments"), nb::call_guard<nb::gil_scoped_release>(),
               "Runs the command `stiction` with these arguments. Returns its exit code.");
    module.def("set_threads", &stiction::set_thread_count, nb::arg("threads"),
               "Number of threads of all simulations from now on; 0: all cores. Results do not depend on it.");
    module.def("threads", &stiction::thread_count, "Number of threads.");
}

#include "stiction/methods/ipc/method.hpp"

#include "stiction/barrier/workspace.hpp"

namespace stiction::ipc {

Ipc::Ipc(const Options& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Ipc::~Ipc() = default;

double Ipc::contact_distance(const World& world) const {
    return resolve_limits(options_, world).dhat;
}

double Ipc::arc_sagitta(const World& world, double length) const {
    return options_.dhat > 0.0 ? 0.5 * options_.dhat : Method::arc_sagitta(world, length);
}

}  // namespace stiction::ipc

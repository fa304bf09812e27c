#include "stiction/methods/ipc/method.hpp"

#include "stiction/dynamics/barrier/workspace.hpp"

namespace stiction::ipc {

Ipc::Ipc(const Options& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Ipc::~Ipc() = default;

double Ipc::contact_distance(const World& world) const {
    return resolve_limits(options_, world).dhat;
}

}  // namespace stiction::ipc

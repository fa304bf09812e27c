// What a group of contacts does in a sweep of block Gauss-Seidel, on a device.
#pragma once

#include "stiction/methods/local_global/contact/contact_bodies.hpp"
#include "stiction/methods/local_global/contact/rows_view.hpp"

namespace stiction::local_global {

/// The turns of a group of consecutive contacts, for CpuDevice::run_teams() over the columns of G. Each team computes
/// all of these turns, and then what they do to the columns of its own part. So teams need nothing from each other.
template <class Device>
struct ContactTurns {
    using Team = typename Device::Team;
    using LargeTeam = typename Device::LargeTeam;

    static constexpr std::size_t group = 64;                  ///< contacts, at most
    static constexpr std::size_t each = group / Team::width;  ///< contacts that a thread holds
    static_assert(group % Team::width == 0);

    /// Of a large team.
    struct Shared {
        double response[group * group];  ///< G between the contacts of the group
        double changes[3 * group];       ///< of the force on columns, in the order of turns
        unsigned changed[group];         ///< which contact of the group each of them is of
        unsigned count;                  ///< of changes
    };

    RowsView rows;
    const double *matrix, *diagonal, *free;  ///< G; diagonal of W; values of the rows without forces
    std::size_t first;                       ///< contact of the group
    const double *z, *moved;                 ///< h^2 times the forces, and G times those on columns
    double *next_z, *next_moved;             ///< after these turns: z of the group, all columns

    STICTION_HD void operator()(const LargeTeam& team, std::size_t begin, std::size_t end, Shared& shared) const {
        const std::size_t left = rows.contacts - first, count = left < group ? left : group;
        for (std::size_t i = team.rank(); i < group * group; i += team.size()) {
            const std::size_t r = i / group, c = i % group;
            shared.response[i] = r < count && c < count ? matrix[(first + r) * rows.columns + first + c] : 0.0;
        }
        team.sync();
        if (team.rank() < Team::width) take_turns(Team{}, count, begin == 0, shared);
        team.sync();
        for (std::size_t d = begin + team.rank(); d < end; d += team.size()) {
            Vec3 sum = vector_at(moved, d);
            for (unsigned k = 0; k < shared.count; ++k)
                sum += matrix[(first + shared.changed[k]) * rows.columns + d] * vector_at(shared.changes, k);
            Eigen::Map<Vec3>(next_moved + 3 * d) = sum;
        }
    }

    /// A contact, as the thread that holds it sees it.
    struct Held {
        Vec3 moved, z, free;
        Mat3 frame;
        double friction, inverse_r;
    };

    /// Each thread holds contacts rank, rank + width ... of the group. For as many contacts at a time as there are
    /// threads, they compute what the next forces would be. The first contact whose force changes takes its turn. Those
    /// before it have had theirs, for a contact that does not change moves nothing.
    STICTION_HD void take_turns(const Team& team, std::size_t count, bool writes, Shared& shared) const {
        Held held[each];
        for (std::size_t j = 0; j < each; ++j) hold(team.rank() + j * Team::width, count, held[j]);
        unsigned changes = 0;
        STICTION_UNROLL
        for (std::size_t j = 0; j < each; ++j) {
            const std::size_t mine = team.rank() + j * Team::width;
            std::size_t turn = 0;
            for (;;) {
                const Vec3 end = next_force(held[j]), difference = end - held[j].z;
                Vec3 change = held[j].frame.transpose() * difference;
                const bool differs = difference[0] != 0.0 || difference[1] != 0.0 || difference[2] != 0.0;
                const unsigned next =
                    team.least(mine >= turn && differs ? static_cast<unsigned>(mine) : static_cast<unsigned>(group));
                if (next == group) break;
                if (next == mine) held[j].z = end;
                for (int k = 0; k < 3; ++k) change[k] = team.of(next % Team::width, change[k]);
                const double* response = shared.response + next * group;
                for (std::size_t i = j; i < each; ++i)
                    held[i].moved += response[team.rank() + i * Team::width] * change;
                if (team.rank() == 0) {
                    Eigen::Map<Vec3>(shared.changes + 3 * static_cast<std::size_t>(changes)) = change;
                    shared.changed[changes] = next;
                }
                ++changes;
                turn = next + 1;
            }
        }
        if (team.rank() == 0) shared.count = changes;
        if (!writes) return;
        for (std::size_t j = 0; j < each; ++j) {
            const std::size_t c = team.rank() + j * Team::width;
            if (c < count) Eigen::Map<Vec3>(next_z + 3 * (first + c)) = held[j].z;
        }
    }

    /// Places after the last contact hold one that no force moves.
    STICTION_HD void hold(std::size_t c, std::size_t count, Held& held) const {
        held.inverse_r = held.friction = 0.0;
        held.moved = held.z = held.free = Vec3::Zero();
        held.frame = Mat3::Zero();
        if (c >= count) return;
        const std::size_t k = first + c;
        held.moved = vector_at(moved, k);
        held.z = vector_at(z, k);
        held.free = vector_at(free, k);
        held.frame = frame_at(rows, k);
        held.friction = rows.friction[k];
        held.inverse_r = inverse_scale(diagonal[3 * k]);
    }
    STICTION_HD static Vec3 next_force(const Held& held) {
        const Vec3 value = held.frame * held.moved + held.free;
        Vec3 end = held.z;
        solve_contact(held.friction, held.inverse_r, value.data(), end.data());
        return end;
    }
};

}  // namespace stiction::local_global

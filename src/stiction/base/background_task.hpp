// A task beside its owner's work. Threads are those of parallel.hpp.
#pragma once

#include <tbb/task_group.h>

#include <memory>
#include <utility>

namespace stiction {

/// One task beside what its owner does meanwhile, on another thread if one is free.
class BackgroundTask {
public:
    BackgroundTask() = default;
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;
    ~BackgroundTask() {
        try {
            wait();
        } catch (...) {  // nobody is left to be told
        }
    }

    /// Waits for the task before, then starts this one: now, in a parallel loop that the owner waits in, or in wait().
    template <class Body>
    void run(const Body& body) {
        wait();
        is_running_ = true;
        group_->run(body);
    }
    /// Returns at once without a task. Throws what the task has thrown.
    void wait() {
        if (std::exchange(is_running_, false)) group_->wait();
    }

private:
    std::unique_ptr<tbb::task_group> group_ = std::make_unique<tbb::task_group>();  ///< its destructor may throw
    bool is_running_ = false;
};

}  // namespace stiction

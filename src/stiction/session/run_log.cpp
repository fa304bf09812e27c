#include "stiction/session/run_log.hpp"

#include "stiction/base/error.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

namespace stiction {

struct RunLog::File {
    spdlog::logger log;
};

RunLog::RunLog(const std::filesystem::path& path, bool continued) {
    try {
        const auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string(), !continued);
        file_ = std::make_unique<File>(File{spdlog::logger("stiction", sink)});
    } catch (const spdlog::spdlog_ex& error) {
        throw InputError(path.string() + ": " + error.what());
    }
    file_->log.set_pattern("%Y-%m-%dT%H:%M:%S%z %l %v");
    file_->log.flush_on(spdlog::level::info);
    file_->log.set_error_handler([](const std::string&) {});
}

RunLog::~RunLog() = default;

void RunLog::info(const std::string& line) {
    file_->log.info("{}", line);
}

void RunLog::warn(const std::string& line) {
    file_->log.warn("{}", line);
}

void RunLog::error(const std::string& line) {
    file_->log.error("{}", line);
}

}  // namespace stiction

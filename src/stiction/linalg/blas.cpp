#include "stiction/linalg/blas.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace stiction {
namespace {

/// A function of whatever library is loaded, or nullptr. Looked up by name because none of them is linked directly.
template <class Function>
Function* loaded_function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// The file that holds an address, links resolved: Debian's alternatives hide the flavour behind one name.
std::string file_of(const void* address) {
    Dl_info info{};
    if (!address || !dladdr(address, &info) || !info.dli_fname) return "";
    std::error_code error;
    const auto path = std::filesystem::canonical(info.dli_fname, error);
    return error ? std::string(info.dli_fname) : path.string();
}

}  // namespace

BlasInfo loaded_blas() {
    BlasInfo info;
    info.path = file_of(dlsym(RTLD_DEFAULT, "dgemm_"));
    const auto path_has = [&](const char* part) { return info.path.find(part) != std::string::npos; };
    // A process may hold several: the one that dgemm comes from counts. Debian's OpenBLAS answers as libblas.so.3 in a
    // folder of its own.
    const auto config = loaded_function<char*()>("openblas_get_config");
    if (config && (path_has("openblas") || file_of(reinterpret_cast<const void*>(config)) == info.path)) {
        info.name = config();
        if (info.name.find("OpenBLAS") == std::string::npos) info.name = "OpenBLAS " + info.name;
        if (const auto threads = loaded_function<int()>("openblas_get_num_threads")) info.threads = threads();
        if (const auto parallel = loaded_function<int()>("openblas_get_parallel")) info.is_openmp = parallel() == 2;
    } else if (dlsym(RTLD_DEFAULT, "mkl_get_version") || dlsym(RTLD_DEFAULT, "MKL_Get_Version")) {
        info.name = "MKL";
    } else if (dlsym(RTLD_DEFAULT, "bli_info_get_version_str")) {
        info.name = "BLIS";
    } else if (dlsym(RTLD_DEFAULT, "ATL_buildinfo") || path_has("atlas")) {
        info.name = "ATLAS";
    } else if (path_has("libblas.so")) {
        info.name = "reference BLAS";
        info.is_reference = true;
    } else {
        info.name = "unknown BLAS";
    }
    return info;
}

std::string blas_warning() {
    const BlasInfo info = loaded_blas();
    if (info.is_reference) {
        return "the unoptimised reference BLAS is loaded (" + info.path +
               "): factorisations take about ten times as long as with OpenBLAS (package libopenblas0-pthread)";
    }
    if (info.is_openmp) {
        return "OpenBLAS built on OpenMP is loaded (" + info.path +
               "), which can hang beside other threads: use package libopenblas0-pthread";
    }
    return "";
}

bool use_one_blas_thread() {
    const auto set = loaded_function<void(int)>("openblas_set_num_threads");
    const auto get = loaded_function<int()>("openblas_get_num_threads");
    if (!set || !get) return false;
    if (get() != 1) set(1);
    return true;
}

SerialOpenMp::SerialOpenMp() {
    const auto get = loaded_function<int()>("omp_get_max_active_levels");
    const auto set = loaded_function<void(int)>("omp_set_max_active_levels");
    if (!get || !set) return;
    previous_levels_ = get();
    set(0);
}

SerialOpenMp::~SerialOpenMp() {
    if (previous_levels_ < 0) return;
    if (const auto set = loaded_function<void(int)>("omp_set_max_active_levels")) set(previous_levels_);
}

}  // namespace stiction

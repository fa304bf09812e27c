// Which BLAS the program runs on, and how many threads it may use.
#pragma once

#include <string>

namespace stiction {

/// What was found in the running program.
struct BlasInfo {
    std::string name;           ///< "OpenBLAS 0.3.21 ...", "MKL", "BLIS", "ATLAS", "reference BLAS", or "unknown BLAS"
    std::string path;           ///< the file that dgemm comes from; empty when it is linked statically
    bool is_reference = false;  ///< the unoptimised reference BLAS: factorisations take about ten times as long
    bool is_openmp = false;     ///< OpenBLAS built on OpenMP: known to hang beside other threads
    int threads = 0;            ///< threads OpenBLAS would use now; 0 when it cannot be asked
};

/// Looks at the loaded libraries; nothing is changed.
BlasInfo loaded_blas();

/// One line for the user's log when the loaded BLAS is slow or dangerous, naming the package that helps; "" when it is
/// fine.
std::string blas_warning();

/// Sets OpenBLAS, if that is what is loaded, to one thread for the whole process: with more, results may change from
/// run to run, and the dense blocks of a sparse factor gain little. Every factorisation and solve calls this;
/// idempotent and cheap.
/// @return false when the loaded BLAS offers no way to ask for it
bool use_one_blas_thread();

/// While it lives, OpenMP regions entered from this thread run serially (if an OpenMP runtime is loaded at all).
/// Regions of a fixed number of threads around small loops cost more than they gain.
class SerialOpenMp {
public:
    SerialOpenMp();
    ~SerialOpenMp();
    SerialOpenMp(const SerialOpenMp&) = delete;
    SerialOpenMp& operator=(const SerialOpenMp&) = delete;

private:
    int previous_levels_ = -1;
};

}  // namespace stiction

#include "stiction/linalg/cholesky.hpp"

#include "stiction/base/error.hpp"

namespace stiction {

bool has_cholesky(CholeskyCode code) {
#ifdef STICTION_WITH_CHOLMOD
    return code == CholeskyCode::own || code == CholeskyCode::cholmod || code == CholeskyCode::mumps;
#else
    return code == CholeskyCode::own || code == CholeskyCode::mumps;
#endif
}

std::unique_ptr<SparseFactor> make_cholesky(CholeskyCode code) {
    STICTION_CHECK(has_cholesky(code), "this build has no such Cholesky factorisation");
#ifdef STICTION_WITH_CHOLMOD
    if (code == CholeskyCode::cholmod) return make_cholmod_cholesky();
#endif
    return code == CholeskyCode::mumps ? make_mumps_cholesky() : make_block_cholesky();
}

std::string factorisation_name(CholeskyCode code) {
    STICTION_CHECK(has_cholesky(code), "this build has no such Cholesky factorisation");
#ifdef STICTION_WITH_CHOLMOD
    if (code == CholeskyCode::cholmod) return cholmod_name();
#endif
    return code == CholeskyCode::mumps ? mumps_cholesky_name() : block_cholesky_name();
}

}  // namespace stiction

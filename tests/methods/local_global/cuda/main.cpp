// Runs the tests on a GPU. Without one nothing is checked, and the program says so.
#define DOCTEST_CONFIG_IMPLEMENT
#include "stiction/methods/local_global/cuda/cuda_solve.hpp"

#include <doctest/doctest.h>

#include <iostream>

int main(int argc, char** argv) {
    if (const std::string missing = stiction::local_global::missing_cuda_device(); !missing.empty()) {
        std::cout << "skipped: " << missing << "\n";
        return 0;
    }
    std::cout << "GPU: " << stiction::local_global::cuda_device_name() << "\n";
    return doctest::Context(argc, argv).run();
}

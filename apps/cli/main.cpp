#include "command_line.hpp"

int main(int argc, char** argv) {
    return stiction::cli::command_line(argc, argv);
}

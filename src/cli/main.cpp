// SPDX-License-Identifier: Apache-2.0
#include "src/cli/run_main.hpp"

int main(int argc, char** argv) { return static_cast<int>(foretell::cli::run_main(argc, argv)); }

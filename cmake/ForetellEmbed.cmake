# SPDX-License-Identifier: Apache-2.0
# foretell_embed(TARGET FILE NAME)
# Compiles a text file into TARGET. With NAME report_schema, sources of TARGET
# include "embedded/report_schema.hpp" and read foretell::embedded::kReportSchema.
# The same file is the script that writes the two generated sources.

if(CMAKE_SCRIPT_MODE_FILE)
  string(REGEX MATCHALL "[^_]+" words "${NAME}")
  set(constant k)
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 head)
    string(SUBSTRING "${word}" 1 -1 tail)
    string(TOUPPER "${head}" head)
    string(APPEND constant "${head}${tail}")
  endforeach()
  file(READ "${FILE}" text)
  file(WRITE "${OUTPUT}/${NAME}.hpp" "// Generated from ${LABEL}.
#pragma once

#include <string_view>

namespace foretell::embedded {
extern const std::string_view ${constant};
}  // namespace foretell::embedded
")
  file(WRITE "${OUTPUT}/${NAME}.cpp" "// Generated from ${LABEL}.
#include \"embedded/${NAME}.hpp\"

namespace foretell::embedded {
constexpr std::string_view ${constant} = R\"embedded(${text})embedded\";
}  // namespace foretell::embedded
")
  return()
endif()

set(FORETELL_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(foretell_embed target file name)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE source)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE label)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/embedded)
  add_custom_command(
    OUTPUT ${output}/${name}.cpp ${output}/${name}.hpp
    COMMAND ${CMAKE_COMMAND} -D FILE=${source} -D LABEL=${label} -D NAME=${name} -D OUTPUT=${output}
            -P ${FORETELL_EMBED_SCRIPT}
    DEPENDS ${source} ${FORETELL_EMBED_SCRIPT}
    COMMENT "Embedding ${label}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output}/${name}.cpp ${output}/${name}.hpp)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()

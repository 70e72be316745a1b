# SPDX-License-Identifier: Apache-2.0
# foretell_embed(TARGET FILE NAME)
# Compiles a text file into TARGET. With NAME report_schema, sources of TARGET
# include "embedded/report_schema.hpp" and read foretell::embedded::kReportSchema.
#
# foretell_embed(TARGET NAME HEADERS a.hpp b.hpp ...)
# The same with C++ headers of the project as one text, one behind the other: what they include of one another comes
# before them, so `#include "..."` and `#pragma once` become empty lines. #line names each in diagnostics.
#
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
  if(DEFINED HEADERS)
    string(REPLACE "," ";" headers "${HEADERS}")
    set(text)
    foreach(header IN LISTS headers)
      file(READ "${ROOT}/${header}" part)
      string(REGEX REPLACE "(^|\n)(#include \"[^\n]*|#pragma once)" "\\1" part "${part}")
      string(APPEND text "#line 1 \"${header}\"\n${part}")
    endforeach()
  else()
    file(READ "${FILE}" text)
  endif()
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

function(foretell_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/embedded)
  if(arg_HEADERS)
    list(GET arg_UNPARSED_ARGUMENTS 0 name)
    list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE label)
    list(TRANSFORM arg_HEADERS PREPEND ${label}/ OUTPUT_VARIABLE headers)
    list(JOIN headers "," headers)
    set(text -D HEADERS=${headers} -D ROOT=${PROJECT_SOURCE_DIR})
  else()
    list(GET arg_UNPARSED_ARGUMENTS 0 sources)
    list(GET arg_UNPARSED_ARGUMENTS 1 name)
    cmake_path(ABSOLUTE_PATH sources BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH sources BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE label)
    set(text -D FILE=${sources})
  endif()
  add_custom_command(
    OUTPUT ${output}/${name}.cpp ${output}/${name}.hpp
    COMMAND ${CMAKE_COMMAND} ${text} -D LABEL=${label} -D NAME=${name} -D OUTPUT=${output}
            -P ${FORETELL_EMBED_SCRIPT}
    DEPENDS ${sources} ${FORETELL_EMBED_SCRIPT}
    COMMENT "Embedding ${label}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output}/${name}.cpp ${output}/${name}.hpp)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()

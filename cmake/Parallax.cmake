# How a library, a tool and a test of Parallax are declared, in one place.

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Lets ccache reuse objects that were compiled against a precompiled header.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
else()
  add_compile_options(-fpch-preprocess -Wno-attributes)
endif()
if(PARALLAX_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-sanitize=vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(PARALLAX_SANITIZED)
  if(PARALLAX_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()

add_compile_definitions(PARALLAX_VERSION="${PROJECT_VERSION}")
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)

# MLIR's headers, precompiled once for all libraries that need them.
add_library(ParallaxPCH STATIC ${PROJECT_SOURCE_DIR}/cmake/PCH.cpp)
target_include_directories(ParallaxPCH SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS}
                                                     ${LLVM_INCLUDE_DIRS})
target_precompile_headers(ParallaxPCH PRIVATE
                          ${PROJECT_SOURCE_DIR}/include/parallax/Support/PCH.h)
add_custom_target(ParallaxTableGen)

# parallax_library(Name [MLIR] [SOURCES …] [LINK …])
#
# One library per folder, of all its sources unless they are listed. MLIR marks
# those that include MLIR's headers; all others are plain C++ that compiles in a
# second.
function(parallax_library name)
  cmake_parse_arguments(arg "MLIR" "" "SOURCES;LINK" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_MLIR)
    parallax_use_mlir(${name})
  endif()
endfunction()

function(parallax_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS}
                                                     ${LLVM_INCLUDE_DIRS})
  target_precompile_headers(${target} REUSE_FROM ParallaxPCH)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  add_dependencies(${target} ParallaxTableGen)
endfunction()

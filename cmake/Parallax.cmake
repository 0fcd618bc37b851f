# How a library, a tool and a test of Parallax are declared, in one place.

# All of it can be part of the shared library, and programs share precompiled
# headers with libraries, which fit only if both are compiled alike.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -fPIC)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Lets ccache reuse objects that were compiled against a precompiled header.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
else()
  add_compile_options(-fpch-preprocess -Wno-attributes)
endif()
# oneDNN's CMake package names OpenCL as well, which nothing of ours calls.
add_link_options(LINKER:--as-needed)
set(PARALLAX_KERNEL_OPTIMIZATION -O3)
if(PARALLAX_SANITIZE)
  set(PARALLAX_KERNEL_OPTIMIZATION "") # their loops would be unrolled with checks
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

# What is compiled once for all: the headers of MLIR and of both dialects for
# libraries that use them, those of the standard library, fmt and JSON for all
# others.
add_custom_target(ParallaxTableGen)
add_library(ParallaxPCH STATIC ${PROJECT_SOURCE_DIR}/cmake/PCH.cpp)
target_include_directories(ParallaxPCH SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS}
                                                     ${LLVM_INCLUDE_DIRS})
target_precompile_headers(ParallaxPCH PRIVATE <parallax/Support/PCH.h>)
add_dependencies(ParallaxPCH ParallaxTableGen)
add_library(ParallaxPlainPCH STATIC ${PROJECT_SOURCE_DIR}/cmake/PCH.cpp)
target_precompile_headers(ParallaxPlainPCH PRIVATE
                          <parallax/Support/PlainPCH.h>)

# parallax_library(Name [MLIR | KERNELS] [UNITY n] [SOURCES …] [LINK …])
#
# One library per folder, of all its sources unless they are listed. MLIR marks
# those that include MLIR's headers, KERNELS those with flags of their own, which
# no precompiled header fits; all others are plain C++. With PARALLAX_UNITY, n
# sources are compiled as one: headers are most of the work.
function(parallax_library name)
  cmake_parse_arguments(arg "MLIR;KERNELS" "UNITY" "SOURCES;LINK" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_MLIR)
    parallax_use_mlir(${name})
  elseif(NOT arg_KERNELS)
    target_precompile_headers(${name} REUSE_FROM ParallaxPlainPCH)
  endif()
  parallax_unity(${name} "${arg_UNITY}")
endfunction()

function(parallax_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS}
                                                     ${LLVM_INCLUDE_DIRS})
  target_precompile_headers(${target} REUSE_FROM ParallaxPCH)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  add_dependencies(${target} ParallaxTableGen)
endfunction()

# Operators as TableGen defines them: much code, none of it ours. They are
# compiled by themselves, and without sanitizers where these shall be quick.
function(parallax_generated)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(PARALLAX_SANITIZE AND NOT PARALLAX_SANITIZE_GENERATED)
    set_source_files_properties(${ARGN} PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-fno-sanitize=all;-O0;-g0")
  endif()
endfunction()

function(parallax_unity target batch)
  if(NOT batch)
    set(batch 8)
  endif()
  if(PARALLAX_UNITY AND batch GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                          UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

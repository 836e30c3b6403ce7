# Read by CMake right after `project("llama.cpp")` (CMAKE_PROJECT_<name>_INCLUDE): llama-cpp-python forces on
# what only llama.cpp's own programs use.
set(LLAMA_BUILD_COMMON OFF)
if(ASTRORESEARCH_WITHOUT_SDK)
  # zig on a Mac without Apple's developer tools: no frameworks to link with
  set(GGML_METAL OFF)
  set(GGML_BLAS OFF)
  set(GGML_ACCELERATE OFF)
endif()

# onnxscope_protobuf_c(target proto): runs protoc-c over `proto` (in the current source directory) and
# compiles the result into `target`. The header is private to the target: `#include "NAME.pb-c.h"`.
find_program(PROTOC_C protoc-c REQUIRED)

function(onnxscope_protobuf_c target proto)
    get_filename_component(name ${proto} NAME_WE)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/protobuf-c)
    set(outputs ${generated}/${name}.pb-c.c ${generated}/${name}.pb-c.h)
    file(MAKE_DIRECTORY ${generated})
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND ${PROTOC_C} --c_out=${generated} --proto_path=${CMAKE_CURRENT_SOURCE_DIR}
                ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
        DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
        VERBATIM)
    # Generated code is not held to our warnings.
    set_source_files_properties(${outputs} PROPERTIES COMPILE_OPTIONS -w)
    target_sources(${target} PRIVATE ${outputs})
    target_include_directories(${target} SYSTEM PRIVATE ${generated})
    target_link_libraries(${target} PRIVATE PkgConfig::PROTOBUF_C)
endfunction()

# Libraries of the distribution, through pkg-config. A room links the ones it owns, PRIVATE.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4)
pkg_check_modules(GVC REQUIRED IMPORTED_TARGET libgvc)
pkg_check_modules(CGRAPH REQUIRED IMPORTED_TARGET libcgraph)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd>=0.9.75)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp>=2.5)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# `graphviz_plugins`: the plugins linked in, so that libgvc reads no config file and opens no library
# at run time. They live in a directory of their own, which the program has to remember (rpath).
pkg_get_variable(graphviz_libdir libgvc libdir)
set(graphviz_plugin_dir ${graphviz_libdir}/graphviz)
add_library(graphviz_plugins INTERFACE)
foreach(plugin gvplugin_dot_layout gvplugin_neato_layout gvplugin_core gvplugin_pango)
    find_library(${plugin}_LIBRARY ${plugin} PATHS ${graphviz_plugin_dir} NO_DEFAULT_PATH)
    if(NOT ${plugin}_LIBRARY)
        file(GLOB versioned ${graphviz_plugin_dir}/lib${plugin}.so.*)
        if(NOT versioned)
            message(FATAL_ERROR "lib${plugin} is not in ${graphviz_plugin_dir}")
        endif()
        list(SORT versioned)
        list(GET versioned 0 first)
        set(${plugin}_LIBRARY ${first} CACHE FILEPATH "Graphviz plugin" FORCE)
    endif()
    mark_as_advanced(${plugin}_LIBRARY)
    target_link_libraries(graphviz_plugins INTERFACE ${${plugin}_LIBRARY})
endforeach()
target_link_libraries(graphviz_plugins INTERFACE PkgConfig::GVC)

# The library behind gvplugin_pango, whose headers are not needed: see graph/render_gv_pango.h. A machine that has the
# plugin has it, though maybe without the name that a development package adds.
find_library(PANGO_LIBRARY NAMES pango-1.0 libpango-1.0.so.0 REQUIRED)
mark_as_advanced(PANGO_LIBRARY)
target_link_libraries(graphviz_plugins INTERFACE ${PANGO_LIBRARY})
target_link_options(graphviz_plugins INTERFACE LINKER:-rpath,${graphviz_plugin_dir})

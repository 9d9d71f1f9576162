# Runs at build time: puts a script and a style sheet into a page.
#
#     cmake -DPAGE=export.html -DDIR=bundled -DOUT=export.html -P inline.cmake
file(READ ${PAGE} page)
foreach(name export.js export.css)
    file(READ ${DIR}/${name} text)
    string(STRIP "${text}" text)
    string(FIND "${text}" "</" end)
    if(NOT end EQUAL -1)
        message(FATAL_ERROR "${name} holds \"</\", which could end the element around it")
    endif()
    string(REPLACE "{{${name}}}" "${text}" page "${page}")
endforeach()
file(WRITE ${OUT} "${page}")

#include "tests/server/processes.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

struct process {
    pid_t pid, parent;
    char name[32];
};

static bool read_process(const char *pid, struct process *p) {
    char path[64], line[256];
    const char *end;
    uint64_t number;
    FILE *f;
    size_t n;

    if (!num_parse_u64(str_from(pid), &number)) {
        return false;
    }
    snprintf(path, sizeof(path), "/proc/%u/stat", (unsigned)number);
    f = fopen(path, "r");
    if (!f) {
        return false;
    }
    n = fread(line, 1, sizeof(line) - 1, f);
    fclose(f);
    line[n] = '\0';
    end = strrchr(line, ')');
    if (!end || strchr(line, '(') + 1 + sizeof(p->name) <= end) {
        return false;
    }
    memset(p, 0, sizeof(*p));
    memcpy(p->name, strchr(line, '(') + 1, (size_t)(end - strchr(line, '(') - 1));
    p->pid = (pid_t)number;
    return end[2] != 'Z' && sscanf(end + 4, "%d", &p->parent) == 1;
}

pid_t find_child(pid_t parent, const char *name) {
    DIR *d = opendir("/proc");
    struct process p;
    pid_t found = 0;

    for (struct dirent *e; !found && (e = readdir(d));) {
        if (read_process(e->d_name, &p) && p.parent == parent && strcmp(p.name, name) == 0) {
            found = p.pid;
        }
    }
    closedir(d);
    return found;
}

bool is_alive(pid_t pid) {
    char text[32];
    struct process p;

    snprintf(text, sizeof(text), "%d", (int)pid);
    return read_process(text, &p);
}

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/cli.h"
#include "server/cli_flags.h"
#include "server/version.h"
#include "server/zygote.h"

const struct srv_command srv_commands[] = {
    {"serve", "run the daemon", "serve [--listen HOST:PORT] [--store memory|dir:PATH] [options]",
     srv_cli_serve, srv_cli_serve_help},
    {"render", "draw a model", "render [view options] [-o FILE] MODEL", srv_cli_render,
     srv_cli_render_help},
    {"inspect", "print what is known about a model",
     "inspect [--summary|--modules|--nodes|--graph|--layout] [view options] MODEL", srv_cli_inspect,
     srv_cli_inspect_help},
    {"health", "ask a daemon whether it is ready (exit 0 when it is)", "health [URL]",
     srv_cli_health, srv_cli_health_help},
};

const size_t srv_command_count = ARRAY_LEN(srv_commands);

static const struct srv_command *find_command(const char *name) {
    size_t i;

    for (i = 0; i < srv_command_count; i++) {
        if (strcmp(srv_commands[i].name, name) == 0) {
            return &srv_commands[i];
        }
    }
    return NULL;
}

static int print_help(FILE *out, int status) {
    size_t i;

    fputs("onnxscope turns ONNX models exported from PyTorch into pictures.\n\n", out);
    for (i = 0; i < srv_command_count; i++) {
        fprintf(out, "  onnxscope %-8s %s\n", srv_commands[i].name, srv_commands[i].summary);
    }
    fputs("\n  onnxscope help COMMAND    its options\n  onnxscope --version\n", out);
    return status;
}

static int print_command_help(const struct srv_command *command) {
    printf("usage: onnxscope %s\n\n%s\n", command->usage, command->summary);
    if (command->help) {
        command->help(stdout);
    }
    return SRV_EXIT_DONE;
}

static void print_flags(const char *command) {
    struct buf list;

    buf_init(&list, 4096);
    srv_cli_list_flags(&list, command);
    fprintf(stderr, "There are: %.*s\n", STR_ARG(buf_str(&list)));
    buf_release(&list);
}

int srv_cli_usage_error(const char *command, const struct error *err) {
    fprintf(stderr, "onnxscope: %s\n", err->text);
    if (err->code == ERR_NOT_FOUND) {
        print_flags(command);
    }
    fprintf(stderr, "Try: onnxscope help%s%s\n", *command ? " " : "", command);
    return SRV_EXIT_USAGE;
}

static int unknown_command(const char *name) {
    struct error err;

    error_set(&err, ERR_USAGE, "there is no command \"%s\"", name);
    return srv_cli_usage_error("", &err);
}

// Commands that have no options, and so no help of their own.
static bool is_general(const char *word) {
    return strcmp(word, "help") == 0 || strcmp(word, "version") == 0;
}

static int help(int argc, char **argv) {
    const struct srv_command *command = argc > 2 ? find_command(argv[2]) : NULL;

    if (argc <= 2 || is_general(argv[2])) {
        return print_help(stdout, SRV_EXIT_DONE);
    }
    return command ? print_command_help(command) : unknown_command(argv[2]);
}

static bool asks_for_help(int argc, char **argv) {
    int i;

    for (i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

// A file or a socket must not take the place of a standard stream that was closed: what is said to
// a person would go there. Opened the wrong way round, using one stays the error it was.
static bool fill_standard_streams(void) {
    int fd;

    for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            return false;
        }
    }
    return true;
}

static int run(int argc, char **argv) {
    const struct srv_command *command;

    if (argc < 2) {
        return print_help(stderr, SRV_EXIT_USAGE);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        puts("onnxscope " ONNXSCOPE_VERSION);
        return SRV_EXIT_DONE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        return help(argc, argv);
    }
    if (strcmp(argv[1], SRV_ZYGOTE_COMMAND) == 0) {
        return srv_zygote_main(argc - 1, argv + 1);
    }
    command = find_command(argv[1]);
    if (!command) {
        return unknown_command(argv[1]);
    }
    return asks_for_help(argc, argv) ? print_command_help(command)
                                     : command->run(argc - 1, argv + 1);
}

// A text that did not reach its reader is no success.
int main(int argc, char **argv) {
    int status;

    if (!fill_standard_streams()) {
        return SRV_EXIT_INPUT;
    }
    status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return status;
    }
    fprintf(stderr, "onnxscope: standard output: cannot be written: %s\n", strerror(errno));
    return status == SRV_EXIT_DONE ? SRV_EXIT_INPUT : status;
}

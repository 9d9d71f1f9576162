// The zygote: a single-threaded process that is warm (Graphviz context, one tiny render) and forks
// one child per job.
//
// It is our own binary, started with the hidden command `zygote` and one socket, so that starting
// it again needs no fork from a threaded process. Protocol in server/frame.h. It never looks into a
// model. Ends when its socket closes; its children die with it.
#pragma once

#define SRV_ZYGOTE_COMMAND "zygote"
#define SRV_ZYGOTE_SOCK 3    // descriptor of the socket
#define SRV_ZYGOTE_JOBS 256  // processes at a time

// main() of the hidden command. `argv` as main got it. Returns an exit status when it was started
// by hand, else the process ends in here.
int srv_zygote_main(int argc, char **argv);

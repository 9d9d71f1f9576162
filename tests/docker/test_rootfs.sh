#!/usr/bin/env bash
# test_rootfs.sh PROGRAM TREE: makes the root file system of the image and runs the daemon in it as a
# container engine does, without one: read-only, as process 1, as an arbitrary user in group 0,
# without capabilities. Exit status 77: the machine allows no namespaces.
set -euo pipefail

program=$1
tree=$2
uid=12345
fixture=$tree/tests/fixtures/resnet18.onnx
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
root=$work/rootfs
runner=

# What is inside a namespace ends with its first process.
cleanup() {
    [[ -z $runner ]] || kill -KILL "$runner" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

fail() {
    echo "FAILED: $*" >&2
    [[ ! -e $work/log ]] || sed 's/^/  log: /' "$work/log" >&2
    exit 1
}

# Namespaces of mounts and processes; who is not root gets one of users too.
namespaces=(--mount --pid --fork --kill-child)
[[ $(id -u) -eq 0 ]] ||
    namespaces+=(--user --map-user="$uid" --map-group=0 --keep-caps)

# shellcheck disable=SC2016 # expanded inside of the namespace
inside='
    set -e
    root=$1 data=$2 here=$3 uid=$4
    shift 4
    mount --bind "$root" "$root"
    [ -z "$data" ] || mount --bind "$data" "$root/data"
    mount -t proc proc "$root/proc"
    mount --bind /dev/null "$root/dev/null"
    mount -o remount,bind,ro "$root"
    exec python3 "$here/confine.py" "$root" "$uid" "$@"'

# contained DATA PROGRAM [ARGUMENT]...: DATA is mounted, writable, at /data; empty = nothing is.
contained() {
    local data=$1
    shift
    exec unshare "${namespaces[@]}" sh -c "$inside" sh "$root" "$data" "$here" "$uid" "$@"
}

start() {
    local i
    : >"$work/log"
    # A leak is looked for by other tests: here nothing may trace the process.
    (ASAN_OPTIONS=detect_leaks=0 ONNXSCOPE_LISTEN=0.0.0.0:0 \
        contained "$1" /usr/bin/onnxscope serve "${@:2}") 2>"$work/log" &
    runner=$!
    for ((i = 0; i < 300; i++)); do
        url=$(sed -n 's|.*"msg":"listening","url":"http://[^"]*:\([0-9]*\)".*|http://127.0.0.1:\1|p' \
            "$work/log")
        [[ -z $url ]] || return 0
        kill -0 "$runner" 2>/dev/null || fail "the daemon ended"
        sleep 0.1
    done
    fail "the daemon does not listen"
}

# Process 1 of the namespace is the only child of unshare.
daemon_pid() {
    cat "/proc/$runner/task/$runner/children"
}

stop() {
    # shellcheck disable=SC2046 # one number
    kill -TERM $(daemon_pid)
    wait "$runner" || fail "SIGTERM: exit status $?"
    runner=
}

expect_status() {
    local have
    have=$(sed -n "s/^$1:[[:space:]]*//p" "/proc/$(daemon_pid | tr -d ' ')/status")
    [[ $have =~ $2 ]] || fail "$1 of the daemon is '$have', not '$2'"
}

expect_confined() {
    expect_status CapEff '^0+$'
    expect_status CapPrm '^0+$'
    expect_status CapBnd '^0+$'
    expect_status NoNewPrivs '^1$'
    expect_status NSpid $'\t1$'
    [[ $(id -u) -ne 0 ]] || expect_status Uid "^${uid}[[:space:]]"
}

post() {
    curl -sS --max-time 60 -o "$work/answer" -w '%{http_code} %{content_type}' \
        --data-binary @"$fixture" "$url$1"
}

contents() {
    (cd "$root" && find . -mindepth 1 -printf '%p %y %m %s %T@\n' | sort)
}

if ! unshare "${namespaces[@]}" sh -c 'mount -t proc proc /proc' 2>"$work/why"; then
    echo "SKIPPED: namespaces are not permitted here: $(cat "$work/why")" >&2
    exit 77
fi

"$tree/docker/rootfs.sh" "$program" "$root"
mkdir "$root/proc" "$root/dev" # engines make these themselves
touch "$root/dev/null"
contents >"$work/before"

echo "store memory, everything read-only"
start ''
expect_confined
got=$(post '/v1/render?depth=2')
[[ $got == '200 image/svg+xml; charset=utf-8' ]] || fail "POST /v1/render: $got"
[[ $(head -c 4 "$work/answer") == '<svg' ]] || fail "POST /v1/render: no SVG"
grep -q '>layer4.1<' "$work/answer" || fail "POST /v1/render: no box layer4.1"
got=$(post '/v1/render?depth=2&format=png')
[[ $got == '200 image/png' ]] || fail "POST /v1/render?format=png: $got"
[[ $(head -c 4 "$work/answer" | tail -c 3) == PNG ]] || fail "POST /v1/render: no PNG"
got=$(post '/v1/render?depth=2&format=pdf')
[[ $got == '200 application/pdf' ]] || fail "POST /v1/render?format=pdf: $got"
grep -qa '+LiberationSans-Bold' "$work/answer" || fail "POST /v1/render: a PDF without the image's font"
(contained '' /usr/bin/onnxscope health "$url") || fail "health"
stop
! (contained '' /usr/bin/onnxscope health "$url") 2>/dev/null || fail "health of a daemon that ended"

echo "store dir:/data, models outlive the container"
cp -a "$root/data" "$work/volume" # an engine fills a new volume from the image
start "$work/volume" --store dir:/data
got=$(post /v1/models)
[[ $got == '201 application/json' ]] || fail "POST /v1/models: $got"
stop
start "$work/volume" --store dir:/data
id=$(sha256sum "$fixture" | cut -d' ' -f1)
curl -sS --fail --max-time 60 -o "$work/answer" "$url/v1/models/$id/graph.svg" ||
    fail "the model is gone after a restart"
stop

contents | diff "$work/before" - || fail "the root file system has changed"
echo passed

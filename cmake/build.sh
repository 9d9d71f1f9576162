# shellcheck shell=bash disable=SC2154
# Sourced by ./run and ./test: installs missing packages, configures and builds a preset.
# Expects $root to be the top of the tree. Everything it says goes to stderr: stdout belongs to the program.

shopt -s extglob

say() {
    printf 'onnxscope: %s\n' "$*" >&2
}

# missing_packages LIST...: the packages of cmake/packages.LIST that are not installed, one a line.
missing_packages() {
    local list package command
    local -a wanted=()
    for list in "$@"; do
        while read -r package command; do
            [[ -n $package && $package != \#* ]] || continue
            [[ -n $command ]] && command -v "$command" >/dev/null && continue
            wanted+=("$package")
        done <"$root/cmake/packages.$list"
    done
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
        sed -n 's/^installed //p' | sort -u |
        comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) -
}

install_packages() {
    local -a missing as_root=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "this is not a Debian system: the packages of cmake/packages.* must be there already"
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ $(id -u) -ne 0 ]]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            say "packages are missing, and installing them needs root. Run:"
            printf '\n    sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n\n' \
                "${missing[*]}" >&2
            exit 1
        fi
        as_root=(sudo -n)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -q >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

# Ninja's output on its way to a person: where it is, on a terminal; else one line; nothing when nothing is to do;
# all of what the compilers say. (A dry run cannot tell what is to do: it takes every glob for changed.)
show_progress() {
    local line shown=
    while IFS= read -r line; do
        case $line in
        'ninja: Entering directory'* | 'ninja: no work to do.' | *'Re-checking globbed'* | '-- '*) ;;
        '['+([0-9])/+([0-9])']'*)
            if [[ -t 2 ]]; then
                printf '\r\033[Konnxscope: building %s' "${line%%]*}]" >&2
            elif [[ -z $shown ]]; then
                say "building $1"
            fi
            shown=1
            ;;
        *)
            [[ -z $shown || ! -t 2 ]] || printf '\r\033[K' >&2
            printf '%s\n' "$line" >&2
            ;;
        esac
    done
    [[ -z $shown || ! -t 2 ]] || printf '\r\033[K' >&2
}

# build PRESET: leaves the result in build/PRESET. Two at once would spoil each other, hence the lock.
build() {
    local dir=$root/build/$1
    mkdir -p "$dir"
    exec {lock}>"$dir/.lock"
    flock "$lock"
    if [[ ! -e $dir/build.ninja || $root/CMakePresets.json -nt $dir/CMakeCache.txt ]]; then
        say "configuring build/$1"
        (cd "$root" && cmake --preset "$1" --log-level=NOTICE >&2)
        touch "$dir/CMakeCache.txt"
    fi
    ninja -C "$dir" -j "$(nproc)" 2>&1 | show_progress "build/$1"
    exec {lock}>&-
}

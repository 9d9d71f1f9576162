#!/usr/bin/env bash
# test_context.sh TREE: what .dockerignore lets into the image's build is enough to configure it.
set -euo pipefail

tree=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$tree"
while read -r path; do
    [[ -e $path ]] || {
        echo "FAILED: .dockerignore names $path, which does not exist" >&2
        exit 1
    }
    cp -r --parents "$path" "$work"
done < <(sed -n 's/^!//p' .dockerignore)
cd "$work"
cmake --preset release >log 2>&1 || {
    cat log >&2
    exit 1
}
echo passed

#!/usr/bin/env bash
# rootfs.sh PROGRAM DIR: fills DIR with a root file system that runs PROGRAM and holds nothing else:
# the program, the shared libraries it is linked with, the dynamic loader, one font, two accounts and /data.
# Prints what it takes.
set -euo pipefail

[[ $# -eq 2 ]] || {
    echo "usage: ${0##*/} PROGRAM DIR" >&2
    exit 2
}
program=$1
root=$2

if [[ -e $root && -n $(ls -A "$root") ]]; then
    echo "${0##*/}: $root is not empty" >&2
    exit 1
fi

# Graphviz's plugins are linked in, so this list is complete: nothing is looked up at run time.
libraries() {
    local list
    list=$(ldd "$program")
    if [[ $list == *'not found'* ]]; then
        echo "${0##*/}: libraries are missing:" >&2
        grep 'not found' <<<"$list" >&2
        return 1
    fi
    awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' <<<"$list"
}

mkdir -p "$root/usr/bin" "$root/etc"
install -m 755 "$program" "$root/usr/bin/onnxscope"
list=$(libraries)
while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L --preserve=mode "$library" "$root$library"
done <<<"$list"

# Four faces of one family, for PNG and PDF: what libraries call Helvetica, Arial and so on is this one.
fonts=/usr/share/fonts/onnxscope
mkdir -p "$root$fonts" "$root/etc/fonts"
for face in Regular Bold Italic BoldItalic; do
    found=$(find /usr/share/fonts -name "LiberationSans-$face.ttf" -print -quit)
    [[ -n $found ]] || {
        echo "${0##*/}: LiberationSans-$face.ttf is missing: install fonts-liberation" >&2
        exit 1
    }
    install -m 644 "$found" "$root$fonts/"
done
cat >"$root/etc/fonts/fonts.conf" <<END
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>$fonts</dir>
</fontconfig>
END

cat >"$root/etc/passwd" <<'END'
root:x:0:0:root:/:/sbin/nologin
onnxscope:x:65532:0:onnxscope:/:/sbin/nologin
END
printf 'root:x:0:\n' >"$root/etc/group"

# Clusters run images as a user of their choice in group 0.
install -d -m 775 "$root/data"

chmod -R go+rX "$root"
du -b --apparent-size -a "$root" | awk -v root="$root" '
    $2 == root { total = $1; next }
    /\.so/ { libraries++ }
    END { printf "%.1f MiB, %d libraries\n", total / 1048576, libraries }'

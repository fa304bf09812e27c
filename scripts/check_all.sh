#!/usr/bin/env bash
# The checks that are too long for every change, one part after the other, each in a build of its own below build/:
#
#   asan    tests under the address and undefined-behaviour sanitizers: what handles memory and input files
#   debug   tests with assertions on, those of Eigen and of the standard library too: what does linear algebra
#   clang   tests as clang compiles them
#   tidy    clang-tidy over src/ and apps/, with the checks of .clang-tidy
#   odr     scripts/check_odr.sh
#   wheel   scripts/wheel.sh, and scripts/check_wheel.sh: the wheel on a machine without compilers
#   browser the page of a run in headless Chromium, without network (wants the Debian package chromium)
#   valgrind  tests of the Python package: what may be passed, edited, kept (wants the Debian package valgrind)
#   files   tests/files: what seven other programs write, against `stiction info` and the Python package
#   dask    a sweep of 60 cases on three Dask workers, one of which is killed; the same on local processes
#
#   scripts/check_all.sh [PART ...]     all parts without arguments; FOLDERS="linalg fem" replaces the folders of tests
#
# Prints a table of what it ran, with results and times, and writes it to build/check-all/summary.md. The output of each
# part is beside it. Exit code 1 if any part fails. Wants the Debian packages clang and clang-tidy beside those of packages.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

declare -A folders=(
    [asan]="math linalg mesh materials fem collision contact world methods/mlcp audit sim scene output"
    [debug]="math linalg mesh materials fem collision contact world dynamics"
    [clang]="math linalg mesh materials fem collision contact world audit scene output"
)
all_parts=(asan debug clang tidy odr wheel browser files dask valgrind)
jobs=${JOBS:-$(scripts/jobs.sh)}
out=build/check-all

# The program of a folder of tests, as tests/CMakeLists.txt names it.
program() { echo "test_${1//\//_}"; }

# Builds the programs of the folders with a preset, and runs their tests.
run_tests() {
    local preset=$1 pattern targets=() folder
    shift
    for folder in "$@"; do
        [ -d "tests/$folder" ] || { echo "no folder tests/$folder"; return 1; }
        targets+=("$(program "$folder")")
    done
    cmake --preset "$preset" || return 1
    cmake --build --preset "$preset" -j "$jobs" --target "${targets[@]}" || return 1
    pattern="^($(IFS='|'; echo "$*"))/"
    ctest --test-dir "build/$preset" -R "$pattern" --no-tests=error -j "$jobs" --output-on-failure </dev/null
}

# clang-tidy over the sources one by one: without unity builds, whose translation units are not the files.
run_tidy() {
    local folder=build/tidy
    cmake --preset clang -B "$folder" -DSTICTION_UNITY=OFF -DSTICTION_BUILD_TESTS=OFF -DSTICTION_BUILD_BENCH=OFF || return 1
    # ${TIDY_FILES:-...} picks some
    printf '%s\n' ${TIDY_FILES:-$(find src apps -name '*.cpp' | sort)} |
        xargs -P "$jobs" -n 1 clang-tidy --quiet -p "$folder"
}

# An environment with what the parts of the Python package need beside that of set-up.
python_environment() {
    local folder=build/check-all/venv
    [ -x "$folder/bin/python" ] || .venv/bin/python -m venv "$folder"
    "$folder/bin/python" -m pip install -q --disable-pip-version-check \
        numpy pyvista matplotlib imageio imageio-ffmpeg k3d usd-core playwright pytest dask distributed submitit tqdm jax
    cmake --preset release && cmake --build --preset release -j "$jobs" --target stiction_cli stiction_python
    export PYTHONPATH="$PWD/python"
}

run_part() {
    case $1 in
        asan | debug | clang) run_tests "$1" ${FOLDERS:-${folders[$1]}} ;;
        tidy) run_tidy ;;
        odr) scripts/check_odr.sh self-test && scripts/check_odr.sh ;;
        wheel) scripts/wheel.sh && scripts/check_wheel.sh ;;
        browser) command -v chromium && python_environment && build/check-all/venv/bin/python -m pytest -q -p no:cacheprovider \
            tests/python/browser tests/python/test_html.py tests/python/test_usd.py tests/python/test_simulation.py ;;
        valgrind) python_environment && PYTHONMALLOC=malloc OPENBLAS_NUM_THREADS=1 \
            valgrind --suppressions=tests/python/valgrind.supp --error-exitcode=9 --leak-check=no \
            .venv/bin/python -m pytest -c python/pyproject.toml tests/python/test_bad_calls.py tests/python/test_driven.py \
            tests/python/test_scene.py tests/python/test_simulation.py \
            -k "not fork and not pyvista and not two_threads and not the_command" ;;
        files) cmake --preset release && cmake --build --preset release -j "$jobs" --target stiction_cli stiction_python && \
            .venv/bin/python tests/files/writer_matrix.py build/release/bin/stiction ;;
        dask) python_environment && build/check-all/venv/bin/python tests/python/dask_sweep.py ;;
    esac
}

covers() {
    case $1 in
        asan | debug | clang) echo "tests of ${FOLDERS:-${folders[$1]}}" ;;
        tidy) echo "${TIDY_FILES:-src/ and apps/}" ;;
        odr) echo "the command" ;;
        wheel) echo "the package in a bare root" ;;
        browser) echo "pages, USD stages, arrays of jax" ;;
        files) echo "files and objects of other programs" ;;
        dask) echo "60 cases, a worker killed" ;;
        valgrind) echo "the package" ;;
    esac
}

# What a part found, in a few words, from its log.
found() {
    case $1 in
        tidy) echo "$(grep -cE '(warning|error): .*\[[a-z-]+' "$2" || true) complaints" ;;
        odr) grep -c 'Werror=' "$2" | sed 's/$/ complaints/' || true ;;
        wheel) grep -E '^pip install' "$2" || echo "no wheel" ;;
        browser | valgrind) grep -oE '[0-9]+ passed.*' "$2" | tail -n 1 || echo "no test ran" ;;
        dask) tail -n 1 "$2" ;;
        files) grep -E '^[0-9]+ passed' "$2" || echo "no table" ;;
        *) grep -oE '[0-9]+ tests failed out of [0-9]+' "$2" || echo "no test ran" ;;
    esac
}

# Processor time of the parts so far, in seconds. `times` must run in this shell, which is what started them.
processor() {
    times > "$out/times"
    used=$(awk 'END { split($1, own, /[ms]/); split($2, kernel, /[ms]/); print int(60 * (own[1] + kernel[1]) + own[2] + kernel[2]) }' "$out/times")
}

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
    [[ " ${all_parts[*]} " == *" $part "* ]] || { echo "check-all: $part: expected one of ${all_parts[*]}" >&2; exit 1; }
done
mkdir -p "$out"
summary=$out/summary.md
{
    echo "$(git describe --always --dirty 2>/dev/null || echo 'no git'), $(date -u +%F), $(nproc) cores"
    echo
    echo "| part | covers | result | found | wall (s) | processor (s) |"
    echo "|---|---|---|---|---|---|"
} > "$summary"
failed=0
for part in "${parts[@]}"; do
    echo "check-all: $part: $(covers "$part") (log: $out/$part.log)"
    start=$SECONDS result=passed
    processor
    before=$used
    run_part "$part" > "$out/$part.log" 2>&1 || { result=FAILED; failed=1; tail -n 20 "$out/$part.log"; }
    processor
    echo "| $part | $(covers "$part") | $result | $(found "$part" "$out/$part.log") | $((SECONDS - start)) | $((used - before)) |" >> "$summary"
done
cat "$summary"
exit $failed

#!/usr/bin/env bash
# Links the command with link-time optimisation, where g++ compares the types of all translation units, and fails when
# two of one name differ (-Wodr) or a declaration does not match its definition elsewhere (-Wlto-type-mismatch).
#
#   scripts/check_odr.sh            builds the command in build/odr (preset odr)
#   scripts/check_odr.sh self-test  checks that two files with different classes of one name are refused, and two good ones are not
#
# The preset compiles with -O0: that is quicker, and finds more, since inlined code no longer names its types.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
flags=(-std=c++20 -O0 -flto=2 -Wodr -Werror=odr -Werror=lto-type-mismatch)

self_test() {
    local folder log
    folder=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$folder'" EXIT
    printf 'namespace ours { struct Pair { int a; int sum() { return a; } }; }\nint two();\nint main() { return ours::Pair{0}.sum() + two(); }\n' > "$folder/one.cpp"
    printf 'namespace ours { struct Pair { double a, b; double sum() { return a; } }; }\nint two() { return int(ours::Pair{0, 0}.sum()); }\n' > "$folder/bad.cpp"
    sed 's/ours/other/g' "$folder/bad.cpp" > "$folder/good.cpp"
    log="$folder/log"
    if g++ "${flags[@]}" "$folder/one.cpp" "$folder/bad.cpp" -o "$folder/program" > "$log" 2>&1; then
        echo "odr self-test: two classes ours::Pair were linked without complaint"
        return 1
    fi
    if ! grep -q 'violates the C++ One Definition Rule' "$log"; then
        echo "odr self-test: expected a complaint about the one-definition rule, got:"
        cat "$log"
        return 1
    fi
    if ! g++ "${flags[@]}" "$folder/one.cpp" "$folder/good.cpp" -o "$folder/program"; then
        echo "odr self-test: two good files were refused"
        return 1
    fi
    echo "odr self-test: the planted fault was found"
}

if [ "${1:-}" = self-test ]; then
    self_test
    exit
fi
cmake --preset odr > /dev/null
cmake --build --preset odr -j "${JOBS:-$(scripts/jobs.sh)}" --target stiction_cli
echo "odr: the command links without a type or declaration that differs between translation units"

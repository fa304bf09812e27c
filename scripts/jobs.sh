#!/usr/bin/env bash
# Prints how many compilers may run at once: all cores, but 2 GiB of memory for each.
set -euo pipefail
cores=$(nproc)
memory_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
if [[ $limit =~ ^[0-9]+$ ]] && [ $((limit / 1024)) -lt "${memory_kib:-0}" ]; then
    memory_kib=$((limit / 1024))
fi
jobs=$((${memory_kib:-0} / (2 * 1024 * 1024)))
[ "$jobs" -ge 1 ] || jobs=1
[ "$jobs" -le "$cores" ] || jobs=$cores
echo "$jobs"

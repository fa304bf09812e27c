#!/usr/bin/env python3
"""How fast the machine reads: GB/s of dot products over arrays of several sizes.

    .venv/bin/python bench/bandwidth.py [--threads 2] [--megabytes 4 16 64 512]

Each thread reads its own share of the array again and again for half a second; the fastest of five such times counts.
NumPy's product of a vector with itself reads every number once and keeps none. Small arrays stay in a cache, large ones
come from memory. Needs NumPy.
"""
import argparse
import concurrent.futures
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy  # noqa: E402

SECONDS = 0.5
REPEATS = 5


def read(share):
    """Bytes that were read, and seconds."""
    begun, rounds = time.perf_counter(), 0
    while True:
        numpy.dot(share, share)
        rounds += 1
        spent = time.perf_counter() - begun
        if spent > SECONDS:
            return rounds * share.nbytes, spent


def bandwidth(megabytes, threads):
    """GB/s of all threads together."""
    shares = [numpy.ones(int(1e6 * megabytes / 8 / threads)) for _ in range(threads)]
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        best = 0.0
        for _ in range(REPEATS):
            found = list(pool.map(read, shares))
            best = max(best, sum(count / spent for count, spent in found) / 1e9)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[4, 16, 64, 512])
    options = parser.parse_args()
    print(f"| MB | GB/s, {options.threads} threads |\n|---|---|")
    for megabytes in options.megabytes:
        print(f"| {megabytes:g} | {bandwidth(megabytes, options.threads):.1f} |", flush=True)


if __name__ == "__main__":
    main()

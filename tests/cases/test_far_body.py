"""What happens to a body does not depend on others that it never meets, however far and large or small they are."""
import os
from pathlib import Path

import numpy as np
import pytest

import stiction as st

SOURCE = Path(os.environ["STICTION_SOURCE_DIR"])
EXAMPLES = sorted(file.stem for file in (SOURCE / "examples").glob("*.json"))
METHODS = ("ipc", "implicit", "mlcp", "local_global")
#: Bodies far away: one large, one small; both fall freely, under `mlcp` they are held.
FAR = {
    "large": {"name": "far", "mesh": {"generate": "box", "size": [3, 3, 3], "cells": [1, 1, 1]},
              "transform": {"translation": [30, 40, 0]}},
    "small": {"name": "far", "mesh": {"generate": "box", "size": [0.002, 0.002, 0.002], "cells": [1, 1, 1]},
              "transform": {"translation": [30, 40, 0]}},
}
WHOLE = {"box": {"min": [0, 0, 0], "max": [1, 1, 1], "relative": True}}
STEPS = 12


def ends(example, method, far=None):
    """Positions of all vertices of an example after some steps, those of the far body left out."""
    scene = st.Scene.load(SOURCE / f"examples/{example}.json")
    document = scene.to_dict()
    document["method"] = method
    if far is not None:
        document["bodies"] = document["bodies"] + [far]
    sim = st.Scene.from_dict(document, SOURCE / "examples").simulate()
    for _ in range(STEPS):
        assert sim.step(), f"{example} under {method}"
    return np.concatenate([body.x for body in sim.bodies if body.name != "far"])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_far_body_changes_nothing(example, method):
    try:
        alone = ends(example, method)
    except st.InputError as error:
        pytest.skip(f"{method} refuses the example: {error}")
    size = np.ptp(alone, axis=0).max()
    for name, far in FAR.items():
        # Bodies that move share the iterations of a solve of `mlcp`, which end at its tolerance (docs/physics/mlcp.md).
        if method == "mlcp":
            far = {**far, "boundary": {"select": WHOLE, "fix": True}}
        moved = np.abs(ends(example, method, far) - alone).max()
        assert moved < 1e-9 * size, f"{name} body: {moved:.3g} m"


def test_a_far_body_does_not_make_the_distances_of_a_small_one_rounding():
    bodies = [{"name": "small", "mesh": {"generate": "ball", "radius": 1e-3},
               "transform": {"translation": [0, 0.01, 0]}},
              {"name": "far", "mesh": {"generate": "box"}, "transform": {"translation": [1e5, 2, 0]}}]
    scene = st.Scene.from_dict({"method": "mlcp", "bodies": bodies, "obstacles": [{"half_space": {}}]})
    assert scene.simulate().step()

"""A scene that is advanced step by step: bodies, steps, states."""

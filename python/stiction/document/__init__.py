"""A scene as the document of a scene file: its keys, its meshes, and the Python functions beside it."""

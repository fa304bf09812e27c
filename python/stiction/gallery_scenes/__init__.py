"""Scenes of the four papers, each with what is expected of it. The function is stiction.gallery."""

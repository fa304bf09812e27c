"""Many runs of one scene with different values of its keys. The function is stiction.sweep."""

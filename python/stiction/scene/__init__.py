"""Scenes as users build them: Scene, its checks, its repair, and the window that shows it."""

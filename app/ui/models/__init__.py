"""The models in the window: what is said of them, their work in the background, the menu to choose one."""

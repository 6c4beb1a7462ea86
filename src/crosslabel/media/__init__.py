"""Reading images and clips, whatever state their files are in."""

"""The flagship: how a sample is lifted, what is learnt, and how settings are chosen."""

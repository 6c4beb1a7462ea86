"""Ours beside the peers: a file for each peer, a process for each measurement."""

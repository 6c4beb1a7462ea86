"""The same mathematics on torch tensors, arranged for a GPU: batched over classes, no waiting.

Imports torch, NumPy and `crosslabel.core`, and is itself imported only where a device is asked for.
"""

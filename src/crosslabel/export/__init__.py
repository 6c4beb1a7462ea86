"""Trained models in forms that other programs run: ONNX."""

from crosslabel.export.onnx import to_onnx

__all__ = ["to_onnx"]

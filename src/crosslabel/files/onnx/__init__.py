"""Trained models in forms that other programs run: ONNX."""

from crosslabel.files.onnx.writer import to_onnx

__all__ = ["to_onnx"]

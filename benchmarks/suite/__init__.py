"""The defaults against what users would pick, over many data sets and sizes of training."""

"""Data that outgrows memory or one machine: named statistics, a kept sample, sources and passes.

May import `crosslabel.core` and what the core may, files and, where used, Dask, Zarr and HDF5;
never an estimator.
"""

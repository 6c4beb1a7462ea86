"""The studio: teach a classifier in the browser, one picture at a time, and take it away."""

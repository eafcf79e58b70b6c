# The resources of the previous step are removed.

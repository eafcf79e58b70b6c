# The resource of the previous step is removed.

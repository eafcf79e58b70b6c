# Nothing is left of the step before.

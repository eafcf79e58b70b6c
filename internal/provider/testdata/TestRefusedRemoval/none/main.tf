# Nothing is configured any more.

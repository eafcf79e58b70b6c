package module

import "time"

// Code of the product may use real time.
func Now() time.Time { return time.Now() }

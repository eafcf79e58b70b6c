// SPDX-License-Identifier: MPL-2.0

// Command realtime finds tests that use real time. Their verdict depends on how busy the machine is.
//
//	go -C tools/realtime run . ../..
//
// In a bubble of testing/synctest, time is virtual. A function is in a bubble if a function of one is
// passed to synctest.Test, or if all functions that refer to it are in a bubble. Everywhere else in tests
// and in packages for tests, each use of the clock needs a reason, in the same line or the one before it:
//
//	// real time: the reason
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: realtime ROOT")
		os.Exit(2)
	}
	found, err := check(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// SPDX-License-Identifier: MPL-2.0

package throttle

// SetWall sets the clock of a store of OpenFile, in milliseconds.
func SetWall(s Store, wall func() int64) {
	f, _ := s.(*fileStore)
	f.wall = wall
}

func init() { SetClockStep(0) } // virtual time does not advance in steps

// SetClockStep sets how far the clock of the machine can be behind, in milliseconds, for all stores.
func SetClockStep(step int64) { clockStep = step }

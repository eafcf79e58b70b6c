// SPDX-License-Identifier: MPL-2.0

package throttle

// SetWall sets the clock of a store of OpenFile, in milliseconds.
func SetWall(s Store, wall func() int64) {
	f, _ := s.(*fileStore)
	f.wall = wall
}

func init() { clockStep = 0 } // virtual time does not advance in steps

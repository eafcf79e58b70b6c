// SPDX-License-Identifier: MPL-2.0

package engine

// lock is a mutex that is held during requests. It is a channel, because the clock of
// testing/synctest does not advance while a goroutine waits for a [sync.Mutex].
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) Lock() { l <- struct{}{} }

func (l lock) Unlock() { <-l }

// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"sync"
	"testing"
)

// known are the checks that fail today, with the sentence of the contract that is not kept yet. They end a life without
// failing the test. What keeps the contract empties the lists.
type known struct {
	sentences map[string]string
	mu        sync.Mutex
	hits      map[string]int
}

var (
	knownInLives   = known{sentences: map[string]string{}}
	knownInSilence = known{sentences: map[string]string{
		silentStatus: "what a response does not say is never taken as \"there is none\"",
	}}
)

// covers reports whether a life has violated nothing, or only what is known.
func (k *known) covers(v *violation) bool {
	if v == nil {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hits == nil {
		k.hits = map[string]int{}
	}
	k.hits[v.check]++
	return k.sentences[v.check] != ""
}

// log says how often each check has failed.
func (k *known) log(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		for _, check := range sortedKeys(k.hits) {
			t.Logf("%d times: %s (%s)", k.hits[check], check, k.sentences[check])
		}
	})
}

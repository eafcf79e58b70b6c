// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"errors"
	"testing"
	"time"
)

// The message says why a request was not sent, and how long it waited, if it did.
func TestWaitErrorText(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for want, e := range map[string]WaitError{
		"not sent: cause": {},
		"not sent while waiting for the limit of 5 a second: cause":                  {Window: "5 a second", Waited: 400 * time.Microsecond},
		"not sent after waiting 2s for the limit of 5 a second: cause":               {Window: "5 a second", Waited: 2 * time.Second},
		"not sent after waiting 2s, because the shared budget did not answer: cause": {Stuck: true, Waited: 2 * time.Second},
		"not sent after waiting 2s, because the service answered 429 Too Many Requests to a request with the same API key: cause": {
			Held: true, Waited: 2 * time.Second, Window: "5 a second",
		},
	} {
		e.Cause = cause
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"net/http"
	"testing"
)

// Row 13: each request asks not to be answered from a cache, and a cache that answers nevertheless is noted once.
func TestCacheIsNoted(t *testing.T) {
	t.Parallel()
	for age, want := range map[string]int{"": 0, "0": 0, "59": 1, " 3 ": 1, "-1": 0, "soon": 0} {
		noted := 0
		network := newStub(answers(http.StatusOK, "[]", "Age", age))
		c := newClient(t, network, func(cfg *Config) {
			cfg.Cached = func() { noted++ }
			cfg.Headers = map[string]string{"Cache-Control": "max-age=60"}
		})
		pages := c.PositionAssessmentPages("p")
		for range 3 {
			if _, err := c.List(t.Context(), Assessments, ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := pages.All(t.Context()); err != nil || (pages.Doubt() != nil) != (want > 0) {
			t.Errorf("%q: %v, %v", age, err, pages.Doubt())
		}
		if noted != want {
			t.Errorf("%q: noted %d times", age, noted)
		}
		for _, sent := range network.arrivals() {
			if sent.header.Get("Cache-Control") != "no-cache" {
				t.Errorf("sent %v", sent.header)
			}
		}
	}
}

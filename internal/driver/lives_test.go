// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// TestLives checks the invariants in random lives, in which requests fail.
func TestLives(t *testing.T) {
	t.Parallel()
	eachSeed(t, 3000, 60, (*life).fault)
}

// TestSilence checks the invariants in random lives, in which the service leaves out members of its responses. The
// provider must ask once more, or report it. It must not act on it.
func TestSilence(t *testing.T) {
	t.Parallel()
	eachSeed(t, 3000, 60, (*life).silence)
}

// eachSeed lives the lives of SEEDS seeds, starting with seed FIRST. most is the number of seeds if SEEDS is not set, and
// short that with -short.
func eachSeed(t *testing.T, most, short uint64, disturb func(*life, *running, *rand.Rand) (end func())) {
	t.Helper()
	number := func(name string, fallback uint64) uint64 {
		n, err := strconv.ParseUint(os.Getenv(name), 10, 64)
		if err != nil {
			return fallback
		}
		return n
	}
	if testing.Short() {
		most = short
	}
	first, seeds := number("FIRST", 1), number("SEEDS", most)
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				l := newLife(t, random)
				l.disturb = disturb
				for range 8 + random.IntN(12) {
					anyOf(random, operations())(l, random)
				}
				l.settle()
				if l.violated {
					t.Errorf("FIRST=%d SEEDS=1:\n%s", seed, strings.Join(l.story, "\n"))
				}
				time.Sleep(time.Hour) // all requests have ended
			})
		})
	}
}

// settle runs once without disturbance. Then it starts with an empty state, adopts what exists, and removes that in the end. Rows whose adoption must fail are
// left out.
func (l *life) settle() {
	l.tell("settle")
	if r := l.begin(); l.plan(r) {
		l.apply(r)
	}
	keys := map[string]int{}
	for _, a := range l.existing() {
		keys[a.key()]++
		if len(a.position.Candidates) > 0 || a.supervised() {
			keys[a.key()] = 2
		}
	}
	for address, row := range l.rows {
		if keys[row.key()] > 1 {
			delete(l.rows, address)
		}
	}
	l.adopts, l.State = true, map[string]*driver.Object{}
	if r := l.begin(); !l.plan(r) || !l.apply(r) {
		l.violate(settles, "%v", l.rows)
	}
	clear(l.rows)
	if r := l.begin(); !l.plan(r) || !l.apply(r) || len(l.State) > 0 {
		l.violate(destroys, "%d objects are in the state", len(l.State))
	}
}

// silence leaves out a member of the JSON in responses to a run: of one response, or of it and all later ones of its kind.
func (l *life) silence(r *running, random *rand.Rand) (end func()) {
	kind := anyOf(random, []string{
		"GET " + sandbox.RoutePositions, "GET " + sandbox.RouteResults, "GET " + sandbox.RouteAssessments,
		"GET " + sandbox.RoutePackages, "GET " + sandbox.RouteBenchmarks, "GET " + sandbox.RouteProfiles,
		"GET " + sandbox.RouteSkillsTests, "GET " + sandbox.RoutePositionAssessments,
		"GET " + sandbox.RoutePositionAssessment, "PUT " + sandbox.RoutePositionAssessment,
		"POST " + sandbox.RoutePositionAssessments,
	})
	skipped, always := random.IntN(4), random.IntN(2) == 0
	var path []string
	return l.Service.Hook(func(q *driver.Request, next func() driver.Response) driver.Response {
		response := next()
		l.mu.Lock()
		defer l.mu.Unlock()
		var body any
		if l.run != r || q.Method+" "+q.Route != kind || json.Unmarshal(response.Body, &body) != nil {
			return response
		}
		switch {
		case skipped > 0:
			skipped--
			return response
		case path == nil:
			if path = anyOf(random, memberPaths(body)); path == nil {
				return response
			}
			l.note(r, q, path, always)
		case !always:
			return response
		}
		omit(body, path, always)
		response.Body, _ = json.Marshal(body) // it was JSON
		return response
	})
}

// note notes what the responses to a kind of request do not contain.
func (l *life) note(r *running, q *driver.Request, path []string, always bool) {
	l.tell("  the response to %s %s does not contain %v, always: %t", q.Method, q.Route, path, always)
	r.happened = true
	r.halfShown = slices.Contains(path[:len(path)-1], "metadata")
	last := path[len(path)-1]
	isStatus := last == "metadata" || last == "profileStatus"
	r.statusless = always && isStatus && q.Is(http.MethodGet, sandbox.RoutePositionAssessment)
}

// memberPaths returns the names that lead to each member of a JSON value, at every depth. Arrays have no names.
func memberPaths(value any) (all [][]string) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(value) {
			all = append(all, []string{name})
			for _, path := range memberPaths(value[name]) {
				all = append(all, append([]string{name}, path...))
			}
		}
	case []any:
		for _, element := range value {
			all = append(all, memberPaths(element)...)
		}
	}
	return all
}

// omit deletes the member at a path: of all elements of arrays, or of the first one that has it.
func omit(value any, path []string, all bool) (found bool) {
	switch value := value.(type) {
	case map[string]any:
		child, found := value[path[0]]
		if len(path) > 1 {
			return omit(child, path[1:], all)
		}
		delete(value, path[0])
		return found
	case []any:
		for _, element := range value {
			found = omit(element, path, all) || found
			if found && !all {
				return true
			}
		}
	}
	return found
}

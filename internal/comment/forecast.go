// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/connection"
)

// parallelism is how many resources a CLI changes at the same time by default.
const parallelism = 10

// forecast is how many requests an apply sends. It is an estimate: what the apply looks up before
// its first change depends on the order in which the CLI visits the resources.
type forecast struct {
	results   int             // requests for results
	others    int             // requests that the plan implies
	lookups   map[string]bool // lists that the apply reads once, before its first change
	positions map[string]bool // whose assessments it lists, before its first change
	always    map[string]bool // what it reads once, at any time
	// A removal requires no lookups. So the more changes are removals, the sooner is the first change.
	checked, removals int
}

// forecastOf returns the forecast for a plan.
func forecastOf(p plan) forecast {
	f := forecast{lookups: map[string]bool{}, positions: map[string]bool{}, always: map[string]bool{}}
	for _, r := range p.ResourceChanges {
		switch {
		case r.Mode != "data":
			_, adopted := p.adopted[r.Address]
			f.add(r, adopted)
		case r.Type == "assess_position_results":
			f.results++
		case strings.HasPrefix(r.Type, "assess_"):
			f.always[fmt.Sprint(r.Type, r.Change.After)] = true
		}
	}
	for _, a := range p.ActionInvocations {
		f.results += len(textsAt(a.ConfigValues, "position_ids"))
	}
	return f
}

// add adds the requests for one change of a resource.
func (f *forecast) add(r resourceChange, adopted bool) {
	c := r.Change
	switch r.Type + " " + strings.Join(c.Actions, " ") {
	case "assess_position_assessment create":
		f.lookups["assessments"] = true
		if position := textAt(c.After, "position_id"); adopted {
			f.always["position "+position] = true
		} else {
			f.others++
			f.positions[position] = true
		}
		f.lookUp(c.After)
	case "assess_position_assessment update":
		if !reconfigures(c) {
			return
		}
		f.others++
		if at(c.After, "profile") != nil {
			f.others++ // the GET that looks for a supervisor's work
		}
		f.lookUp(c.After)
	case "assess_position_assessment delete":
		f.others++
		f.removals++
	case "assess_position_assessment delete create", "assess_position_assessment create delete":
		f.others += 2
		f.removals++
	case "assess_skills_test_activation create", "assess_skills_test_activation update":
		f.others++
		f.checked++
		f.lookups["enabled tests "+textAt(c.After, "assessment_id")] = true
		f.lookups["other tests "+textAt(c.After, "assessment_id")] = true
	}
}

// lookUp adds the lists with which the apply checks one position assessment.
func (f *forecast) lookUp(v any) {
	f.checked++
	assessment := textAt(v, "assessment_id")
	has := func(block string) bool { return at(v, block) != nil }
	read := func(list string) { f.lookups[list+" "+assessment] = true }
	switch {
	case has("profile"):
		read("profiles")
		return
	case has("tests"):
		read("enabled tests")
	case has("benchmark"):
		read("benchmarks")
		f.lookups["positions"] = true
		fallthrough
	case has("packages"):
		read("packages")
	default:
		for _, list := range []string{"packages", "enabled tests", "other tests", "profiles"} {
			read(list)
		}
		return
	}
	f.always["whether the service shows settings"] = true // with the result of the first change
}

// reconfigures reports whether an update sends a request.
func reconfigures(c change) bool {
	return !sameSettings(c.Before, c.After) || at(c.AfterUnknown, "profile_status") == true ||
		textAt(c.Before, "profile_status") != textAt(c.After, "profile_status")
}

func (f forecast) requests() int {
	lookups := len(f.lookups) * f.checked / max(1, f.checked+f.removals)
	if f.removals == 0 { // otherwise, a removal comes first
		lookups += min(len(f.positions), parallelism)
	}
	return f.results + f.others + len(f.always) + lookups
}

// String says how many requests the apply sends, and how long the rate limits let it take at least.
func (f forecast) String() string {
	n := f.requests()
	if n == 0 {
		return "The apply sends no requests to the service."
	}
	took := max(connection.MinimumTime(n, f.results), time.Second)
	if n > 100 {
		n = (n + 5) / 10 * 10
	}
	return fmt.Sprintf("The apply sends about %s to the service. The service limits the number of "+
		"requests, so this takes at least %s.", things(n, "request"), duration(took))
}

func duration(d time.Duration) string {
	seconds := int(d / time.Second)
	switch hours, minutes := seconds/3600, seconds/60%60; {
	case hours > 0:
		return things(hours, "hour") + " and " + things(minutes, "minute")
	case minutes > 0:
		return things(minutes, "minute") + " and " + things(seconds%60, "second")
	}
	return things(seconds, "second")
}

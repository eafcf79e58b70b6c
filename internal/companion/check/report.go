// SPDX-License-Identifier: MPL-2.0

package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// Exit codes.
const (
	Works           = 0
	WorksWithLimits = 1
	DoesNotWork     = 2
)

// status says whether a service meets an assumption. A higher value is worse.
type status int

const (
	cannotTell status = iota
	met
	differs
	notOffered
)

func (s status) String() string { return [...]string{"cannot tell", "ok", "differs", "not offered"}[s] }

// MarshalText implements [encoding.TextMarshaler].
func (s status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// assumptionFinding is what a check has found about an assumption.
type assumptionFinding struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status status `json:"status"`
	Seen   string `json:"seen,omitempty"`   // what the service does, or why the check cannot tell
	Effect string `json:"effect,omitempty"` // what this means for the user

	names []string // of the differences
}

// assumptionFindings has one finding for each assumption, in the order of the numbers.
type assumptionFindings []*assumptionFinding

func newFindings() assumptionFindings {
	all := assumptionFindings{}
	for _, a := range api.Assumptions {
		all = append(all, &assumptionFinding{ID: a.ID, Title: api.Plain(a.Title), Seen: api.Plain(a.Unknown)})
	}
	number := func(f *assumptionFinding) int { n, _ := strconv.Atoi(f.ID[1:]); return n }
	slices.SortFunc(all, func(a, b *assumptionFinding) int { return number(a) - number(b) })
	return all
}

func (all assumptionFindings) of(id string) *assumptionFinding {
	return all[slices.IndexFunc(all, func(f *assumptionFinding) bool { return f.ID == id })]
}

// meets records that a service meets an assumption. It has no effect if a difference was recorded before.
func (all assumptionFindings) meets(id string) {
	if f := all.of(id); f.Status == cannotTell {
		f.Status, f.Seen = met, ""
	}
}

// differs records a difference by its name in [api.Assumptions]. Recording a difference again changes nothing. If an
// assumption has several differences, the worst status counts, Seen contains all their texts, and Effect contains each
// effect once. Effect contains [api.NothingChanges] only if all differences have this effect.
func (all assumptionFindings) differs(id, name string) {
	f, difference := all.of(id), api.Find(id).Difference(name)
	if slices.Contains(f.names, name) {
		return
	}
	if len(f.names) == 0 { // so far, Seen says why the check cannot tell, or is empty
		f.Status, f.Seen = differs, ""
	}
	if difference.Lost {
		f.Status = notOffered
	}
	f.names = append(f.names, name)
	f.Seen = strings.TrimSpace(f.Seen + " " + api.Plain(difference.If))
	switch effect := api.Plain(difference.Then); {
	case f.Effect == "" || f.Effect == api.NothingChanges:
		f.Effect = effect
	case effect != api.NothingChanges && !strings.Contains(f.Effect, effect):
		f.Effect += " " + effect
	}
}

// expect records that a service meets an assumption if ok is true. Otherwise, it records the difference with this name.
func (all assumptionFindings) expect(ok bool, id, name string) {
	if ok {
		all.meets(id)
	} else {
		all.differs(id, name)
	}
}

// unread records that the check could not read enough to test an assumption. It has no effect if a result was recorded
// before.
func (all assumptionFindings) unread(id string) {
	if f := all.of(id); f.Status == cannotTell {
		f.Seen = "The check could not read enough to tell."
	}
}

// unreadRest records that the check could not read enough to test the assumptions without a result, except for those
// that no read can test.
func (all assumptionFindings) unreadRest() {
	for _, f := range all {
		isDetectable := func(d api.Difference) bool { return d.Name != "" }
		if slices.ContainsFunc(api.Find(f.ID).Differences, isDetectable) {
			all.unread(f.ID)
		}
	}
}

// byStatus returns how many findings there are for each status. missing is a text with the number and the titles of
// what the service does not offer.
func (all assumptionFindings) byStatus() (counts map[status]int, missing string) {
	counts = map[status]int{}
	var titles []string
	for _, f := range all {
		counts[f.Status]++
		if f.Status == notOffered {
			titles = append(titles, f.ID+" "+f.Title)
		}
	}
	if len(titles) == 0 {
		return counts, "0"
	}
	return counts, fmt.Sprintf("%d (%s)", len(titles), strings.Join(titles, "; "))
}

// checkResult is the output of a check.
type checkResult struct {
	Verdict     string             `json:"verdict"`
	ExitCode    int                `json:"exitCode"`
	Summary     string             `json:"summary"`
	Version     string             `json:"version"`
	Requests    int                `json:"requests"`
	Took        time.Duration      `json:"-"`
	Assumptions assumptionFindings `json:"assumptions"`
}

// conclude sets the verdict, the exit code and the summary. problem is the result of [checkService]. With a problem,
// conclude also calls unreadRest.
func (r *checkResult) conclude(problem string) {
	all := r.Assumptions
	counts, missing := all.byStatus()
	untested := counts[cannotTell]
	tested := len(all) - untested
	const rest = " It cannot tell %d: their lines say why."
	switch {
	case problem != "":
		all.unreadRest()
		r.ExitCode, r.Verdict, r.Summary = DoesNotWork, "does not work", problem
	case counts[differs]+counts[notOffered] > 0:
		r.ExitCode, r.Verdict = WorksWithLimits, "works with limits"
		r.Summary = fmt.Sprintf("Of the %d assumptions that this check could test, the service meets %d, differs in %d, and "+
			"does not offer %s."+rest, tested, counts[met], counts[differs], missing, untested)
	default:
		r.ExitCode, r.Verdict = Works, "works"
		r.Summary = fmt.Sprintf("The service meets all %d assumptions that this check could test."+rest, tested, untested)
	}
}

// write prints the result as JSON or as text. An error means that it was not written.
func (r *checkResult) write(o Options) error {
	if !o.JSON {
		_, err := io.WriteString(o.Out, r.text(o))
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(o.Out, "%s\n", text)
	}
	return err
}

// text returns the verdict and the summary, one line for each finding that the text shows, and, if the provider works
// with the service, how many requests were sent and where to read more.
func (r *checkResult) text(o Options) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s. %s\n", messages.Upper(r.Verdict), r.Summary)
	for i, f := range r.shown(o) {
		if i == 0 {
			text.WriteByte('\n')
		}
		line := fmt.Sprintf("%-4s %-12s %s. %s %s", f.ID, f.Status, messages.Upper(f.Title), f.Seen, f.Effect)
		text.WriteString(strings.TrimSpace(line) + "\n")
	}
	if r.ExitCode != DoesNotWork {
		fmt.Fprintf(&text, "\nRequests: %d, in %s. This output contains no credentials and nothing about people, so you can "+
			"share it. More: %s\n", r.Requests, r.Took.Round(10*time.Millisecond), messages.Page("guides/does-it-work"))
	}
	return text.String()
}

// shown returns the findings that the text shows: all except assumptions that the service meets, the worst ones first.
// With [Options.Verbose], it returns all findings by number. If the provider does not work with the service, shown
// returns only what the service does not offer, even with Verbose.
func (r *checkResult) shown(o Options) assumptionFindings {
	if r.ExitCode == DoesNotWork { // only the verdict and its reasons matter
		isOffered := func(f *assumptionFinding) bool { return f.Status != notOffered }
		return slices.DeleteFunc(slices.Clone(r.Assumptions), isOffered)
	}
	if o.Verbose {
		return r.Assumptions
	}
	isMet := func(f *assumptionFinding) bool { return f.Status == met }
	shown := slices.DeleteFunc(slices.Clone(r.Assumptions), isMet)
	slices.SortStableFunc(shown, func(a, b *assumptionFinding) int { return cmp.Compare(b.Status, a.Status) })
	return shown
}

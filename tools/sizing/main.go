// SPDX-License-Identifier: MPL-2.0

// Command sizing prints, in Markdown, how long the service's limits make a fleet of
// runners take that shares one API key: 20 requests in any second and 500 in any
// minute, for all users of the key together. Everything is computed from them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	perSecond = 20
	perMinute = 500
)

var (
	runners   = []int{1, 2, 5, 10, 20, 50, 100}
	resources = []int{100, 1_000, 5_000, 10_000, 50_000, 100_000}
)

// estate is what a fleet manages, in even parts.
type estate struct {
	perPosition int // position assessments on a position
	assessments int // different ones that each runner uses
}

func main() {
	var e estate
	flag.IntVar(&e.perPosition, "per-position", 5, "position assessments on each position")
	flag.IntVar(&e.assessments, "assessments", 5, "different assessments that each runner uses")
	flag.Parse()
	if e.perPosition < 1 || e.assessments < 1 {
		fmt.Fprintln(os.Stderr, "-per-position and -assessments are at least 1")
		os.Exit(2)
	}
	if err := e.write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// floor is the least time in which n requests arrive.
func floor(n int) time.Duration {
	if n < 1 {
		return 0
	}
	return time.Duration((n-1)/perMinute)*time.Minute + time.Duration((n-1)%perMinute/perSecond)*time.Second
}

// lookUps is how many requests a runner makes at most, in a plan or in an apply,
// to know what can be chosen: the list of assessments, and four for each one used.
func (e estate) lookUps() int { return 1 + 4*e.assessments }

// positions is how many positions so many resources lie on.
func (e estate) positions(resources int) int { return (resources + e.perPosition - 1) / e.perPosition }

// create is how many requests it takes at most to plan and apply so many new
// resources: one each, one for each position in the plan, and every runner's
// look-ups, in its plan and in its apply.
func (e estate) create(resources, runners int) int {
	return resources + e.positions(resources) + 2*runners*e.lookUps()
}

// refresh is how many requests a plan makes that finds nothing to do.
func (e estate) refresh(resources int) int { return e.positions(resources) }

func (e estate) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "How long the limits alone make all of it take, with %d position assessments on each position and %d different\n"+
		"assessments in each runner's part. More runners do not make it faster: they share the same %d requests a\n"+
		"minute, and each looks up for itself what can be chosen. (Counted is the most: %d look-ups in its plan, and as\n"+
		"many in its apply.)\n\n", e.perPosition, e.assessments, perMinute, e.lookUps())

	head(&b, append([]string{"position assessments", "a plan without changes"}, each(runners, func(n int) string {
		return "created by " + plural(n, "runner")
	})...))
	for _, r := range resources {
		cells := []string{number(r), span(floor(e.refresh(r)))}
		for _, n := range runners {
			if n > e.positions(r) {
				cells = append(cells, "–") // there is not a position for each
				continue
			}
			cells = append(cells, span(floor(e.create(r, n))))
		}
		row(&b, cells)
	}

	b.WriteString("\nWhat each of them gets while all are at work:\n\n")
	head(&b, []string{"runners", "requests a minute for each", "one in"})
	for _, n := range runners {
		row(&b, []string{
			number(n), strconv.FormatFloat(float64(perMinute)/float64(n), 'f', -1, 64),
			strconv.FormatFloat(60*float64(n)/perMinute, 'f', -1, 64) + " s",
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func head(b *strings.Builder, cells []string) {
	row(b, cells)
	b.WriteString("|" + strings.Repeat("---|", len(cells)) + "\n")
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func each(numbers []int, text func(int) string) []string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = text(n)
	}
	return texts
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// number writes 100000 as 100,000.
func number(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", number(n/1000), n%1000)
}

// span writes a time as the guide does.
func span(d time.Duration) string {
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%d min %d s", minutes, seconds)
	default:
		return fmt.Sprintf("%d s", seconds)
	}
}

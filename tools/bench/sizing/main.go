// SPDX-License-Identifier: MPL-2.0

// Command sizing prints, in Markdown, how long runs of many runners with one API key
// take at best. It computes this from the limits of the key and from the requests that
// the provider sends. The guide on rate limits links to results.md, which contains the
// output of this command.
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

// The rate limits of the contract.
const (
	perSecond        = 20
	perMinute        = 500
	resultsPerMinute = 30
)

// perPage is the number of elements in one page of a list.
const perPage = 1000

var (
	runners   = []int{1, 10, 50, 100}
	resources = []int{100, 1_000, 5_000, 10_000, 50_000, 100_000}
)

// estate describes the resources that runners manage. Each runner has an equal part.
type estate struct {
	perPosition int // position assessments on a position
	assessments int // different assessments that each runner uses
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

// floor is the shortest time in which n requests arrive, without one round trip.
func floor(n int) time.Duration {
	if n < 1 {
		return 0
	}
	return time.Duration((n-1)/perMinute)*time.Minute + time.Duration((n-1)%perMinute/perSecond)*time.Second
}

// positions is the number of positions with these resources.
func (e estate) positions(resources int) int { return ceil(resources, e.perPosition) }

// lookUps is the largest number of requests of a runner for lists, in one plan or apply: the
// list of assessments, all pages of the list of positions, and four lists for each
// assessment that it uses.
func (e estate) lookUps(resources int) int {
	return 1 + ceil(e.positions(resources), perPage) + 4*e.assessments
}

// create is the largest number of requests to plan and apply new resources: one for each
// resource, one for each position in the plan, and the lists of each runner, in its plan
// and in its apply.
func (e estate) create(resources, runners int) int {
	return resources + e.positions(resources) + 2*runners*e.lookUps(resources)
}

// refresh is the number of requests of plans without changes.
func (e estate) refresh(resources int) int { return e.positions(resources) }

func (e estate) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# How long large setups take\n\nThe shortest times that the limits of one API key allow. "+
		"The times are computed, not measured.\nThey assume %d position assessments on each position, "+
		"%d different assessments for each\nrunner, and the largest number of lists that a runner can need. "+
		"For your own numbers, run\n`go -C tools/bench run ./sizing -per-position 3 -assessments 10`.\n\n",
		e.perPosition, e.assessments)
	head(&b, append([]string{"position assessments", "plans without changes"}, each(runners, func(n int) string {
		return "created by " + plural(n, "runner")
	})...))
	for _, r := range resources {
		cells := []string{number(r), span(floor(e.refresh(r)))}
		for _, n := range runners {
			if n > e.positions(r) {
				cells = append(cells, "–") // there are fewer positions than runners
				continue
			}
			cells = append(cells, span(floor(e.create(r, n))))
		}
		row(&b, cells)
	}
	fmt.Fprintf(&b, "\n\"–\": there are fewer positions than runners.\n\n"+
		"## What each runner gets\n\nIf all runners work at the same time, each can send on average:\n\n")
	head(&b, []string{"runners", "requests a minute", "of these, for results"})
	for _, n := range runners {
		row(&b, []string{number(n), part(perMinute, n), part(resultsPerMinute, n)})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func ceil(n, by int) int { return (n + by - 1) / by }

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

// part writes a quotient, with decimals only if it is small.
func part(n, by int) string {
	return strconv.FormatFloat(float64(n)/float64(by), 'f', -1, 64)
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

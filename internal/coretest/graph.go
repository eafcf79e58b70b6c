// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// node is one step of a walk.
type node struct {
	name  string
	after []string // names of nodes, which may not be in the walk
	run   func() bool
}

type progress int

const (
	waiting progress = iota
	running
	succeeded
	failed
)

// graph holds the nodes of a walk and the progress of each.
type graph struct {
	nodes    []node
	progress map[string]progress
}

// ready returns the nodes that can run now. A node fails if a node before it failed.
func (g *graph) ready() (found []node) {
	for _, n := range g.nodes {
		if g.progress[n.name] != waiting {
			continue
		}
		blocked := false
		for _, name := range n.after {
			state, exists := g.progress[name]
			if !exists || name == n.name {
				continue
			}
			if state == failed {
				g.progress[n.name] = failed
			}
			blocked = blocked || state != succeeded
		}
		if !blocked {
			found = append(found, n)
		}
	}
	return found
}

// mostDelay is how late a node may start. It is longer than a request takes. In nanoseconds
// there are no ties, which would leave the order to chance.
const mostDelay = 30 * time.Millisecond

// draw returns a random number for a node. It depends on nothing that happened before, so that a seed always gives the
// same order, even if several nodes end at the same time.
func (w *walk) draw(name string) uint64 { return newRand(w.opts.Seed, w.phase+name).Uint64() }

// run runs each node after the nodes that it depends on, as many at once as Parallelism
// allows. The seed decides the order of independent nodes.
func (w *walk) run(nodes []node) {
	g := graph{nodes: nodes, progress: map[string]progress{}}
	for _, n := range nodes {
		g.progress[n.name] = waiting
	}
	type ending struct {
		name string
		ok   bool
	}
	ended, active, limit := make(chan ending), 0, w.opts.Parallelism
	if limit == 0 {
		limit = 10
	}
	for {
		for free := g.ready(); active < limit && len(free) > 0 && !w.core.isStopped(); free = g.ready() {
			n := slices.MinFunc(free, func(a, b node) int { return cmp.Compare(w.draw(a.name), w.draw(b.name)) })
			g.progress[n.name] = running
			active++
			delay := time.Duration(w.draw("delay of "+n.name) % uint64(mostDelay)) //nolint:gosec // 30 ms at most
			go func() {
				if limit > 1 {
					time.Sleep(delay)
				}
				ended <- ending{n.name, n.run()}
			}()
		}
		if active == 0 {
			break
		}
		end := <-ended
		active--
		g.progress[end.name] = failed
		if end.ok {
			g.progress[end.name] = succeeded
		}
	}
	for _, n := range nodes {
		if g.progress[n.name] == waiting && !w.core.isStopped() {
			w.fail(n.name, "Cycle", fmt.Sprintf("%s depends on itself", n.name))
		}
	}
}

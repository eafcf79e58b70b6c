// SPDX-License-Identifier: MPL-2.0

package run

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Limits on the number of positions whose results a plan reads. The service allows 30 requests for results a minute.
const (
	mostRemovals = 40 // positions from which the plan removes or replaces position assessments
	mostRankings = 10 // positions whose rankings or scores the plan affects
)

// Counters contains the positions whose results a plan reads.
type Counters struct{ removals, rankings set[string] }

// MayCheckRemoval reports whether the plan may read the results of a position to see who has been invited. If it
// returns true, the position counts toward mostRemovals.
func (c *Counters) MayCheckRemoval(position string) bool {
	return c.removals.addUpTo(mostRemovals, position)
}

// MayCheckRanking reports whether the plan may read the results of a position to see whose ranking or scores it
// affects. If it returns true, the position counts toward mostRankings.
func (c *Counters) MayCheckRanking(position string) bool {
	return c.rankings.addUpTo(mostRankings, position)
}

func (c *Counters) clear() {
	c.removals.clear()
	c.rankings.clear()
}

// Reads records what the responses in a run have shown about the service. Services differ in what they return in a list
// and for a single position assessment (assumptions A7 and A22).
type Reads struct {
	profiled cache[bool] // by assessment: whether a single position assessment had a profile status
	hasList  atomic.Bool // the service lists the assessments of a position: the run has read such a list
	noList   atomic.Bool // the service does not list the assessments of a position
	poorList atomic.Bool // a position assessment had metadata that its element in the list lacked

	mu   sync.Mutex
	read map[string][]string // IDs of the position assessments of the state that were read, by position
	keys map[string]bool     // whether a fetch has shown a key of metadata that this apply has sent, by key
}

// RecordLists records that the service lists the assessments of a position.
func (r *Reads) RecordLists() { r.hasList.Store(true) }

// OffersLists reports whether this run has read a list of a position's assessments. If so, the service has such lists.
func (r *Reads) OffersLists() bool { return r.hasList.Load() }

// RecordNoLists records that the service does not list the assessments of a position.
func (r *Reads) RecordNoLists() { r.noList.Store(true) }

// LacksLists reports whether the service is known not to list the assessments of a position.
func (r *Reads) LacksLists() bool { return r.noList.Load() }

// RecordPoorLists records that a position assessment had metadata that its element in the list lacked.
func (r *Reads) RecordPoorLists() { r.poorList.Store(true) }

// SkipsLists reports whether a Read fetches a position assessment without reading the list first, because the lists of
// this service do not suffice or do not exist.
func (r *Reads) SkipsLists() bool { return r.noList.Load() || r.poorList.Load() }

// RecordRead records that a position assessment of the state was read.
func (r *Reads) RecordRead(position, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read[position] = append(r.read[position], id)
}

// HasRead reports whether this run has read a position assessment of the state.
func (r *Reads) HasRead(position, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.read[position], id)
}

// Elsewhere returns a position assessment of the state that this run has read, and that is attached to another
// position. other is the ID of this other position, and id is the ID of the position assessment.
func (r *Reads) Elsewhere(position string) (other, id string, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other, ids := range r.read {
		if other != position {
			return other, ids[0], true
		}
	}
	return "", "", false
}

// ReserveFetch reports whether the caller, which has sent these keys of metadata, must fetch the position assessment to
// find out whether reads show the keys. It returns true if at least one key is new in this run, so at most once for
// each key. If the fetch succeeds, the caller calls [Reads.RecordShown]. Otherwise, the new keys count as not shown.
func (r *Reads) ReserveFetch(sent []string) (mustFetch bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range sent {
		if _, known := r.keys[key]; !known {
			r.keys[key] = false // until RecordShown records a result
			mustFetch = true
		}
	}
	return mustFetch
}

// RecordShown records, for each key in sent, whether the fetched position assessment contains it.
func (r *Reads) RecordShown(sent []string, isShown func(key string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range sent {
		r.keys[key] = isShown(key)
	}
}

// IsReadable reports whether the service has returned a key of metadata that this apply has sent. If several fetches
// have checked the key, the last one counts.
func (r *Reads) IsReadable(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keys[key]
}

func (r *Reads) use(client *assessapi.Client) {
	r.profiled.client, r.read, r.keys = client, map[string][]string{}, map[string]bool{}
}

func (r *Reads) clear() {
	r.profiled.clear()
	r.hasList.Store(false)
	r.noList.Store(false)
	r.poorList.Store(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.read)
	clear(r.keys)
}

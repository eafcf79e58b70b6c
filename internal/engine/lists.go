// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"iter"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// lists caches the lists of the organization that configurations refer to.
type lists struct {
	assessments listCache[[]assessapi.Assessment]
	packages    listCache[answer[assessapi.Package]]
	benchmarks  listCache[answer[assessapi.Benchmark]]
	profiles    listCache[answer[assessapi.Profile]]
	titled      listCache[[]assessapi.Position]
	positions   positionPages
}

// answer is a list, or the error that says that the service does not offer it
// (assumptions A8, A9 and A23). Both are cached.
type answer[T any] struct {
	items   []T
	refused error
}

// listed returns a cached list, or reads it. It also caches errors that satisfy
// [assessapi.IsNoList].
func listed[T any](
	ctx context.Context, cache *listCache[answer[T]], key string, read func(context.Context) ([]T, error),
) ([]T, error) {
	a, err := cache.get(ctx, key, func(ctx context.Context) (answer[T], error) {
		items, err := read(ctx)
		if assessapi.IsNoList(err) {
			return answer[T]{refused: err}, nil
		}
		return answer[T]{items: items}, err
	})
	if err == nil {
		err = a.refused
	}
	return a.items, err
}

// Assessments lists the assessments of the organization (section 4.8).
func (e *Engine) Assessments(ctx context.Context) ([]assessapi.Assessment, error) {
	return e.lists.assessments.get(ctx, "", learning(&e.names, assessmentNames, e.client.Assessments))
}

// Packages lists the packages of an assessment (section 4.1). If the service does not
// offer the list, the error satisfies [assessapi.IsNoList].
func (e *Engine) Packages(ctx context.Context, assessment string) ([]assessapi.Package, error) {
	return listed(ctx, &e.lists.packages, assessment, func(ctx context.Context) ([]assessapi.Package, error) {
		return e.client.Packages(ctx, assessment)
	})
}

// Benchmarks lists the benchmarks of an assessment (assumption A8). Errors are the same
// as for Packages.
func (e *Engine) Benchmarks(ctx context.Context, assessment string) ([]assessapi.Benchmark, error) {
	return listed(ctx, &e.lists.benchmarks, assessment, func(ctx context.Context) ([]assessapi.Benchmark, error) {
		return e.client.Benchmarks(ctx, assessment)
	})
}

// Profiles lists the profiles of an assessment (assumption A9). Errors are the same as
// for Packages.
func (e *Engine) Profiles(ctx context.Context, assessment string) ([]assessapi.Profile, error) {
	read := func(ctx context.Context) ([]assessapi.Profile, error) { return e.client.Profiles(ctx, assessment) }
	return listed(ctx, &e.lists.profiles, assessment, learning(&e.names, profileNames+assessment, read))
}

// PositionsTitled lists the positions that the service returns for a title. The result
// may contain other titles (assumption A25).
func (e *Engine) PositionsTitled(ctx context.Context, title string) ([]assessapi.Position, error) {
	read := func(ctx context.Context) ([]assessapi.Position, error) { return e.client.Positions(&title).All(ctx) }
	return e.lists.titled.get(ctx, title, learning(&e.names, positionNames, read))
}

// Positions lists all positions of the organization (section 4.7).
func (e *Engine) Positions(ctx context.Context) ([]assessapi.Position, error) {
	return e.lists.positions.all(ctx, e.client)
}

// FindPosition returns the position with an id, and false if the organization has none.
// It reads only as many pages of the list as necessary.
func (e *Engine) FindPosition(ctx context.Context, id string) (assessapi.Position, bool, error) {
	return e.lists.positions.find(ctx, e.client, id)
}

// EachPosition returns all positions one by one. It reads no more pages than the caller
// requires.
func (e *Engine) EachPosition(ctx context.Context) iter.Seq2[assessapi.Position, error] {
	return func(yield func(assessapi.Position, error) bool) {
		for i := 0; ; i++ {
			position, ok, err := e.lists.positions.at(ctx, e.client, i)
			if err == nil && !ok {
				return
			}
			if !yield(position, err) || err != nil {
				return
			}
		}
	}
}

// positionPages reads the list of positions page by page, only as far as necessary.
type positionPages struct {
	names   *names
	reading lock // held while a page is requested
	pages   *assessapi.Pages[assessapi.Position]
	read    []assessapi.Position
	byID    map[string]assessapi.Position
}

func (p *positionPages) find(ctx context.Context, c *assessapi.Client, id string) (assessapi.Position, bool, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		position, found := p.byID[id]
		if found {
			return position, true, nil
		}
		if more, err := p.more(ctx, c); !more || err != nil {
			return position, false, err
		}
	}
}

func (p *positionPages) all(ctx context.Context, c *assessapi.Client) ([]assessapi.Position, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		if more, err := p.more(ctx, c); !more || err != nil {
			return p.read, err
		}
	}
}

// at returns the position with an index, and false if there are fewer positions.
func (p *positionPages) at(ctx context.Context, c *assessapi.Client, i int) (assessapi.Position, bool, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for len(p.read) <= i {
		if more, err := p.more(ctx, c); !more || err != nil {
			return assessapi.Position{}, false, err
		}
	}
	return p.read[i], true, nil
}

// more reads the next page. It returns false if there is none.
func (p *positionPages) more(ctx context.Context, c *assessapi.Client) (bool, error) {
	if p.pages == nil {
		p.pages = c.Positions(nil)
		p.byID = map[string]assessapi.Position{}
	}
	if p.pages.Done() {
		return false, nil
	}
	page, err := p.pages.Next(ctx)
	p.read = append(p.read, page...)
	for _, position := range page {
		p.byID[position.ID] = position
	}
	learn(p.names, positionNames, page)
	return true, err
}

// SPDX-License-Identifier: MPL-2.0

package sandbox

func listAssessments(c *incoming) (response, error) {
	query, err := c.listQuery()
	if err != nil {
		return response{}, err
	}
	return list(c, query, c.state.Assessments, func(a Assessment) Object {
		return objectOf(a.Extra, "id", a.ID, "code", present(a.Code), "name", present(a.Name))
	})
}

// listPackages implements the operation of this name. Assessments of other kinds have no packages.
func listPackages(c *incoming) (response, error) {
	return listOf(c, func(a *Assessment) []Package { return a.Packages },
		func(p Package) Object {
			return objectOf(p.Extra, "id", p.ID, "name", present(p.Name), "mandatory", p.Mandatory)
		})
}

func listBenchmarks(c *incoming) (response, error) {
	return listOf(c, func(a *Assessment) []Benchmark { return a.Benchmarks },
		func(b Benchmark) Object {
			return objectOf(b.Extra, "id", b.ID, "name", present(b.Name), "locale", present(b.Locale))
		})
}

func listProfiles(c *incoming) (response, error) {
	return listOf(c, func(a *Assessment) []Profile { return a.Profiles },
		func(p Profile) Object { return objectOf(p.Extra, "id", p.ID, "name", present(p.Name)) })
}

// listOf lists the packages, benchmarks or profiles of the assessment that the path
// names.
func listOf[T any](c *incoming, elements func(*Assessment) []T, write func(T) Object) (response, error) {
	assessment, err := c.assessment()
	if err != nil {
		return response{}, err
	}
	query, err := c.listQuery()
	if err != nil {
		return response{}, err
	}
	return list(c, query, elements(assessment), write)
}

// assessment returns the assessment that the path names.
func (c *incoming) assessment() (*Assessment, error) {
	return existing("assessment", c.ids["assessment"], c.state.Assessment)
}

// existing finds what the path names.
func existing[T any](what, id string, find func(string) *T) (*T, error) {
	if found := find(id); found != nil {
		return found, nil
	}
	return nil, notFound(what, id)
}

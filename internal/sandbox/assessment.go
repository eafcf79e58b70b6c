// SPDX-License-Identifier: MPL-2.0

package sandbox

func listAssessments(c *call) (response, error) {
	query, err := c.parameters([]string{paramLimit, paramFields, paramOffset}, nil)
	if err != nil {
		return response{}, err
	}
	return list(c, query, []string{"code", "name"}, c.state.Assessments, func(a Assessment) Object {
		resource := Object{}
		resource.Set("id", a.ID)
		resource.SetText("code", a.Code)
		resource.SetText("name", a.Name)
		resource = append(resource, a.Extra...)
		resource.Set("_links", selfLink(c.url("assessments", a.ID)))
		return resource
	})
}

// listPackages implements the operation of this name. Assessments of other kinds have no packages.
func listPackages(c *call) (response, error) {
	return listOf(c, "packages", []string{"name", "mandatory"},
		func(a *Assessment) []Package { return a.Packages },
		func(p Package) Object {
			resource := Object{}
			resource.Set("id", p.ID)
			resource.SetText("name", p.Name)
			resource.Set("mandatory", p.Mandatory)
			return append(resource, p.Extra...)
		})
}

func listBenchmarks(c *call) (response, error) {
	return listOf(c, "benchmarks", []string{"name", "locale"},
		func(a *Assessment) []Benchmark { return a.Benchmarks },
		func(b Benchmark) Object {
			resource := Object{}
			resource.Set("id", b.ID)
			resource.SetText("name", b.Name)
			resource.SetText("locale", b.Locale)
			return append(resource, b.Extra...)
		})
}

func listProfiles(c *call) (response, error) {
	return listOf(c, "profiles", []string{"name"},
		func(a *Assessment) []Profile { return a.Profiles },
		func(p Profile) Object {
			resource := Object{}
			resource.Set("id", p.ID)
			resource.SetText("name", p.Name)
			return append(resource, p.Extra...)
		})
}

// listOf lists the packages, benchmarks or profiles of the assessment that the path
// names.
func listOf[T any](
	c *call, name string, optional []string, elements func(*Assessment) []T, write func(T) Object,
) (response, error) {
	assessment, err := c.assessment()
	if err != nil {
		return response{}, err
	}
	query, err := c.parameters([]string{paramLimit, paramFields, paramOffset}, nil)
	if err != nil {
		return response{}, err
	}
	return list(c, query, optional, elements(assessment), func(element T) Object {
		resource := write(element)
		resource.Set("_links", selfLink(c.url("assessments", assessment.ID, name, resource.Text("id"))))
		return resource
	})
}

// assessment returns the assessment that the path names.
func (c *call) assessment() (*Assessment, error) {
	id := c.ids["assessment"]
	if assessment := c.state.Assessment(id); assessment != nil {
		return assessment, nil
	}
	return nil, notFound("assessment", id)
}

// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// shapeCollection changes a page of a collection.
func (s *Service) shapeCollection(x Assumptions, a *arrival, given *response) {
	elements := parsed[[]sandbox.Object](given.body)
	if len(elements) == 0 && x.OtherKind != 0 && s.otherKind(a) {
		*given = problem(x.OtherKind, given.header.Get("Conversation-Id"), "OTHER_KIND", "this assessment has no such list")
		return
	}
	if a.route == sandbox.RoutePositions && x.TitleFilter == "contains" && a.parameters().Has("title") {
		elements = s.titled(elements, a.parameters().Get("title"))
	}
	for i := range elements {
		x.shapeElement(a.route, &elements[i])
	}
	links := parseLinkHeader(given.header.Get("Link"))
	x.continued(links, a)
	linkHeader(given.header, links)
	var body any = elements
	if x.Collections == "object" {
		given.header.Del("Link")
		o := sandbox.Object{}
		o.Set("_links", links)
		o.Set("items", elements)
		body = o
	}
	given.body = encode(body)
}

// continued gives the links to other pages the query of the client. The service itself may have received another query.
func (x Assumptions) continued(links []pageLink, a *arrival) {
	for i, link := range links {
		if link.Rel == "self" {
			continue
		}
		address, query := parsedURL(link.Href), a.parameters()
		for _, name := range []string{"offset", "limit"} {
			if value := address.Query().Get(name); value != "" {
				query.Set(name, value)
			}
		}
		links[i].Href = x.Form.link(address, query)
	}
}

// shapeElement changes an element of a collection.
func (x Assumptions) shapeElement(route string, o *sandbox.Object) {
	switch route {
	case sandbox.RoutePackages:
		x.shapePackage(o)
	case sandbox.RouteBenchmarks:
		spellLocale(o, x.BenchmarkLocales)
	case sandbox.RoutePositions:
		spellLocale(o, x.PositionLocales)
		if x.NoLocale {
			o.Delete("locale")
		}
	case sandbox.RoutePositionAssessments:
		x.shapeMetadata(o)
		if metadata, _ := o.Get("metadata"); x.NoEmptyMetadata && string(metadata) == "{}" {
			o.Delete("metadata")
		}
		if x.Elements != "" {
			o.Delete("organizationAssessment")
		}
		if x.Elements == "bare" {
			o.Delete("metadata")
		}
	}
}

// shapeMetadata changes the metadata of a position assessment.
func (x Assumptions) shapeMetadata(o *sandbox.Object) {
	metadata := member[sandbox.Object](*o, "metadata")
	if metadata == nil || !x.MuteReads {
		return
	}
	for _, key := range []string{"packages", "benchmark", "tests"} {
		metadata.Delete(key)
	}
	o.Set("metadata", metadata)
}

// shapePackage changes how a package shows whether it is mandatory.
func (x Assumptions) shapePackage(o *sandbox.Object) {
	mark, found := o.Get("mandatory")
	if !found || x.PackageMark == "" {
		return
	}
	o.Delete("mandatory")
	mandatory := string(mark) == "true"
	word := "OPTIONAL"
	if mandatory {
		word = "MANDATORY"
	}
	switch x.PackageMark {
	case "optional":
		o.Set("optional", !mandatory)
	case "word":
		o.Set("type", word)
	case "lower word":
		o.Set("type", strings.ToLower(word))
	}
}

// spellLocale changes the spelling of a locale.
func spellLocale(o *sandbox.Object, spelling string) {
	locale := o.Text("locale")
	if locale == "" {
		return
	}
	switch spelling {
	case "underscore":
		o.Set("locale", strings.ReplaceAll(locale, "-", "_"))
	case "lower":
		o.Set("locale", strings.ToLower(locale))
	case "upper":
		o.Set("locale", strings.ToUpper(locale))
	}
}

// otherKind reports whether a list belongs to another kind of assessment.
func (s *Service) otherKind(a *arrival) bool {
	kind := map[string]sandbox.AssessmentKind{
		sandbox.RoutePackages: sandbox.MultiGameCognitive, sandbox.RouteSkillsTests: sandbox.Skills,
	}[a.route]
	return kind != "" && s.present().Assessment(a.segment(3)).Kind != kind
}

// titled returns the positions whose title contains a text, regardless of case.
func (s *Service) titled(elements []sandbox.Object, text string) []sandbox.Object {
	st := s.present()
	return slices.DeleteFunc(elements, func(element sandbox.Object) bool {
		position := st.Position(element.Text("id"))
		return position == nil || !strings.Contains(strings.ToLower(position.Title), strings.ToLower(text))
	})
}

// shapeResults changes a page of results.
func (x Assumptions) shapeResults(a *arrival, given *response) {
	page := parsed[sandbox.Object](given.body)
	candidates, links := member[[]sandbox.Object](page, "candidates"), member[[]pageLink](page, "_links")
	for i := range candidates {
		x.shapeCandidate(&candidates[i])
	}
	x.continued(links, a)
	page.Set("candidates", candidates)
	page.Set("_links", links)
	var body any = page
	switch x.Results {
	case "items":
		rename(page, "candidates", "items")
	case "array":
		linkHeader(given.header, links)
		body = candidates
	}
	given.body = encode(body)
}

// shapeCandidate changes an entry of the results.
func (x Assumptions) shapeCandidate(o *sandbox.Object) {
	if score, found := o.Get("suitability"); found && x.SuitabilityObject && string(score) != "null" {
		inner := sandbox.Object{}
		inner.Set("score", score)
		o.Set("suitability", inner)
	}
	rename(*o, "suitability", x.Suitability)
	rename(*o, "reportUrl", x.CandidateReport)
	switch x.CandidateName {
	case "candidateName":
		rename(*o, "name", "candidateName")
	case "first and last":
		first, last, _ := strings.Cut(o.Text("name"), " ")
		o.Delete("name")
		o.Set("firstName", first)
		o.Set("lastName", last)
	}
	if !x.OtherWords {
		return
	}
	results := member[[]sandbox.Object](*o, "results")
	for i := range results {
		for _, name := range []string{"type", "classification", "validity"} {
			if word := results[i].Text(name); cmp.Or(word, "null") != "null" {
				results[i].Set(name, word+"_OTHER")
			}
		}
	}
	o.Set("results", results)
}

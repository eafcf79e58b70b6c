// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// shapeCollection changes a page of a collection.
func (s *Service) shapeCollection(x Assumptions, a *arrival, given *response) error {
	var elements []sandbox.Object
	if err := json.Unmarshal(given.body, &elements); err != nil {
		return err
	}
	if len(elements) == 0 && x.OtherKind != 0 {
		other, err := s.otherKind(a)
		if err != nil {
			return err
		}
		if other {
			*given = problem(x.OtherKind, given.header.Get("Conversation-Id"), "OTHER_KIND", "this assessment has no such list")
			return nil
		}
	}
	if a.route == sandbox.RoutePositions && x.TitleFilter == "contains" && a.parameters().Has("title") {
		kept, err := s.titled(elements, a.parameters().Get("title"))
		if err != nil {
			return err
		}
		elements = kept
	}
	for i := range elements {
		x.shapeElement(a.route, &elements[i])
	}
	links := parseLinkHeader(given.header.Get("Link"))
	if err := x.continued(links, a); err != nil {
		return err
	}
	if len(links) > 0 {
		given.header["Link"] = x.Form.linkHeader(links)
	}
	var body any = elements
	if x.Collections == "object" || x.Form.Paging != "" {
		given.header.Del("Link")
		o := sandbox.Object{}
		o.Set("_links", links)
		o.Set("items", elements)
		if x.Form.Paging != "" {
			x.Form.paged(&o, given.header, links, len(elements))
		}
		body = o
	}
	text, err := encode(body)
	given.body = text
	return err
}

// continued gives the links to other pages the query of the client. The service itself may have received another query.
func (x Assumptions) continued(links []pageLink, a *arrival) error {
	for i, link := range links {
		if link.Rel == "self" {
			continue
		}
		address, err := url.Parse(link.Href)
		if err != nil {
			return err
		}
		query := a.parameters()
		if query.Has("cursor") {
			query = address.Query()
		}
		for _, name := range []string{"offset", "limit"} {
			if value := address.Query().Get(name); value != "" {
				query.Set(name, value)
			}
		}
		address.RawQuery = query.Encode()
		if links[i].Href, err = x.Form.link(address.String()); err != nil {
			return err
		}
	}
	return nil
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
		x.shapeMetadata(o, x.MuteReads)
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
func (s *Service) otherKind(a *arrival) (other bool, err error) {
	kind := map[string]sandbox.AssessmentKind{
		sandbox.RoutePackages: sandbox.MultiGameCognitive, sandbox.RouteSkillsTests: sandbox.Skills,
	}[a.route]
	if kind == "" {
		return false, nil
	}
	id, err := url.PathUnescape(strings.Split(a.path, "/")[3])
	if err != nil {
		return false, err
	}
	err = s.View(func(st *sandbox.State) { other = st.Assessment(id).Kind != kind })
	return other, err
}

// titled returns the positions whose title contains a text, regardless of case.
func (s *Service) titled(elements []sandbox.Object, text string) (kept []sandbox.Object, err error) {
	kept = []sandbox.Object{}
	err = s.View(func(st *sandbox.State) {
		for _, element := range elements {
			position := st.Position(element.Text("id"))
			if position != nil && strings.Contains(strings.ToLower(position.Title), strings.ToLower(text)) {
				kept = append(kept, element)
			}
		}
	})
	return kept, err
}

// shapeResults changes a page of results.
func (x Assumptions) shapeResults(a *arrival, given *response) error {
	page, err := sandbox.ParseObject(given.body)
	if err != nil {
		return err
	}
	var candidates []sandbox.Object
	value, _ := page.Get("candidates")
	if err := json.Unmarshal(value, &candidates); err != nil {
		return err
	}
	for i := range candidates {
		if err := x.shapeCandidate(&candidates[i]); err != nil {
			return err
		}
	}
	page.Set("candidates", candidates)
	value, hasLinks := page.Get("_links")
	links := parseLinks(value)
	if err = x.continued(links, a); err != nil {
		return err
	}
	if hasLinks {
		page.Set("_links", links)
	}
	if x.Form.Paging != "" {
		x.Form.paged(&page, given.header, links, len(candidates))
	}
	var body any = page
	switch {
	case x.Results == "items":
		rename(page, "candidates", "items")
	case x.Results == "array" && x.Form.Paging == "":
		if header := x.Form.linkHeader(links); len(header) > 0 {
			given.header["Link"] = header
		}
		body = candidates
	}
	given.body, err = encode(body)
	return err
}

// shapeCandidate changes an entry of the results.
func (x Assumptions) shapeCandidate(o *sandbox.Object) error {
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
		return nil
	}
	var results []sandbox.Object
	value, _ := o.Get("results")
	if err := json.Unmarshal(value, &results); err != nil {
		return err
	}
	for i := range results {
		for _, name := range []string{"type", "classification", "validity"} {
			if word := results[i].Text(name); cmp.Or(word, "null") != "null" {
				results[i].Set(name, word+"_OTHER")
			}
		}
	}
	o.Set("results", results)
	return nil
}

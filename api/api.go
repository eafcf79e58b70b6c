// SPDX-License-Identifier: MPL-2.0

// Package api contains the contract between the provider and an assessment service (openapi.yaml), and the assumptions
// about what the specification leaves open. The guide "Assumptions about the service" and the texts of `assess check`
// come from [Assumptions].
package api

import (
	_ "embed"
	"regexp"
	"strings"
)

// OpenAPI is the contract.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Assumption is what the provider assumes about one question that the specification leaves open. All texts are in the
// Markdown of the guide. [Plain] converts them for a terminal.
type Assumption struct {
	ID       string // such as "A7"
	Group    string // a heading of the guide; "" if the assumption is under the heading of the previous assumption
	Title    string
	Sent     string // the request of the provider, or ""
	Expected string // the response that the provider expects
	// Differences are what other services do.
	Differences []Difference
	// Unknown explains why `assess check` may be unable to tell how the service behaves. `assess check` only reads.
	Unknown string
}

// Difference is a behavior that the provider does not expect.
type Difference struct {
	Name string // identifies the difference within its assumption; "" if a check that only reads cannot detect it
	If   string // what the service does
	Then string // what this means for the user
	Lost bool   // whether something no longer works, instead of working in another way
}

// Find returns the assumption with an ID. It panics if there is no such assumption.
func Find(id string) *Assumption {
	for i := range Assumptions {
		if Assumptions[i].ID == id {
			return &Assumptions[i]
		}
	}
	panic("api: there is no assumption " + id)
}

// Difference returns the difference with a name. It panics if there is no such difference.
func (a *Assumption) Difference(name string) *Difference {
	for i := range a.Differences {
		if a.Differences[i].Name == name {
			return &a.Differences[i]
		}
	}
	panic("api: " + a.ID + " has no difference " + name)
}

var (
	markdownLink = regexp.MustCompile(`\[([^]]+)\]\([^)]+\)`)
	space        = regexp.MustCompile(`\s+`)
)

// Plain returns Markdown as one line of text without links.
func Plain(markdown string) string {
	text := markdownLink.ReplaceAllString(markdown, "$1")
	return strings.TrimSpace(space.ReplaceAllString(strings.ReplaceAll(text, "`", ""), " "))
}

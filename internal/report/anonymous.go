// SPDX-License-Identifier: MPL-2.0

package report

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Shown returns the sections as every format shows them: ranked, limited and anonymous
// as the options say.
func (r Report) Shown() []Section {
	sections := []Section{}
	for _, ranking := range r.rankings() {
		section := ranking.Section
		section.Candidates = []assessapi.Candidate{}
		for _, e := range ranking.entries {
			section.Candidates = append(section.Candidates, e.Candidate)
		}
		sections = append(sections, section)
	}
	return sections
}

// rankings returns the rankings of the sections, anonymous if the options say so.
func (r Report) rankings() []ranking {
	rankings := make([]ranking, len(r.Sections))
	pseudonym := pseudonyms(wordsOf(r.Options.Language).Pseudonym)
	for i, section := range r.Sections {
		section = section.cleaned()
		if r.Options.Anonymous {
			for j, candidate := range section.Candidates {
				section.Candidates[j] = anonymous(candidate, pseudonym(candidate))
			}
		}
		rankings[i] = section.rank(r.Options)
		rankings[i].compareWith(r.Earlier)
	}
	return rankings
}

// anonymous returns a candidate without anything that identifies the person. It keeps
// only the day of timestamps.
func anonymous(c assessapi.Candidate, pseudonym string) assessapi.Candidate {
	results := slices.Clone(c.Results) // nil stays nil, which means "not known"
	for i, result := range results {
		results[i].ReportURL = ""
		results[i].Invitations = make([]assessapi.Invitation, len(result.Invitations))
		for j, invitation := range result.Invitations {
			results[i].Invitations[j] = assessapi.Invitation{
				Type: invitation.Type, Status: invitation.Status, Expiry: invitation.Expiry,
				Created: dated(invitation.Created, isoDay), Completed: dated(invitation.Completed, isoDay),
			}
		}
	}
	return assessapi.Candidate{Name: pseudonym, Suitability: c.Suitability, Results: results}
}

// Symbols of a code. There are no vowels, so that no code is a word, and no symbols that look alike.
const (
	codeLetters = "BCDFGHJKMNPQRTVWXYZ"
	codeSymbols = "23456789" + codeLetters
)

// codeLength makes equal codes unlikely: among 2,300 candidates, two have the same code in one of 75,000 cases.
const codeLength = 8

// pseudonyms returns a function that gives each person one pseudonym. It is derived
// from the id, so that it is the same in every report and section. A person without an
// id gets a number instead of a code, because everyone could derive the code from a
// name.
func pseudonyms(format string) func(assessapi.Candidate) string {
	numbers := map[string]int{}
	count := 0
	return func(c assessapi.Candidate) string {
		if c.ID != "" {
			return fmt.Sprintf(format, pseudonymCode(c.ID))
		}
		name := strings.TrimSpace(c.Name)
		number := numbers[name]
		if name == "" || number == 0 {
			count++
			number = count
			numbers[name] = number
		}
		return fmt.Sprintf(format, strconv.Itoa(number))
	}
}

// pseudonymCode derives a code from an id. The id cannot be computed from the code. But a
// reader with a list of ids can find the id of a code.
func pseudonymCode(id string) string {
	sum := sha256.Sum256([]byte("assess report pseudonym\x00" + id))
	code := make([]byte, codeLength)
	for i := range code {
		symbols := codeSymbols
		if i == codeLength/2 { // GitHub would link a code with a digit here, as it links JOB-12
			symbols = codeLetters
		}
		code[i] = symbols[int(sum[i])%len(symbols)]
	}
	return string(code[:codeLength/2]) + "-" + string(code[codeLength/2:])
}

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

// Shown returns the sections with the candidates that a report shows, in the order of the ranking. The candidates are
// anonymous if [Options.Anonymous] is set.
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

// rankings returns the ranking of each section, with clean texts, and compared with the earlier report. The candidates
// are anonymous if [Options.Anonymous] is set. The report stays as it is.
func (r Report) rankings() []ranking {
	rankings := make([]ranking, len(r.Sections))
	pseudonym := pseudonyms(wordsOf(r.Options.Language).Pseudonym, r.before)
	for i, original := range r.Sections {
		section := original.cleaned()
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

// anonymous returns a candidate without anything that identifies the person. Timestamps become dates.
func anonymous(c assessapi.Candidate, pseudonym string) assessapi.Candidate {
	results := slices.Clone(c.Results) // nil stays nil, which means "not known"
	for i, result := range results {
		results[i].ReportURL = ""
		results[i].Invitations = make([]assessapi.Invitation, len(result.Invitations))
		for j, invitation := range result.Invitations {
			results[i].Invitations[j] = assessapi.Invitation{
				Type: invitation.Type, Status: invitation.Status, Expiry: dated(invitation.Expiry, isoDay),
				Created: dated(invitation.Created, isoDay), Completed: dated(invitation.Completed, isoDay),
			}
		}
	}
	return assessapi.Candidate{Name: pseudonym, Suitability: c.Suitability, Results: results}
}

// Characters of a pseudonym's code. Vowels are left out so that no code is a word. Characters that look alike are left
// out, too.
const (
	codeLetters = "BCDFGHJKMNPQRTVWXYZ"
	codeSymbols = "23456789" + codeLetters
)

// codeLength is the number of characters of a code. With 8 characters, the probability that two of 2,300 candidates
// have the same code is 1 in 75,000.
const codeLength = 8

// pseudonyms returns a function that returns the pseudonym of a candidate whose ID and name are clean. In format, %s
// stands for a code that is derived from the ID, so that it is the same in every report. Without an ID, %s stands for a
// number, because anyone could derive a code from a name. Numbers follow the order of the calls, after those of the
// candidates in the parameter before. Candidates with the same name share a number, unless the name is blank.
func pseudonyms(format string, before []Section) func(assessapi.Candidate) string {
	numbers := map[string]int{} // by name
	count := 0
	pseudonym := func(c assessapi.Candidate) string {
		if c.ID != "" {
			return fmt.Sprintf(format, pseudonymCode(c.ID))
		}
		name := strings.TrimSpace(c.Name)
		if name == "" || numbers[name] == 0 {
			count++
			numbers[name] = count
		}
		return fmt.Sprintf(format, strconv.Itoa(numbers[name]))
	}
	for _, section := range before {
		for _, candidate := range section.Candidates {
			if clean(candidate.ID) == "" {
				pseudonym(assessapi.Candidate{Name: clean(candidate.Name)})
			}
		}
	}
	return pseudonym
}

// pseudonymCode derives a code from an ID. The ID cannot be computed from the code, but a reader with a list of IDs can
// find out which ID belongs to a code.
func pseudonymCode(id string) string {
	sum := sha256.Sum256([]byte("assess report pseudonym\x00" + id))
	code := make([]byte, codeLength)
	for i := range code {
		symbols := codeSymbols
		if i == codeLength/2 { // GitHub would link ABCD-2345 as it links JOB-12
			symbols = codeLetters
		}
		code[i] = symbols[int(sum[i])%len(symbols)]
	}
	return string(code[:codeLength/2]) + "-" + string(code[codeLength/2:])
}

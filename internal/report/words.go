// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

func (r Report) title() string {
	return cmp.Or(strings.TrimSpace(r.Title), "Assessment results")
}

func (s Section) title() string {
	return cmp.Or(strings.TrimSpace(s.Title), "Candidates")
}

// summary counts a section's candidates.
func (s standings) summary() string {
	switch scored, unscored := len(s.scored), len(s.unscored); {
	case scored+unscored == 0:
		return "No candidates."
	case scored == 0:
		return people(unscored) + ", none with a suitability score."
	case unscored == 0:
		return people(scored) + " with a suitability score."
	default:
		return fmt.Sprintf("%s, %d with a suitability score. Those without one stand last.",
			people(scored+unscored), scored)
	}
}

// caution says which scores do not compare; empty where all do.
func (s standings) caution() string {
	if s.differ == 0 {
		return ""
	}
	were := "were"
	if s.differ == 1 {
		were = "was"
	}
	return fmt.Sprintf("Scores compare only over the same set of assessments. %s, marked “different assessments”, %s scored over another set than the others (%s).",
		people(s.differ), were, cmp.Or(undirected(strings.Join(s.common, ", ")), "none"))
}

func people(n int) string {
	if n == 1 {
		return "1 candidate"
	}
	return fmt.Sprintf("%d candidates", n)
}

// undirected leaves out characters that would turn the direction of a whole line.
func undirected(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}

// number is the shortest text that means the same float64, which is how a
// service writes it; nil is empty.
func number(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

var enumerated = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

// readable makes words of an enumerated string: FAR_ABOVE_AVERAGE becomes "Far
// above average". Whatever does not look like one stays as it is.
func readable(value string) string {
	if !enumerated.MatchString(value) {
		return value
	}
	words := strings.ToLower(strings.ReplaceAll(value, "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}

// day is the date of an ISO 8601 timestamp; whatever is none stays as it is.
func day(timestamp string) string {
	t, err := time.Parse(time.RFC3339, timestamp)
	if err != nil {
		return timestamp
	}
	return t.UTC().Format(time.DateOnly)
}

// Details says how and when a sitting was or will be.
func (i Invitation) Details() []string {
	var details []string
	add := func(word, text string) {
		if text != "" {
			details = append(details, word+text)
		}
	}
	add("", readable(i.Type))
	add("invited ", day(i.Created))
	if i.Completed != "" {
		add("completed ", day(i.Completed))
	} else {
		add("expiry ", day(i.Expiry))
	}
	return details
}

// link returns an address that may be followed; empty for one that is not http
// or https.
func link(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

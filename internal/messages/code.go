// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"regexp"
	"strings"
	"unicode"
)

// Each message has a code, which a program can read instead of its text: the anchor of the section that explains it.
// The last word of a message is a link to this section, so the code is in the message itself, wherever a CLI prints it.

// version is set by the release.
var version = "dev"

// The documentation of a release is in the registry, and the documentation of every other build is in the repository.
const (
	registry   = "https://registry.terraform.io/providers/assessascode/assess/"
	repository = "https://github.com/assessascode/terraform-provider-assess/blob/main/docs"
)

var (
	released = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	// sectionURL matches the address of a section of the page Messages, also of another version.
	sectionURL = regexp.MustCompile(`^(?:` + regexp.QuoteMeta(registry) + `[^/]+/docs/guides/messages|` +
		regexp.QuoteMeta(repository+"/guides/messages.md") + `)#(.+)$`)
)

// Page returns the address of a page of this version's documentation, such as "guides/messages".
func Page(name string) string { return page(version, name) }

func page(version, name string) string {
	if released.MatchString(version) {
		return registry + version + "/docs/" + name
	}
	return repository + "/" + name + ".md"
}

// Codes that the comment of a pipeline reads, and a part of a message.
const (
	// WillBeAdopted: the position already has it, and adopt_existing lets the apply adopt it.
	WillBeAdopted = "existing-position-assessment-will-be-adopted"
	// Adopted: the apply has adopted it.
	Adopted = "existing-position-assessment-adopted"
	// ConfigurationSent is a part of the message Adopted, if the existing position assessment differed and the adoption
	// has changed it.
	ConfigurationSent = "so this configuration was sent"
	// RejectedRemoval: candidates have been invited.
	RejectedRemoval = "cannot-remove-candidates-were-invited"
	// NotRemoved: the service has rejected the removal, and the state no longer contains the object.
	NotRemoved = "position-assessment-was-not-removed"
	// ScoresDiffer: candidates have completed what changes.
	ScoresDiffer = "scores-will-not-be-comparable"
	// RankingEnds: candidates have a suitability, which they lose if one more assessment is attached.
	RankingEnds = "candidates-lose-their-ranking"
	// ProfileDeleted, ProfileReplaced and ProfileMaybeReplaced: a supervisor's work is discarded.
	ProfileDeleted       = "supervisors-profile-will-be-deleted"
	ProfileReplaced      = "supervisors-profile-will-be-replaced"
	ProfileMaybeReplaced = "supervisors-profile-may-be-replaced"
)

// CodeOf returns the code of the messages with a summary: its lower-case letters and digits, with hyphens for spaces.
func CodeOf(summary string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, summary)
}

// Link returns the address of the section that explains the messages with a summary.
func Link(summary string) string { return Page("guides/messages") + "#" + CodeOf(summary) }

// CodeIn returns the code of a message with this detail, or "" if the message is not one of the provider.
func CodeIn(detail string) string {
	found := sectionURL.FindStringSubmatch(detail[strings.LastIndexAny(detail, " \n")+1:])
	if found == nil {
		return ""
	}
	return found[1]
}

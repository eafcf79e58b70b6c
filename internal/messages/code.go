// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"regexp"
	"strings"
	"unicode"
)

// Each message has a code, which a program can read instead of the text. The code is the anchor of the section that
// explains the message on the page Messages. The last word of each message is a link to this section, so each message
// contains its code wherever a CLI prints it.

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

// Page returns the address of a page of this version's documentation. The name is the path of the page, such as
// "guides/messages".
func Page(name string) string { return page(version, name) }

func page(version, name string) string {
	if released.MatchString(version) {
		return registry + version + "/docs/" + name
	}
	return repository + "/" + name + ".md"
}

// Codes that the companion reads to write the comment of a pipeline, and ConfigurationSent, which is a part of a
// message.
const (
	// WillBeAdopted: the assessment is already attached, and adopt_existing lets the apply adopt the position assessment.
	WillBeAdopted = "existing-position-assessment-will-be-adopted"
	// Adopted: the apply has adopted an existing position assessment.
	Adopted = "existing-position-assessment-adopted"
	// ConfigurationSent is a part of a message with the code Adopted. It means that the existing position assessment
	// had another configuration, or that the service did not show it, and that the apply has sent the configuration.
	ConfigurationSent = "so this configuration was sent"
	// RejectedRemoval: an assessment cannot be removed, because candidates have been invited to it.
	RejectedRemoval = "cannot-remove-candidates-were-invited"
	// NotRemoved: the service has rejected the removal, and the state no longer contains the object.
	NotRemoved = "position-assessment-was-not-removed"
	// ScoresDiffer: candidates have completed an assessment whose configuration changes.
	ScoresDiffer = "scores-will-not-be-comparable"
	// RankingEnds: candidates have a suitability, which they lose if one more assessment is attached.
	RankingEnds = "candidates-lose-their-ranking"
	// ProfileDeleted, ProfileReplaced and ProfileMaybeReplaced: a supervisor's work is or may be discarded.
	ProfileDeleted       = "supervisors-profile-will-be-deleted"
	ProfileReplaced      = "supervisors-profile-will-be-replaced"
	ProfileMaybeReplaced = "supervisors-profile-may-be-replaced"
)

// CodeOf returns the code of the messages with a summary: the summary in lower case, with hyphens for spaces, and
// without characters other than letters, digits and hyphens.
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

// CodeIn returns the code of a message with this detail, or "" if the message is not from the provider.
func CodeIn(detail string) string {
	found := sectionURL.FindStringSubmatch(detail[strings.LastIndexAny(detail, " \n")+1:])
	if found == nil {
		return ""
	}
	return found[1]
}

// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"strings"
	"unicode"
)

// Each message has a code, which a program can read instead of its text: the anchor of the section that explains it.
// The last word of a message is a link to this section, so the code is in the message itself, wherever a CLI prints it.

// messagesPage explains the messages. It has a section for each code.
const messagesPage = "https://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/messages"

// Codes that the comment of a pipeline reads.
const (
	// WillBeAdopted: the position already has it, and adopt_existing lets the apply adopt it.
	WillBeAdopted = "existing-position-assessment-will-be-adopted"
	// Adopted: the apply has adopted it.
	Adopted = "existing-position-assessment-adopted"
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
func Link(summary string) string { return messagesPage + "#" + CodeOf(summary) }

// CodeIn returns the code of a message with this detail, or "" if the message is not one of the provider.
func CodeIn(detail string) string {
	last := detail[strings.LastIndexAny(detail, " \n")+1:]
	code, found := strings.CutPrefix(last, messagesPage+"#")
	if !found {
		return ""
	}
	return code
}

// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// events are what a run with -json reports.
type events struct {
	diagnostics []diagnostic
	checks      []string       // findings of check blocks
	completed   map[string]int // number of completed steps, by address. A replacement has two
	failed      map[string]bool
	created     map[string]string // IDs of what was created, by address
	running     map[string]int    // number of steps that have begun and not ended, by address
	succeeded   bool              // whether an apply has reported its success
}

// diagnostic is an error or a warning of the CLI or of the provider.
type diagnostic struct{ tfjson.Diagnostic }

func (d diagnostic) isError() bool { return d.Severity == tfjson.DiagnosticSeverityError }

// code returns the code of a message of the provider, or "".
func (d diagnostic) code() string { return messages.CodeIn(d.Detail) }

// isShort reports whether a message is only a summary. The reason is then in another message.
func (d diagnostic) isShort() bool { return d.Detail == "" }

// rank returns a number for sorting messages. The lowest number comes first: errors come before warnings, and messages
// that explain the reason come before messages that are only a summary. For example, a revoked key makes hundreds of
// changes fail, but only one message explains the reason.
func (d diagnostic) rank() int {
	rank := 0
	if !d.isError() {
		rank += 2
	}
	if d.isShort() {
		rank++
	}
	return rank
}

// warns reports whether a message of the provider is a warning with one of these codes.
func (d diagnostic) warns(codes ...string) bool {
	return !d.isError() && slices.Contains(codes, d.code())
}

// losesProfile reports whether a message says that a change discards a supervisor's profile, or may discard it.
func (d diagnostic) losesProfile() bool {
	return d.warns(messages.ProfileDeleted, messages.ProfileReplaced, messages.ProfileMaybeReplaced)
}

var quotedPattern = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// contains reports whether a message contains an ID as the provider writes it: in quotes or, after a quoted name, in
// parentheses (see [assessapi.Label]).
func (d diagnostic) contains(id string) bool {
	detail, quoted := assessapi.WithoutCommands(d.Detail), assessapi.WithoutCommands(strconv.Quote(id))
	for _, at := range quotedPattern.FindAllStringIndex(detail, -1) {
		text, rest := detail[at[0]:at[1]], detail[at[1]:]
		if text == quoted || strings.HasPrefix(rest, " ("+quoted[1:len(quoted)-1]+")") {
			return true
		}
	}
	return false
}

// ofCheck reports whether the message is a warning of the CLI that a check block has failed, or that the result is not
// known before the apply.
func (d diagnostic) ofCheck() bool {
	isInBlock := d.Snippet != nil && d.Snippet.Context != nil && strings.HasPrefix(*d.Snippet.Context, `check "`)
	// Other messages, also those of other providers, are about data sources in the block.
	return isInBlock && !d.isError() && strings.HasPrefix(d.Summary, "Check block assertion ")
}

// hasError reports whether the messages contain an error of the CLI or the provider.
func (e events) hasError() bool { return slices.ContainsFunc(e.diagnostics, diagnostic.isError) }

// adoptions returns the addresses of the creations that adopt an existing position assessment.
func (e events) adoptions() map[string]bool {
	adopted := map[string]bool{}
	for _, d := range e.diagnostics {
		if d.warns(messages.WillBeAdopted) {
			adopted[d.Address] = true
		}
	}
	return adopted
}

// readEvents reads the output of a run with -json. It reads one JSON object from each line, and ignores other lines. A
// warning about a failed check block becomes a finding, not a message. A warning that the CLI cannot evaluate a check
// block before the apply is ignored.
func readEvents(text []byte) events {
	e := events{
		completed: map[string]int{}, failed: map[string]bool{}, created: map[string]string{}, running: map[string]int{},
	}
	for line := range bytes.Lines(text) {
		var event struct {
			Type       string     `json:"type"`
			Diagnostic diagnostic `json:"diagnostic"`
			Hook       any        `json:"hook"`
			Changes    any        `json:"changes"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		address := textAt(event.Hook, "resource", "addr")
		switch event.Type {
		case "diagnostic":
			switch d := event.Diagnostic; {
			case !d.ofCheck():
				e.diagnostics = append(e.diagnostics, d)
			case !strings.HasSuffix(d.Summary, " known after apply"):
				e.checks = append(e.checks, d.Detail)
			}
		case "apply_start":
			e.running[address]++
		case "apply_complete":
			e.running[address]--
			e.completed[address]++
			if textAt(event.Hook, "action") == "create" {
				e.created[address] = textAt(event.Hook, "id_value")
			}
		case "apply_errored":
			e.running[address]--
			e.failed[address] = true
		case "change_summary": // of an apply only if the apply succeeded
			e.succeeded = e.succeeded || textAt(event.Changes, "operation") == "apply"
		}
	}
	return e
}

// SPDX-License-Identifier: MPL-2.0

// Package messages contains the parts of messages to the user: what a rule reports (a [Finding]), codes that programs
// read, import IDs, commands to copy, and lists of similar values. It uses no Terraform types.
package messages

import (
	"fmt"
	"slices"
)

// Rule is a kind of error or warning. The guide "Messages" has a section for each.
type Rule struct{ Summary string }

// Finding is an error or a warning of a rule.
type Finding struct {
	Rule
	Warning bool     // otherwise the finding rejects the plan
	Path    []string // of the attribute, such as "packages", "ids"
	Detail  string
	Err     error // why a request failed
}

// Reject returns a finding that rejects the plan.
func Reject(rule Rule, path []string, format string, values ...any) []Finding {
	return RejectFor(rule, path, nil, format, values...)
}

// RejectFor returns a finding that rejects the plan. err is the error of the request that failed, or nil if no request
// failed.
func RejectFor(rule Rule, path []string, err error, format string, values ...any) []Finding {
	return []Finding{{Rule: rule, Path: path, Err: err, Detail: fmt.Sprintf(format, values...)}}
}

// Warn returns a warning.
func Warn(rule Rule, path []string, format string, values ...any) []Finding {
	return AsWarnings(Reject(rule, path, format, values...))
}

// Warning returns a warning that belongs to no rule.
func Warning(summary, detail string) Finding {
	return Finding{Rule: Rule{Summary: summary}, Warning: true, Detail: detail}
}

// AsWarnings returns the findings as warnings. A caller uses it if Read has reported an object gone, because an error
// about this object would stop the destroy of all other objects.
func AsWarnings(all []Finding) []Finding {
	warnings := slices.Clone(all)
	for i := range warnings {
		warnings[i].Warning = true
	}
	return warnings
}

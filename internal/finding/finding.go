// SPDX-License-Identifier: MPL-2.0

// Package finding contains what a rule reports: errors and warnings in words of the user, without Terraform types.
package finding

import (
	"fmt"
	"slices"
)

// Rule is a kind of refusal or warning. The guide "Messages" has a section for each.
type Rule struct {
	Summary string
	Lacks   bool // whether a plan lacks values because of a finding
}

// Finding is an error or a warning of a rule.
type Finding struct {
	Rule
	Warning bool     // otherwise the finding refuses the plan
	Path    []string // of the attribute, such as "packages", "ids"
	Detail  string
	Err     error // why a request failed
}

// Refuse returns an error.
func Refuse(rule Rule, path []string, format string, values ...any) []Finding {
	return RefuseFor(rule, path, nil, format, values...)
}

// RefuseFor returns an error whose reason is a request that failed.
func RefuseFor(rule Rule, path []string, err error, format string, values ...any) []Finding {
	return []Finding{{Rule: rule, Path: path, Err: err, Detail: fmt.Sprintf(format, values...)}}
}

// Warn returns a warning.
func Warn(rule Rule, path []string, format string, values ...any) []Finding {
	return AsWarnings(Refuse(rule, path, format, values...))
}

// Refuses reports whether any finding refuses the plan.
func Refuses(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return !f.Warning })
}

// AsWarnings turns refusals into warnings. If an object is gone, a refusal would stop the destroy of all others.
func AsWarnings(all []Finding) []Finding {
	warnings := slices.Clone(all)
	for i := range warnings {
		warnings[i].Warning = true
	}
	return warnings
}

// SPDX-License-Identifier: MPL-2.0

// Package rules reports what the service would refuse, before anything is sent. A rule is a function from a desired
// configuration and [Facts] (lists of the service) to findings. It sends no requests, and uses no Terraform types.
package rules

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is a kind of refusal or warning. The guide "Messages" has a section for each.
type Rule int

// The rules.
const (
	UnknownAssessment Rule = iota + 1
	UnknownPosition
	MandatoryPackage
	UnknownPackage
	MissingPackages
	UnknownBenchmark
	BenchmarkLocale
	NoBenchmarks
	UnknownProfile
	MissingTests
	UnknownTest
	TestNotEnabled
	OutsideLatin1
	ExclusiveBlocks
	RefusedRemoval
	Duplicate
	IncompleteBlock
	LookupFailed
	ScoresDiffer
	ImportRemoved
	SelectFailed
	UnmarkedPackages
	NothingToSelect
	ProfileCompleted
	ProfileReplaced
	ProfileMaybeReplaced
	PossibleBlocks
	KeptRemoved
	AlreadyAttached
	AttachedOften
	WillBeAdopted
	AttachedTwice
	WillNotBeAdopted
	ProfileDeleted
)

// Summaries are the summaries of findings, by rule.
var Summaries = map[Rule]string{
	UnknownAssessment:    "Unknown assessment",
	UnknownPosition:      "Unknown position",
	MandatoryPackage:     "Missing mandatory package",
	UnknownPackage:       "Unknown package",
	MissingPackages:      "Missing packages",
	UnknownBenchmark:     "Unknown benchmark",
	BenchmarkLocale:      "Benchmark of another locale",
	NoBenchmarks:         "Assessment without benchmarks",
	UnknownProfile:       "Unknown profile",
	MissingTests:         "Missing skills tests",
	UnknownTest:          "Unknown skills test",
	TestNotEnabled:       "Skills test not enabled",
	OutsideLatin1:        "Character outside Latin1",
	ExclusiveBlocks:      "Blocks that exclude each other",
	RefusedRemoval:       "Removal that the service would refuse",
	Duplicate:            "Duplicate assessment",
	IncompleteBlock:      "Incomplete block",
	LookupFailed:         "Could not check the plan",
	ScoresDiffer:         "Scores that cannot be compared",
	ImportRemoved:        "Import of a resource that is destroyed",
	SelectFailed:         "Could not select packages",
	UnmarkedPackages:     "Could not select the mandatory packages",
	NothingToSelect:      "No packages to select",
	ProfileCompleted:     "Profile completed by a supervisor",
	ProfileReplaced:      "Supervisor's profile will be replaced",
	PossibleBlocks:       "Blocks that may exclude each other",
	KeptRemoved:          "Position assessment at two addresses",
	AlreadyAttached:      "Already attached",
	AttachedOften:        "Already attached more than once", // CLIs fold warnings with equal summaries
	WillBeAdopted:        "Already attached",
	AttachedTwice:        "Attached a second time",
	ProfileDeleted:       "Supervisor's profile will be deleted",
	WillNotBeAdopted:     "Attached a second time",
	ProfileMaybeReplaced: "Supervisor's profile may be replaced",
}

// Finding is an error or a warning of a rule.
type Finding struct {
	Rule    Rule
	Warning bool     // otherwise the finding refuses the plan
	Path    []string // of the attribute, such as "packages", "ids"
	Detail  string
	Err     error // why a request failed (only for LookupFailed)
}

// Summary returns the summary of the finding.
func (f Finding) Summary() string { return Summaries[f.Rule] }

// sections are the titles of sections that differ from the summary.
var sections = map[Rule]string{WillBeAdopted: "Will be adopted", WillNotBeAdopted: "Will not be adopted"}

// Section returns the title of the section that explains the finding.
func (f Finding) Section() string { return cmp.Or(sections[f.Rule], f.Summary()) }

func refuse(rule Rule, path []string, format string, values ...any) []Finding {
	return []Finding{{Rule: rule, Path: path, Detail: fmt.Sprintf(format, values...)}}
}

func warn(rule Rule, path []string, format string, values ...any) []Finding {
	return AsWarnings(refuse(rule, path, format, values...))
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

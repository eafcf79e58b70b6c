// SPDX-License-Identifier: MPL-2.0

// Package rules reports what the service would reject about a position assessment, before anything is sent. A rule is a
// function that takes a desired configuration and returns findings. Rules read the lists of the service with [Facts].
// The package uses no Terraform types.
package rules

import "github.com/assessascode/terraform-provider-assess/internal/messages"

var (
	UnknownPosition      = messages.Rule{Summary: "Unknown position"}
	MandatoryPackage     = messages.Rule{Summary: "Missing mandatory package"}
	UnknownPackage       = messages.Rule{Summary: "Unknown package"}
	MissingPackages      = messages.Rule{Summary: "Missing packages"}
	UnknownBenchmark     = messages.Rule{Summary: "Unknown benchmark"}
	BenchmarkLocale      = messages.Rule{Summary: "Benchmark of another locale"}
	NoBenchmarks         = messages.Rule{Summary: "Assessment without benchmarks"}
	UnknownProfile       = messages.Rule{Summary: "Unknown profile"}
	MissingTests         = messages.Rule{Summary: "Missing skills tests"}
	TestNotEnabled       = messages.Rule{Summary: "Skills test not enabled"}
	ExclusiveBlocks      = messages.Rule{Summary: "Conflicting blocks"}
	RejectedRemoval      = messages.Rule{Summary: "Cannot remove: candidates were invited"}
	IncompleteBlock      = messages.Rule{Summary: "Incomplete block"}
	ScoresDiffer         = messages.Rule{Summary: "Scores will not be comparable"}
	SelectFailed         = messages.Rule{Summary: "Could not select packages"}
	UnmarkedPackages     = messages.Rule{Summary: "Could not select the mandatory packages"}
	NothingToSelect      = messages.Rule{Summary: "No packages to select"}
	ProfileCompleted     = messages.Rule{Summary: "Cannot discard a supervisor's profile"}
	ProfileReplaced      = messages.Rule{Summary: "Supervisor's profile will be replaced"}
	ProfileMaybeReplaced = messages.Rule{Summary: "Supervisor's profile may be replaced"}
	PossibleBlocks       = messages.Rule{Summary: "Possibly conflicting blocks"}
	AlreadyAttached      = messages.Rule{Summary: "Already attached"}
	WillBeAdopted        = messages.Rule{Summary: "Existing position assessment will be adopted"}
	RankingLost          = messages.Rule{Summary: "Candidates lose their ranking"}
	ProfileDeleted       = messages.Rule{Summary: "Supervisor's profile will be deleted"}
)

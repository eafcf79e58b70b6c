// SPDX-License-Identifier: MPL-2.0

// Package rules reports what the service would reject about a position assessment, before anything is sent. A rule is a
// function from a desired configuration and [Facts] (lists of the service) to findings. It sends no requests, and uses
// no Terraform types.
package rules

import "github.com/assessascode/terraform-provider-assess/internal/finding"

var (
	UnknownPosition      = finding.Rule{Summary: "Unknown position"}
	MandatoryPackage     = finding.Rule{Summary: "Missing mandatory package"}
	UnknownPackage       = finding.Rule{Summary: "Unknown package"}
	MissingPackages      = finding.Rule{Summary: "Missing packages"}
	UnknownBenchmark     = finding.Rule{Summary: "Unknown benchmark"}
	BenchmarkLocale      = finding.Rule{Summary: "Benchmark of another locale"}
	NoBenchmarks         = finding.Rule{Summary: "Assessment without benchmarks"}
	UnknownProfile       = finding.Rule{Summary: "Unknown profile"}
	MissingTests         = finding.Rule{Summary: "Missing skills tests"}
	TestNotEnabled       = finding.Rule{Summary: "Skills test not enabled"}
	ExclusiveBlocks      = finding.Rule{Summary: "Conflicting blocks"}
	RejectedRemoval      = finding.Rule{Summary: "Cannot remove: candidates were invited"}
	IncompleteBlock      = finding.Rule{Summary: "Incomplete block"}
	ScoresDiffer         = finding.Rule{Summary: "Scores will not be comparable"}
	SelectFailed         = finding.Rule{Summary: "Could not select packages", Lacks: true}
	UnmarkedPackages     = finding.Rule{Summary: "Could not select the mandatory packages"}
	NothingToSelect      = finding.Rule{Summary: "No packages to select"}
	ProfileCompleted     = finding.Rule{Summary: "Cannot discard a supervisor's profile"}
	ProfileReplaced      = finding.Rule{Summary: "Supervisor's profile will be replaced"}
	ProfileMaybeReplaced = finding.Rule{Summary: "Supervisor's profile may be replaced"}
	PossibleBlocks       = finding.Rule{Summary: "Possibly conflicting blocks"}
	AlreadyAttached      = finding.Rule{Summary: "Already attached"}
	WillBeAdopted        = finding.Rule{Summary: "Existing position assessment will be adopted"}
	RankingLost          = finding.Rule{Summary: "Candidates lose their ranking"}
	ProfileDeleted       = finding.Rule{Summary: "Supervisor's profile will be deleted"}
)

// SPDX-License-Identifier: MPL-2.0

// Package rules reports what the service would refuse about a position assessment, before anything is sent. A rule is a
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
	ExclusiveBlocks      = finding.Rule{Summary: "Blocks that exclude each other"}
	RefusedRemoval       = finding.Rule{Summary: "Removal that the service would refuse"}
	Duplicate            = finding.Rule{Summary: "Duplicate assessment"}
	IncompleteBlock      = finding.Rule{Summary: "Incomplete block"}
	ScoresDiffer         = finding.Rule{Summary: "Scores that cannot be compared"}
	ImportRemoved        = finding.Rule{Summary: "Import of a resource that is destroyed"}
	SelectFailed         = finding.Rule{Summary: "Could not select packages", Lacks: true}
	UnmarkedPackages     = finding.Rule{Summary: "Could not select the mandatory packages"}
	NothingToSelect      = finding.Rule{Summary: "No packages to select"}
	ProfileCompleted     = finding.Rule{Summary: "Profile completed by a supervisor"}
	ProfileReplaced      = finding.Rule{Summary: "Supervisor's profile will be replaced"}
	ProfileMaybeReplaced = finding.Rule{Summary: "Supervisor's profile may be replaced"}
	PossibleBlocks       = finding.Rule{Summary: "Blocks that may exclude each other"}
	KeptRemoved          = finding.Rule{Summary: "Position assessment at two addresses"}
	AlreadyAttached      = finding.Rule{Summary: "Already attached"}
	AttachedOften        = finding.Rule{Summary: "Already attached more than once"} // CLIs fold equal summaries
	WillBeAdopted        = finding.Rule{Summary: "Already attached", Section: "Will be adopted"}
	AttachedTwice        = finding.Rule{Summary: "Attached a second time"}
	WillNotBeAdopted     = finding.Rule{Summary: "Attached a second time", Section: "Will not be adopted"}
	ProfileDeleted       = finding.Rule{Summary: "Supervisor's profile will be deleted"}
)

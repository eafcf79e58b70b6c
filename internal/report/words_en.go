// SPDX-License-Identifier: MPL-2.0

package report

import "time"

var english = words{
	tag:       "en",
	decimal:   ".",
	thousands: ",",
	separator: ",",
	Colon:     ": ",
	Semicolon: "; ",
	shortDate: func(t time.Time) string { return t.Format("Jan 2, 2006") },
	longDate:  func(t time.Time) string { return t.Format("January 2, 2006") },

	title:     "Assessment results",
	Results:   "Results",
	nameless:  "Candidate without a name",
	pseudonym: "Candidate %s",

	Position: "Position",
	date:     "Date",
	source:   "Source",
	confidential: "Confidential: only for the people who make the hiring decision. Do not forward this report, and " +
		"delete it after the decision.",
	invented:     "Invented people: this report is from the sandbox, and not about real candidates.",
	HowToRead:    "How to read this report",
	top:          "Only the top %s of the ranking",
	cut:          "Not shown: %s with the same score as the last candidate shown",
	finishedOnly: "Finished candidates only",
	anonymous:    "Pseudonymous: pseudonyms instead of names, and no links",
	page:         "Page %s of %s",
	one:          "1 candidate",
	many:         "%s candidates",
	NoCandidates: "No candidates.",

	and:           " and ",
	over:          "Ranked over %s.",
	overWithout:   "Ranked over %s, without %s, which most have not completed.",
	sinceDate:     "Since %s",
	sinceEarlier:  "Since the earlier report",
	changes:       [changeCount]string{"", "%s new", "%s newly finished", "%s with another rank"},
	newcomer:      "New",
	newlyFinished: "Newly finished",
	moved:         "Rank %s → %s",
	nothing:       "nothing new",
	AllPositions:  "All positions",

	Ranking:      "Ranking",
	Rank:         "Rank",
	Candidate:    "Candidate",
	Suitability:  "Suitability",
	Progress:     "Completed",
	Report:       "Report",
	NoScore:      "No score",
	of:           "%d of %d",
	different:    "Not ranked: score based on different assessments",
	unscored:     "Not ranked: no suitability score",
	unfinished:   "Not finished",
	differs:      "Different assessments",
	without:      "without %s",
	also:         "with %s",
	waiting:      "Not finished yet",
	lapsed:       "Invitation expired",
	notInvited:   "Not invited yet",
	notInvitedTo: "Not invited to %s",
	caution:      "The ranking compares only scores that are based on exactly these assessments: %s.",
	reportOnly:   "No percentile",
	Shading: "The numbers are percentiles. A stronger shade means a higher percentile. – means not invited. " +
		"⚠\ufe0e means in doubt.",
	Sideways:     "Scroll sideways to see all assessments.",
	ByAssessment: "Results by assessment",
	done:         "Done",
	benchmark:    "compared with %s",
	Details:      "Candidates in detail",
	Assessment:   "Assessment",
	Result:       "Result",
	Back:         "Back to the ranking",
	Percentile:   "Percentile",
	validity:     "Answer check: %s",
	invited:      "invited %s",
	until:        "expires %s",
	Distribution: "Distribution of suitability",
	Lowest:       "Lowest",
	Median:       "Median",
	Highest:      "Highest",
	counted:      "Candidates by suitability: %s",

	Status:      "Status",
	Long:        "For a shorter report, use the action or a function with the option top, for example 50.",
	ahead:       "Ahead",
	only:        "The only ranked candidate",
	Next:        "Next",
	Gap:         "Gap",
	tied:        "%s candidates with the same score",
	each:        "%s each",
	mayChange:   "The candidate must still repeat this test under supervision, so the result may change",
	longest:     "longest bar: highest score",
	negative:    "left of the line: below zero",
	Undescribed: "The benchmarks of this position could not be read, so this report does not name them.",
	Notes:       "Before you decide",
	doubted:     "%s of these in doubt.",
	open:        "Not finished: %s.",
	alone:       "A rank is not enough.",
	NotRanked:   "Not ranked:",
	Meaning: "The service publishes no scale for suitability: 80 does not mean 80 percent. Small differences may mean " +
		"nothing. Use this report together with interviews, and do not reject anyone only because of a rank.",
	positions: "Each position has its own ranking. Do not compare scores across positions.",
	finished:  "%s of %s finished",
	groups: [groupCount]string{
		"%s of them ranked", "%s finished, with a score from other assessments",
		"%s finished, without a score, because not invited to every assessment", "%s not finished yet",
		"%s with an expired invitation", "%s not invited yet", "%s without a score",
	},

	ByPosition: "Results by position",
	Candidates: "Candidates",
	Finished:   "Finished",
	AllResults: "All results as a table (CSV)",
	NotRead:    "Positions that could not be read",
	empty:      "Positions without candidates: %s",
	Reasons: [reasonCount]string{
		"No position has this title or ID. The title may have changed.",
		"The service does not find this position. It may be closed or deleted.",
		"The API key is not allowed to read the results of this position.",
		"The service gave no usable answer.",
		"Not tried, because earlier requests had failed.",
	},

	Legend: []term{
		{"Suitability", "The overall score that the assessment service computes from a candidate's assessments. It is the " +
			"recommended way to compare the candidates of a position. Bars begin at zero."},
		{"Rank", "The order of candidates by suitability, within one position. Equal scores share a rank. Usually, a " +
			"candidate gets a score only after completing every assessment of the position."},
		{"Different assessments", "A candidate with a score but without a rank has completed other assessments than the " +
			"ranked candidates, so the scores cannot be compared. This does not mean better or worse."},
		{"Completed", "How many assessments the candidate has completed, out of those to which the candidate was invited. " +
			"Other candidates may have been invited to other assessments."},
		{"Percentile", "73 means that the result is at least as good as the results of 73 out of 100 people in the " +
			"comparison group (the benchmark)."},
		{"✓, Done, Open, Expired, –", "✓: completed on this date. Done: completed, but without a percentile. " +
			"Open: not completed yet. Expired: the invitation expired before the candidate completed the assessment. –: " +
			"not invited to this assessment."},
		{"Answer check", "For some assessments, the service checks whether the answers are consistent enough to rely on. " +
			"If they are not, the result is in doubt."},
		{"Under supervision", "The candidate takes a test again while a person watches, to confirm the result. The result " +
			"may change afterwards."},
	},

	statuses: map[string]string{
		"INVITED": "Open", "IN_PROGRESS": "In progress", testedWithResults: "Completed", expired: "Expired",
	},
	sittings: map[string]string{"SUPERVISED": "Under supervision"},
	classifications: map[string]string{
		"FAR_ABOVE_AVERAGE": "Far above average", "ABOVE_AVERAGE": "Above average", "AVERAGE": "Average",
		"BELOW_AVERAGE": "Below average", "FAR_BELOW_AVERAGE": "Far below average",
	},
	validities: map[string]string{
		"VALID":                  "passed",
		"INVALID":                "not passed",
		"INTERPRET_WITH_CAUTION": "interpret with caution",
	},
}

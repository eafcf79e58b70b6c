// SPDX-License-Identifier: MPL-2.0

package report

import "time"

var english = words{
	tag:       "en",
	decimal:   ".",
	thousands: ",",
	separator: ",",
	colon:     ": ",
	semicolon: "; ",
	shortDate: func(t time.Time) string { return t.Format("Jan 2, 2006") },
	longDate:  func(t time.Time) string { return t.Format("January 2, 2006") },

	title:     "Assessment results",
	results:   "Results",
	nameless:  "Candidate without a name",
	pseudonym: "Candidate %s",

	position: "Position",
	date:     "Date",
	source:   "Source",
	confidential: "Confidential: only for the people who decide on this position. Do not forward this report, and " +
		"delete it after the decision.",
	howToRead:    "How to read this report",
	top:          "Only the top %s of the ranking",
	cut:          "Candidates not shown who have the same score as the last one shown: %s",
	finishedOnly: "Finished candidates only",
	anonymous:    "Anonymous: pseudonyms instead of names, and no links",
	page:         "Page %s of %s",
	one:          "1 candidate",
	many:         "%s candidates",
	noCandidates: "No candidates.",

	ranking:      "Ranking",
	rank:         "Rank",
	candidate:    "Candidate",
	suitability:  "Suitability",
	progress:     "Completed",
	report:       "Report",
	noScore:      "No score",
	of:           "%d of %d",
	notRanked:    "Not ranked: score based on different assessments",
	unscored:     "No suitability score yet",
	differs:      "Different assessments",
	without:      "without %s",
	also:         "also %s",
	waiting:      "Not finished yet",
	lapsed:       "Invitation expired",
	notInvited:   "Not invited yet",
	notInvitedTo: "Not invited to %s",
	caution: "Compare only scores that are based on the same assessments. Candidates whose score is not based on " +
		"exactly the following assessments are marked and not ranked: %s.",
	reportOnly: "No percentile",
	shading: "The numbers are percentiles. A stronger shade means a higher percentile. – means not invited. " +
		"⚠\ufe0e means in doubt.",
	byAssessment: "Results by assessment",
	done:         "Done",
	benchmark:    "compared with %s",
	details:      "Candidates in detail",
	assessment:   "Assessment",
	result:       "Result",
	back:         "Back to the ranking",
	percentile:   "Percentile",
	validity:     "Answer check: %s",
	invited:      "invited %s",
	until:        "open until %s",
	distribution: "Distribution of suitability",
	lowest:       "Lowest",
	median:       "Median",
	highest:      "Highest",
	counted:      "Candidates by suitability: %s",

	status:    "Status",
	long:      "To make a shorter report, set the option top, for example to 50.",
	ahead:     "Ahead",
	next:      "Next",
	gap:       "Gap",
	tied:      "%s candidates with the same score",
	inDoubt:   "%s of %s ranked candidates have a result in doubt.",
	mayChange: "supervised test still open, so the score may change",
	relative:  "longest bar: highest score",
	smallDifferences: "Small differences between scores may mean nothing. Use this report together with interviews, " +
		"and do not reject anyone because of a rank alone.",
	finished: "%s of %s finished",
	groups: [groupCount]string{
		"%s of them ranked", "%s with a score from different assessments",
		"%s finished, but not invited to every assessment", "%s not finished yet", "%s with an expired invitation",
		"%s not invited yet", "%s without a score",
	},

	legend: []term{
		{"Suitability", "The overall score that the assessment service computes from a candidate's assessments. It is the " +
			"recommended way to compare candidates. The service does not publish a scale, so the longest bar is the " +
			"highest score in the ranking. Bars begin at zero."},
		{"Rank", "The order of candidates by suitability, within one position. Equal scores share a rank. Usually, a " +
			"candidate gets a score only after completing every assessment of the position."},
		{"Different assessments", "The score is based on other assessments than most scores. It cannot be compared with " +
			"them, so this candidate has no rank. This says nothing about the quality of the candidate."},
		{"Completed", "How many of the assessments that this candidate was invited to are completed. Candidates may have " +
			"been invited to different ones."},
		{"Percentile", "A percentile of 73 means: the result is at least as good as that of 73 out of 100 people in the " +
			"comparison group (the benchmark)."},
		{"Done, Open, Expired, –", "Done: completed, but without a percentile. Open: not completed yet. " +
			"Expired: the invitation expired before the candidate completed the assessment. –: not invited to this assessment."},
		{
			"Answer check",
			"For some assessments, the service checks whether the answers are consistent enough to rely on. If they are " +
				"not, the result is in doubt.",
		},
		{"Supervised", "The candidate takes a test again under supervision, to confirm the result. The result may change " +
			"afterwards."},
	},

	statuses: map[string]string{
		"INVITED": "Open", "IN_PROGRESS": "In progress", testedWithResults: "Completed", expired: "Expired",
	},
	sittings: map[string]string{"SUPERVISED": "supervised"},
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

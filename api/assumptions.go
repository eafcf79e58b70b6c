// SPDX-License-Identifier: MPL-2.0

package api

const (
	// NothingChanges is the effect of a difference that the provider understands.
	NothingChanges = "The provider understands this too, so nothing changes."
	onlyReads      = "It affects only writes, and a check only reads."
)

// Assumptions are all assumptions, in the order of the guide.
var Assumptions = []Assumption{
	{
		ID: "A1", Group: "Lists and errors", Title: "the format of lists",
		Expected: "A JSON array, with the next page in the header `Link`.",
		Differences: []Difference{
			{Name: "object", If: "Lists are objects with exactly one array.", Then: NothingChanges},
			{
				Name: "paging", Lost: true, If: "A full page (100 or 1,000 elements) does not name the next one.",
				Then: "The provider warns and does not read what follows.",
			},
			{
				Name: "format", Lost: true,
				If: "A list has another format, repeats an object, has IDs that differ only by case, reports a failure, or " +
					"says that there are more elements but has no link to the next page.",
				Then: "Everything that needs this list fails, and the error says what is wrong in the response.",
			},
			{Name: "links", If: "Links to later pages lack parameters.", Then: "The provider adds them."},
			{
				Name: "host", If: "Links to later pages name another host or path.",
				Then: "The provider takes only their query, and sends it to `base_url`.",
			},
			{Name: "charset", If: "Responses are encoded in windows-1252, which includes Latin1.", Then: NothingChanges},
			{
				Name: "compressed", Lost: true,
				If:   "Responses are compressed although the request does not ask for it, or have another charset.",
				Then: "Everything that needs these responses fails. A gateway may have removed the header `Content-Encoding`.",
			},
		},
		Unknown: "No list could be read.",
	},
	{
		ID: "A2", Title: "the format of results",
		Expected: "An object with `candidates` and `_links`.",
		Differences: []Difference{
			{
				Name: "envelope", If: "Results are an array, or an object whose only array has another name.",
				Then: NothingChanges,
			},
			{
				Name: "none", Lost: true, If: "The service does not offer results in a known format.",
				Then: "There are no reports, and plans do not see invitations.",
			},
		},
		Unknown: "The service lists no position.",
	},
	{
		ID: "A3", Title: "errors",
		Expected: "JSON with `code`, `message` and `conversationId`, the header `Conversation-Id`, and 404 or 410 for " +
			"unknown IDs.",
		Differences: []Difference{
			{
				Name: "body", If: "Errors have another format, such as a web page, or are empty.",
				Then: "The provider shows the member `message` or, if there is none, the first 300 characters without HTML tags.",
			},
			{
				Name: "number", If: "There is no header `Conversation-Id`.",
				Then: "Messages show this ID only if the body of the error contains it. The service operator may ask you for it.",
			},
			{
				Name: "unknown", Lost: true, If: "Unknown IDs get another status.",
				Then: "Plans fail after a removal in the service. Remove the resource from the state.",
			},
		},
		Unknown: "No request was rejected.",
	},
	{
		ID: "A13", Title: "statuses and types",
		Expected: "The values of the contract, such as `SUPERVISOR_COMPLETED`, `TESTED_WITH_RESULTS` and `EXPIRED`.",
		Differences: []Difference{
			{
				Name: "words", If: "Results contain others.",
				Then: "The provider shows unknown values unchanged. A result counts as completed if it has a percentile, a " +
					"classification or a date of completion.",
			},
		},
		Unknown: "No results of candidates could be read.",
	},
	{
		ID: "A24", Title: "the parameters `fields` and `limit`",
		Sent:     "Both parameters, in each request for a list.",
		Expected: "Elements have the members in `fields`, and pages have at most `limit` elements.",
		Differences: []Difference{
			{
				Name: "rejected", Lost: true, If: "The service rejects these parameters with 400.",
				Then: "The provider omits both for the rest of the run, and warns. Use IDs if names are missing.",
			},
			{Name: "page", If: "Pages have other sizes than `limit`.", Then: "Lists may take more requests."},
		},
		Unknown: "No list could be read.",
	},
	{
		ID: "A11", Group: "Positions and assessments", Title: "title and locale of a position",
		Expected: "Each position has both.",
		Differences: []Difference{
			{
				Name: "list", Lost: true, If: "The service does not list its positions.",
				Then: "Use IDs. Plans do not check the locale of a benchmark.",
			},
			{Name: "title", Lost: true, If: "Positions have no title.", Then: "Use IDs."},
			{Name: "locale", Lost: true, If: "Positions have no locale.", Then: "Plans do not check the locale of a benchmark."},
		},
		Unknown: "The service lists no position.",
	},
	{
		ID:       "A26",
		Title:    "the spelling of a locale",
		Expected: "A language and a region, such as `en-GB`.",
		Differences: []Difference{
			{Name: "spelling", If: "The spelling differs, such as `en_GB` or `en-gb`.", Then: NothingChanges},
		},
		Unknown: "Neither a position nor a benchmark that was read has a locale.",
	},
	{
		ID: "A25", Title: "finding a position by its title",
		Sent: "The filter `title`.", Expected: "Only positions with exactly this title.",
		Differences: []Difference{
			{
				Name: "others", If: "The service returns other positions as well.",
				Then: "The data sources `assess_position` and `assess_positions` compare titles exactly.",
			},
			{Name: "missing", Lost: true, If: "The service does not find it.", Then: "Use its ID."},
		},
		Unknown: "No position that was read has a title in ASCII with at least two characters.",
	},
	{
		ID: "A7", Title: "the list of a position's assessments",
		Expected: "Elements have `organizationAssessment` and `metadata`, and can also be read by their ID.",
		Differences: []Difference{
			{
				Name: "none", Lost: true, If: "The service does not offer this list.",
				Then: "The provider reads each position assessment by its ID. An apply attaches an assessment without checking " +
					"whether the position has it already, and warns. " +
					"If a response is lost, you must check in the service whether the assessment is attached.",
			},
			{
				Name: "bare", If: "Elements lack `organizationAssessment`, or some or all of `metadata`.",
				Then: "If the provider needs one of them, it reads the position assessment by its ID. Imports, data sources and " +
					"exports do not need `packages`, `benchmark` and `tests`, so they can lack blocks that only a read by ID shows.",
			},
			{Name: "metadata", If: "Elements without a configuration have no `metadata`.", Then: NothingChanges},
			{
				Name: "single", Lost: true, If: "Reading a position assessment by its ID fails.",
				Then: "Plans can fail after a removal in the service.",
			},
		},
		Unknown: "No position that was read has an assessment.",
	},
	{
		ID: "A22", Title: "reading packages, benchmark and tests",
		Expected: "The service returns these blocks of each position assessment.",
		Differences: []Difference{
			{
				Name: "hidden", Lost: true, If: "The service does not return them.",
				Then: "The state keeps what was applied, and plans do not notice other changes. An import omits these blocks. " +
					"The first plan that updates the imported resource warns that the update replaces hidden settings.",
			},
		},
		Unknown: "No position assessment that was read must have packages or tests, and none shows any.",
	},
	{
		ID: "A29", Title: "which blocks an assessment accepts",
		Expected: "An assessment with packages or skills tests requires `packages` or `tests`, and one with profiles or " +
			"benchmarks accepts `profile` or `benchmark`. If the service does not show a list, its block is optional.",
		Differences: []Difference{
			{
				Name: "others", If: "A position assessment has an option that its assessment does not list.",
				Then: "A plan can reject what your service accepts. If so, set [plan_checks](../index.md#optional) to `false`.",
			},
		},
		Unknown: "No position assessment that was read shows an option that its assessment lists.",
	},
	{
		ID: "A4", Group: "Attaching, updating, removing", Title: "the response to attaching an assessment",
		Expected: "201 with the created resource.",
		Differences: []Difference{
			{If: "200, or an ID only in the header `Location` or in the link `self`.", Then: NothingChanges},
			{If: "The response contains no ID.", Then: "The provider looks in the list of the position."},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A27", Title: "what responses to writes contain",
		Expected: "The same members as a read.",
		Differences: []Difference{
			{
				If: "They contain less, or other members.",
				Then: "If the response lacks a profile's status or address, the provider reads them once after the write. It " +
					"accepts all other differences.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A5", Title: "updating",
		Sent:     "`PUT /positions/{id}/assessments/{id}` with the whole configuration.",
		Expected: "200 or 204. What the request does not contain is removed.",
		Differences: []Difference{
			{
				If: "The service keeps what the request omits, or shows other values than those that were sent.",
				Then: "The provider reads the position assessment once. If the read shows other values too, the apply fails, and " +
					"the state contains the values that were read.",
			},
			{
				If:   "The service does not offer updates (404 or 405).",
				Then: "Run `tofu apply -replace='ADDRESS'` before invitations.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A6", Title: "removing",
		Sent:     "`DELETE /positions/{id}/assessments/{id}`.",
		Expected: "200 or 204. After 202, 404 or 410, the provider confirms with reads that it is gone.",
		Differences: []Difference{
			{
				If:   "The service does not offer removal (405 or 501).",
				Then: "Run `tofu state rm 'ADDRESS'`. The assessment stays attached.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A28", Title: "when removal is rejected",
		Expected: "The service rejects a removal only after candidates have been invited. See " +
			"[Close a position](day-two.md#close-a-position).",
		Differences: []Difference{
			{
				If:   "The service rejects other removals as well.",
				Then: "If the service rejects other removals as well, the apply shows the response, and what to do instead.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A31", Title: "the same assessment twice on a position",
		Expected: "A candidate has one result for each assessment, so an assessment can be attached to a position only once.",
		Differences: []Difference{
			{If: "The service accepts a second one.", Then: "The provider attaches no second one if it can see the first."},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A15", Title: "characters in requests",
		Sent: "Only ASCII. Other characters are encoded as `\\uXXXX`.", Expected: "The service decodes them.",
		Differences: []Difference{
			{
				If:   "The service does not decode them.",
				Then: "In the service, enable the skills tests that have non-ASCII titles.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A16", Title: "characters outside Latin1",
		Expected: "The service accepts only Latin1, for Western European languages, and responds with 400 to others.",
		Differences: []Difference{
			{Name: "accepted", If: "The service accepts them.", Then: "Plans reject other characters nevertheless."},
		},
		Unknown: "The check sends such a character only if it has found that the service meets A25.",
	},
	{
		ID: "A17", Title: "characters in addresses",
		Sent: "UTF-8 with percent-encoding.", Expected: "The service decodes it.",
		Differences: []Difference{
			{
				Name: "missing", Lost: true, If: "A position is not found by a title with an accent.",
				Then: "Use the IDs of positions whose titles have accents.",
			},
		},
		Unknown: "No position that was read has a title in Latin1 with an accent.",
	},
	{
		ID: "A8", Group: "Options of an assessment", Title: "the list of benchmarks",
		Expected: "An empty list for an assessment without benchmarks.",
		Differences: []Difference{
			{
				Name: "none", Lost: true, If: "The service does not list benchmarks (404, 405 or 501).",
				Then: "Plans do not check benchmarks, and `assess_benchmarks` fails. Use IDs in your configuration.",
			},
		},
		Unknown: "The service lists no assessment.",
	},
	{
		ID: "A9", Title: "the list of profiles",
		Expected: "An empty list for an assessment without profiles.",
		Differences: []Difference{
			{
				Name: "none", Lost: true, If: "The service does not list profiles (404, 405 or 501).",
				Then: "Plans do not check profiles, and `assess_profiles` fails. Use IDs.",
			},
		},
		Unknown: "The service lists no assessment.",
	},
	{
		ID: "A23", Title: "the lists of packages and skills tests",
		Expected: "An empty list for an assessment without them.",
		Differences: []Difference{
			{Name: "kind", If: "The service responds with 400, 404 or 405 instead.", Then: NothingChanges},
			{
				Name: "none", Lost: true, If: "The service rejects one of them for all assessments.",
				Then: "Plans do not check them, and `assess_packages` or `assess_skills_tests` fails. Use IDs.",
			},
		},
		Unknown: "The service lists no assessment.",
	},
	{
		ID: "A10", Title: "mandatory packages",
		Expected: "Each package has the field `mandatory`.",
		Differences: []Difference{
			{
				Name: "mark", If: "The mark is a field `optional`, or any field with the text MANDATORY or OPTIONAL.",
				Then: NothingChanges,
			},
			{
				Name: "none", Lost: true, If: "Packages have no mark.",
				Then: "`mandatory` is null, and not checked. Use `select = \"all\"` or `ids`, because `select = " +
					"\"mandatory\"` fails.",
			},
		},
		Unknown: "No assessment that was read has packages.",
	},
	{
		ID: "A18", Group: "Skills tests", Title: "enabling a skills test",
		Sent:     "The test as the service returned it, with `active` set to true.",
		Expected: "The service enables it, and rejects other changes.",
		Differences: []Difference{
			{If: "The service rejects this request.", Then: "Enable the test in the service."},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A19", Title: "the two lists of skills tests",
		Expected: "Each test is in the list of enabled tests or in the list of disabled tests. If it is in neither, its " +
			"activation is removed from the state, with a warning.",
		Differences: []Difference{
			{
				Name: "mixed", If: "A test is in both, or in the wrong one.",
				Then: "A plan can take a disabled test for an enabled one.",
			},
			{
				Name: "disabled", Lost: true, If: "The service does not list disabled tests.", Then: "Enable tests in the service.",
			},
		},
		Unknown: "No assessment that was read has an enabled skills test.",
	},
	{
		ID: "A12", Group: "Results", Title: "the names of a candidate's fields",
		Expected: "`id`, `name`, `reportUrl` and `suitability`, which is a number.",
		Differences: []Difference{
			{
				Name: "names", If: "The name is in `candidateName`, or in `firstName` and `lastName`. The link is in " +
					"`overallReportUrl` or `candidateReportUrl`. The suitability is in `candidateSuitability`, `suitabilityScore` " +
					"or `candidateSuitabilityScore`.",
				Then: NothingChanges,
			},
			{
				Name: "score", If: "Instead of a number, the suitability is an object whose field `score` contains the number.",
				Then: NothingChanges,
			},
			{
				Name: "missing", Lost: true, If: "A field has none of these names.",
				Then: "The attribute is null. Read the field from `raw_json`.",
			},
			{Name: "text", If: "Numbers or booleans are written as strings.", Then: NothingChanges},
		},
		Unknown: "No position that was read has candidates.",
	},
	{
		ID: "A14", Group: "Credentials and limits", Title: "waiting after a 429",
		Expected: "The header `Retry-After` says in seconds how long to wait.",
		Differences: []Difference{
			{Name: "date", If: "The header is a date.", Then: NothingChanges},
			{
				Name: "none", If: "The header is missing or unreadable.",
				Then: "The provider waits one second, then longer, up to one minute.",
			},
			{
				Name: "long", If: "The header asks for more than three minutes.",
				Then: "The provider tries again every three minutes, until `retry_timeout` is over.",
			},
		},
		Unknown: "No request got a 429, and a check does not provoke one.",
	},
	{
		ID: "A20", Title: "credentials",
		Expected: "401 for wrong credentials, which ends the run, and 403 for a missing permission.",
		Differences: []Difference{
			{
				Name: "forbidden", Lost: true, If: "The key may not read everything.",
				Then: "Some requests fail. Ask the service operator for the permission.",
			},
		},
		Unknown: "The service was not reached.",
	},
	{
		ID: "A21", Title: "how the service counts",
		Expected: "The service counts the requests of the last 60 seconds, or of each minute on the clock. The provider " +
			"stays within the limit in both cases.",
		Differences: []Difference{
			{
				If: "The service counts in another way.",
				Then: "If you get a 429 although no other program uses the key, set `share` in " +
					"[rate_limit](../index.md#nestedblock--rate_limit) below 1.",
			},
		},
		Unknown: "A check stays within the limits.",
	},
	{
		ID: "A30", Group: "The sandbox", Title: "differences from a real service",
		Expected: "The sandbox does what your service does. In the sandbox and in your service, an update can keep a " +
			"skills test that was disabled after it was attached, but cannot add a disabled test. A request to disable a " +
			"test gets 400.",
		Differences: []Difference{
			{If: "Your service rejects or accepts more.", Then: "What works with one can fail with the other."},
		},
		Unknown: "A check sees only what the other assumptions are about.",
	},
}

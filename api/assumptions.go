// SPDX-License-Identifier: MPL-2.0

package api

const (
	nothingChanges = "The provider understands this too, so nothing changes."
	onlyReads      = "It affects only writes, and a check only reads."
)

// Assumptions are all assumptions, in the order of the guide.
var Assumptions = []Assumption{
	{
		ID: "A1", Group: "Lists and errors", Title: "the format of lists",
		Expected: "A list is a JSON array. The header `Link` contains the address of the next page.",
		Differences: []Difference{
			{Name: "object", If: "Lists are objects that contain one array, under any name.", Then: nothingChanges},
			{
				Name: "paging", Lost: true, If: "A page does not say where the next page is.",
				Then: "The provider sees only the first page of each list, which has at most 1,000 objects.",
			},
			{
				Name: "format", Lost: true,
				If:   "A list has another format, repeats an object, or continues on another server.",
				Then: "Everything that needs this list fails.",
			},
			{
				Name: "links", If: "Links to later pages lack parameters of the request.",
				Then: "The provider adds them.",
			},
			{
				Name: "host", If: "Links to later pages name another host, scheme or path than `base_url`, as those of " +
					"a service behind a gateway.",
				Then: "The provider follows them at `base_url`, and sends nothing anywhere else.",
			},
			{Name: "charset", If: "Responses are not in UTF-8.", Then: nothingChanges},
			{
				Name: "compressed", Lost: true, If: "Responses are compressed, and no header says so.",
				Then: "The provider cannot read them. A gateway may drop the header `Content-Encoding`.",
			},
		},
		Unknown: "No list could be read.",
	},
	{
		ID: "A2", Title: "the format of results",
		Expected: "The results of a position are an object with `candidates` and `_links`.",
		Differences: []Difference{
			{Name: "envelope", If: "Results are an array, or the array has another name.", Then: nothingChanges},
			{
				Name: "none", Lost: true, If: "The service does not offer the results of a position in a format that the " +
					"provider understands.",
				Then: "Reports and [assess_position_results](../data-sources/position_results.md) do not work. Plans " +
					"cannot see that candidates have been invited.",
			},
		},
		Unknown: "The service lists no position.",
	},
	{
		ID: "A3", Title: "errors",
		Expected: "An error is JSON with `code`, `message` and `conversationId`. Each response has the header " +
			"`Conversation-Id`. An ID that does not exist gets 404 or 410.",
		Differences: []Difference{
			{
				Name: "body", If: "Errors have another format, such as text or a web page, or they are empty.",
				Then: "The provider shows the first 300 characters without HTML tags.",
			},
			{
				Name: "number", If: "Responses have no header `Conversation-Id`.",
				Then: "Messages then lack this ID, which the support of a service asks for.",
			},
			{
				Name: "unknown", Lost: true, If: "An ID that does not exist gets another status.",
				Then: "If a position assessment was removed in the service, plans fail until you remove it from the state.",
			},
		},
		Unknown: "No request was refused.",
	},
	{
		ID: "A13", Title: "statuses and types",
		Expected: "Statuses and types are those of the contract. The provider relies on `SUPERVISOR_COMPLETED` in " +
			"[profile_status](../resources/position_assessment.md#read-only), and on `TESTED_WITH_RESULTS` and `EXPIRED` " +
			"of invitations.",
		Differences: []Difference{
			{
				Name: "words", If: "Results contain other types, statuses or classifications.",
				Then: "The provider shows them unchanged, and reports do not translate them. An invitation without the " +
					"status `TESTED_WITH_RESULTS` counts as completed if it has a date of completion.",
			},
		},
		Unknown: "No results of candidates could be read.",
	},
	{
		ID: "A24", Title: "the parameters `fields` and `limit`",
		Sent:     "`fields` and `limit`, in each request for a list.",
		Expected: "Elements contain the members in `fields`. Pages have at most as many elements as `limit` says.",
		Differences: []Difference{
			{
				Name: "refused", Lost: true, If: "The service refuses one of these parameters with 400.",
				Then: "The provider repeats the request without them, and warns. Names, titles and locales can be missing. " +
					"Use IDs in your configuration.",
			},
			{
				Name: "page", If: "Pages do not have as many elements as `limit` says.",
				Then: "Lists may take more requests.",
			},
		},
		Unknown: "No list could be read.",
	},
	{
		ID: "A11", Group: "Positions and assessments", Title: "title and locale of a position",
		Expected: "Each position has a `title`, and a `locale` such as `en-GB`.",
		Differences: []Difference{
			{
				Name: "list", Lost: true, If: "The service does not list its positions.",
				Then: "Use the IDs of positions, because [assess_position](../data-sources/position.md) and " +
					"[assess_positions](../data-sources/positions.md) fail. Plans do not check the locale of a benchmark.",
			},
			{
				Name: "title", Lost: true, If: "Positions have no title.",
				Then: "Use the IDs of positions in your configuration.",
			},
			{
				Name: "locale", Lost: true, If: "Positions have no locale.",
				Then: "Plans do not check that a [benchmark](../resources/position_assessment.md#nestedblock--benchmark) has " +
					"the locale of the position.",
			},
		},
		Unknown: "The service lists no position.",
	},
	{
		ID:       "A26",
		Title:    "the spelling of a locale",
		Expected: "A locale is a language and a region, such as `en-GB`.",
		Differences: []Difference{
			{Name: "spelling", If: "The spelling differs, such as `en_GB` or `en-gb`.", Then: nothingChanges},
		},
		Unknown: "Neither a position nor a benchmark that was read has a locale.",
	},
	{
		ID: "A25", Title: "finding a position by its title",
		Sent: "The filter `title`.", Expected: "Only positions with exactly this title.",
		Differences: []Difference{
			{
				Name: "others", If: "The service returns other positions as well.",
				Then: "[assess_position](../data-sources/position.md) selects the one with exactly this title. " +
					"[assess_positions](../data-sources/positions.md) returns all of them.",
			},
			{
				Name: "missing", Lost: true, If: "The service does not find a position by its title.",
				Then: "Use the ID of the position in your configuration.",
			},
		},
		Unknown: "No position that was read has a title.",
	},
	{
		ID: "A7", Title: "the list of a position's assessments",
		Sent: "`GET /positions/{id}/assessments`.",
		Expected: "Each element has `organizationAssessment` and `metadata`. A position assessment can also be read by " +
			"its ID.",
		Differences: []Difference{
			{
				Name: "none", Lost: true, If: "The service does not offer this list.",
				Then: "The provider reads each position assessment by its ID, with one request for each. An apply cannot " +
					"see what a position already has, so it can attach a duplicate. If the response to an attach request is " +
					"lost, you must check in the service what happened. " +
					"[assess_position_assessments](../data-sources/position_assessments.md) fails.",
			},
			{
				Name: "bare", If: "Elements have no `organizationAssessment`.",
				Then: "The provider also reads each element by its ID, with one request for each.",
			},
			{Name: "metadata", If: "Elements without a configuration have no `metadata`.", Then: nothingChanges},
			{
				Name: "single", Lost: true, If: "A position assessment cannot be read by its ID.",
				Then: "Updates that add or change a block `profile` fail. Plans fail after a position assessment was " +
					"removed in the service, because they cannot see that it is gone. Remove it from the state then.",
			},
		},
		Unknown: "No position that was read has an assessment.",
	},
	{
		ID: "A22", Title: "reading packages, benchmark and tests",
		Expected: "The service returns the blocks [packages](../resources/position_assessment.md#nestedblock--packages), " +
			"[benchmark](../resources/position_assessment.md#nestedblock--benchmark) and " +
			"[tests](../resources/position_assessment.md#nestedblock--tests) of each position assessment.",
		Differences: []Difference{
			{
				Name: "hidden", Lost: true, If: "The service never returns them.",
				Then: "The state keeps the values that were applied, and plans do not notice other changes. A plan warns " +
					"about a possible duplicate, and its apply can attach it. If the response to an attach request is lost, you " +
					"must check in the service what happened. An import and `terraform query` omit these blocks, with a warning.",
			},
		},
		Unknown: "No position assessment that was read must have packages or tests, and none shows any.",
	},
	{
		ID: "A29", Title: "which blocks an assessment accepts",
		Expected: "The packages, tests, profiles and benchmarks of an assessment determine the blocks of its position " +
			"assessments, as the table shows.",
		Differences: []Difference{
			{
				Name: "others",
				If:   "A position assessment has a package, test, profile or benchmark that its assessment does not list.",
				Then: "A plan can refuse a block that your service accepts. If this happens, set " +
					"[plan_checks](../index.md#optional) to `false`.",
			},
		},
		Unknown: "No position assessment that was read shows an option that its assessment lists.",
		More: "| the assessment has | block in the configuration |\n|---|---|\n| packages | `packages` is required |\n" +
			"| skills tests | `tests` is required |\n| profiles | `profile` is optional |\n" +
			"| benchmarks | `benchmark` is optional |\n\n" +
			"[assess_assessment_options](../data-sources/assessment_options.md) shows which blocks an assessment accepts. If " +
			"the service does not list packages, tests, profiles or benchmarks, the block for them is optional.",
	},
	{
		ID: "A4", Group: "Attaching, updating, removing", Title: "the response to attaching an assessment",
		Expected: "201 with the created resource.",
		Differences: []Difference{
			{If: "The status is 200, or the ID is only in the header `Location` or in the link `self`.", Then: nothingChanges},
			{
				If: "The response contains no ID.",
				Then: "The provider looks for the new position assessment in the list of the position. If it finds exactly " +
					"one, it stores that one in the state and warns. Otherwise an error shows how to import the position " +
					"assessment. The provider never attaches it again.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A27", Title: "what responses to writes contain",
		Expected: "The same members as a read.",
		Differences: []Difference{
			{
				If:   "They contain less, or nothing.",
				Then: "If the provider needs the status of a profile, it reads the position assessment again.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A5", Title: "updating",
		Sent:     "`PUT /positions/{id}/assessments/{id}` with the whole configuration.",
		Expected: "The service removes what the request does not contain. It answers 200 or 204.",
		Differences: []Difference{
			{If: "The service keeps what the request does not contain.", Then: "The next plan shows the same change again."},
			{
				If:   "The service does not offer updates (404 or 405).",
				Then: "Replace the resource before any candidate is invited: `tofu apply -replace='ADDRESS'`.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A6", Title: "removing",
		Sent: "`DELETE /positions/{id}/assessments/{id}`.", Expected: "200, 202 or 204. A 404 or 410 means that it is gone.",
		Differences: []Difference{
			{
				If: "The service does not offer removal (405 or 501).",
				Then: "Remove the resource from the state only: `tofu state rm 'ADDRESS'`. The assessment stays on the " +
					"position.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A28", Title: "when removal is refused",
		Expected: "The service refuses to remove an assessment after candidates have been invited to it. See [Closing a " +
			"position](closing-a-position.md).",
		Differences: []Difference{
			{
				If:   "The service refuses other removals as well.",
				Then: "The plan does not know this. The apply shows the answer of the service, and what you can do instead.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A15", Title: "characters in requests",
		Sent: "Only ASCII. Other characters are encoded as `\\uXXXX`.", Expected: "The service decodes them.",
		Differences: []Difference{
			{
				If:   "The service does not decode them.",
				Then: "If it refuses to enable a skills test because of its title, enable the test in the service.",
			},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A16", Title: "characters outside Latin1",
		Expected: "The service accepts only the characters of Latin1, which covers Western European languages. It answers " +
			"400 to all others.",
		Differences: []Difference{
			{Name: "accepted", If: "The service accepts other characters.", Then: "Plans refuse them nevertheless."},
		},
		Unknown: "The service does not list positions by title, so no such character could be sent.",
	},
	{
		ID: "A17", Title: "characters in addresses",
		Sent: "UTF-8 with percent-encoding.", Expected: "The service decodes it.",
		Differences: []Difference{
			{
				Name: "missing", Lost: true, If: "A position whose title has an accent is not found.",
				Then: "Use the ID of such a position.",
			},
		},
		Unknown: "No position that was read has a title with an accent.",
	},
	{
		ID: "A8", Group: "Options of an assessment", Title: "the list of benchmarks",
		Sent: "`GET /assessments/{id}/benchmarks`.", Expected: "An assessment without benchmarks has an empty list.",
		Differences: []Difference{
			{
				Name: "none", Lost: true, If: "The service does not list benchmarks (400, 404, 405 or 501).",
				Then: "Plans do not check benchmarks, and [assess_benchmarks](../data-sources/benchmarks.md) fails. Use IDs " +
					"in your configuration.",
			},
		},
		Unknown: "The service lists no assessment.",
	},
	{
		ID: "A9", Title: "the list of profiles",
		Sent: "`GET /assessments/{id}/profiles`.", Expected: "An assessment without profiles has an empty list.",
		Differences: []Difference{
			{
				Name: "none", Lost: true, If: "The service does not list profiles (400, 404, 405 or 501).",
				Then: "Plans do not check profiles, and [assess_profiles](../data-sources/profiles.md) fails. Use IDs in your " +
					"configuration.",
			},
		},
		Unknown: "The service lists no assessment.",
	},
	{
		ID: "A23", Title: "the lists of packages and skills tests",
		Sent:     "`GET /assessments/{id}/packages` and `GET /assessments/{id}/skills`.",
		Expected: "An assessment without packages or skills tests has an empty list.",
		Differences: []Difference{
			{
				Name: "kind", If: "The service refuses such a list instead (400, 404 or 405).",
				Then: nothingChanges,
			},
			{
				Name: "none", Lost: true,
				If: "The service refuses the list of packages, or that of skills tests, for all assessments that were read.",
				Then: "Plans do not check packages or skills tests, and [assess_packages](../data-sources/packages.md) or " +
					"[assess_skills_tests](../data-sources/skills_tests.md) fails. Use IDs in your configuration.",
			},
		},
		Unknown: "The service lists no assessment.",
	},
	{
		ID: "A10", Title: "mandatory packages",
		Expected: "If the request asks for the field `mandatory`, each package has it, and it is true or false.",
		Differences: []Difference{
			{
				Name: "mark", If: "The mark is a field `optional`, or any field with the text MANDATORY or OPTIONAL.",
				Then: nothingChanges,
			},
			{Name: "unasked", If: "Packages show all fields, even if the request does not ask for them.", Then: nothingChanges},
			{
				Name: "none", Lost: true, If: "Packages have no mark.",
				Then: "[mandatory](../data-sources/package.md) is null, and plans do not check mandatory packages. " +
					"`select = \"mandatory\"` is an error. Use `select = \"all\"` or `ids`.",
			},
		},
		Unknown: "No assessment that was read has packages.",
	},
	{
		ID: "A18", Group: "Skills tests", Title: "enabling a skills test",
		Sent:     "The skills test exactly as the service returned it, with `active` set to true.",
		Expected: "The service enables the test. It refuses any other change.",
		Differences: []Difference{
			{If: "The service refuses this request.", Then: "Enable the test in the service."},
		},
		Unknown: onlyReads,
	},
	{
		ID: "A19", Title: "the two lists of skills tests",
		Expected: "The service lists enabled and disabled tests, each test in one of the two lists. If a test is in " +
			"neither, the provider drops its [assess_skills_test_activation](../resources/skills_test_activation.md) from " +
			"the state and warns.",
		Differences: []Difference{
			{
				Name: "mixed", If: "A test is in both lists, or in the wrong one.",
				Then: "A plan can take a disabled test for an enabled one.",
			},
			{
				Name: "disabled", Lost: true, If: "The service does not list disabled tests.",
				Then: "[assess_skills_test_activation](../resources/skills_test_activation.md) cannot enable a test. Enable " +
					"it in the service.",
			},
		},
		Unknown: "No assessment that was read has skills tests.",
	},
	{
		ID: "A12", Group: "Results", Title: "the names of a candidate's fields",
		Expected: "`id`, `name`, `reportUrl` and `suitability`, which is a number.",
		Differences: []Difference{
			{Name: "names", If: "A field has one of the other names in the table.", Then: nothingChanges},
			{Name: "score", If: "The score is an object with the field `score`.", Then: nothingChanges},
			{
				Name: "missing", Lost: true, If: "A field has none of these names.",
				Then: "Its attribute in [assess_position_results](../data-sources/position_results.md) is null. Read the field " +
					"from `raw_json`.",
			},
			{Name: "text", If: "Numbers or booleans are written as texts.", Then: nothingChanges},
		},
		Unknown: "No position that was read has candidates.",
		More: "| field | expected | accepted |\n|---|---|---|\n" +
			"| ID | `id` | `candidate`, `candidateId` |\n" +
			"| name | `name` | `candidateName`, or `firstName` and `lastName` |\n" +
			"| link to the report | `reportUrl` | `overallReportUrl`, `candidateReportUrl` |\n" +
			"| score | `suitability` | `candidateSuitability`, `suitabilityScore`, `candidateSuitabilityScore` |",
	},
	{
		ID: "A14", Group: "Credentials and limits", Title: "waiting after a 429",
		Expected: "The status 429 means that the rate limit is used up. The header `Retry-After` says in seconds how long " +
			"to wait.",
		Differences: []Difference{
			{Name: "date", If: "The header is a date.", Then: nothingChanges},
			{
				Name: "none", If: "There is no header.",
				Then: "The provider waits one second, then longer each time, up to one minute.",
			},
			{
				Name: "long", If: "The header asks for more than five minutes.",
				Then: "The provider tries again earlier. If a request still gets a 429 after five minutes, it fails. To wait " +
					"longer, raise `retry_timeout`.",
			},
		},
		Unknown: "No request got a 429, and a check does not provoke one.",
	},
	{
		ID: "A20", Title: "credentials",
		Expected: "Wrong credentials get 401, and a key without permission gets 403. The provider never retries such a " +
			"request.",
		Differences: []Difference{
			{
				Name: "forbidden", Lost: true, If: "The key may not read everything that the provider reads (403).",
				Then: "Data sources and plans that read it fail. Ask the operator of the service for the permission.",
			},
		},
		Unknown: "The service was not reached.",
	},
	{
		ID: "A21", Title: "how the service counts",
		Expected: "Some services count the requests of the last 60 seconds, others those of each minute on the clock. The " +
			"provider stays within the limits in both cases.",
		Differences: []Difference{
			{
				If:   "You get a 429 although no other program uses the key.",
				Then: "Set `share` in [rate_limit](../index.md#nestedblock--rate_limit) below 1.",
			},
		},
		Unknown: "A check stays within the limits.",
	},
	{
		ID: "A30", Group: "The embedded service", Title: "differences from a real service",
		Expected: "Your service behaves like the embedded service. This is never completely true, so plan each " +
			"configuration with your real service before you rely on it.",
		Differences: []Difference{
			{
				If:   "Your service refuses or accepts more.",
				Then: "What works with the embedded service can fail with yours, and the other way around.",
			},
		},
		Unknown: "A check sees only what the other assumptions are about.",
		More: "The embedded service answers some open questions as follows:\n\n| question | answer |\n|---|---|\n" +
			"| Can an update keep a skills test that was disabled after it was attached? | Yes. But an update cannot add a " +
			"disabled test. |\n| Can a client disable a skills test? | No. The service answers 400. |",
	},
}

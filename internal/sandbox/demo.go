// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"encoding/json"
	"strings"
)

// Demo returns a new state of an invented organization. The state is always the same. It has an assessment of each
// kind, and positions in three locales. Only [DemoResultsPosition] has position assessments.
func Demo() *State {
	return &State{
		Version:     stateVersion,
		Assessments: demoAssessments(),
		Positions: []Position{
			{ID: "pos-backend-london", Title: "Backend Engineer, London", Locale: "en-GB"},
			{ID: "pos-support-leeds", Title: "Customer Support Adviser, Leeds", Locale: "en-GB"},
			{ID: "pos-safety-aberdeen", Title: "Offshore Technician, Aberdeen", Locale: "en-GB"},
			{ID: "pos-controlling-hamburg", Title: "Controller (m/w/d), Hamburg", Locale: "de-DE"},
			{ID: "pos-lager-leipzig", Title: "Fachkraft für Lagerlogistik, Leipzig", Locale: "de-DE"},
			{ID: "pos-clientele-lyon", Title: "Chargé de clientèle, Lyon", Locale: "fr-FR"},
			{ID: "pos-donnees-paris", Title: "Ingénieure données, Paris", Locale: "fr-FR"},
			demoResults(),
		},
	}
}

// demoAssessments returns the assessments with their packages, benchmarks, profiles and skills tests.
func demoAssessments() []Assessment {
	return []Assessment{
		{
			ID: "asm-quartet", Kind: MultiGameCognitive, Code: "QRT", Name: "Quartet Games",
			Packages: []Package{
				{ID: "pkg-problem-solving", Name: "Problem solving", Mandatory: true},
				{ID: "pkg-numerical-reasoning", Name: "Numerical reasoning", Mandatory: true},
				{ID: "pkg-processing-speed", Name: "Processing speed"},
				{ID: "pkg-verbal-knowledge", Name: "Verbal knowledge"},
			},
			Benchmarks: demoBenchmarks("quartet", "Graduates", "Engineers"),
		},
		{
			ID: "asm-lumen", Kind: CognitiveAbility, Code: "LMN", Name: "Lumen Ability Test",
			Benchmarks: demoBenchmarks("lumen", "Graduates", "Engineers", "Managers"),
		},
		{
			ID: "asm-northlight", Kind: ValuesInventory, Code: "NLV", Name: "Northlight Values Inventory",
			Profiles: []Profile{
				{ID: "prf-customer-first", Name: "Customer first"},
				{ID: "prf-safety-before-speed", Name: "Safety before speed"},
				{ID: "prf-curious-builders", Name: "Curious builders"},
			},
		},
		{
			ID: "asm-terrain", Kind: WorkPreferencesProfile, Code: "TRN", Name: "Terrain Work Preferences",
			Profiles: []Profile{
				{ID: "prf-desk-and-screen", Name: "Desk and screen"},
				{ID: "prf-shift-work", Name: "Shift work, indoors"},
				{ID: "prf-field-service", Name: "Field service"},
			},
		},
		{ID: "asm-workbench", Kind: Skills, Code: "WBN", Name: "Workbench Skills", SkillsTests: demoSkillsTests()},
		{
			ID: "asm-tideline", Kind: EmotionalIntelligence, Code: "TDL", Name: "Tideline Emotional Intelligence",
			Benchmarks: demoBenchmarks("tideline", "Customer service"),
		},
		{
			ID: "asm-hardhat", Kind: WorkSafetyFull, Code: "HHT", Name: "Hardhat Work Safety",
			Benchmarks: demoBenchmarks("hardhat", "Offshore", "Logistics"),
		},
		{
			ID: "asm-hardhat-short", Kind: WorkSafetyShort, Code: "HHS", Name: "Hardhat Work Safety, Short Form",
			Benchmarks: demoBenchmarks("hardhat-short", "Logistics"),
		},
		{
			ID: "asm-keystone", Kind: WorkReliability, Code: "KST", Name: "Keystone Reliability Scale",
			Benchmarks: demoBenchmarks("keystone", "Shift workers"),
		},
		{
			ID: "asm-lattice", Kind: AbstractReasoning, Code: "LTC", Name: "Lattice Abstract Reasoning",
			Benchmarks: demoBenchmarks("lattice", "Graduates"),
		},
		{
			ID: "asm-tally", Kind: NumericalReasoning, Code: "TLY", Name: "Tally Numerical Reasoning",
			Benchmarks: demoBenchmarks("tally", "Finance"),
		},
		{
			ID: "asm-margin", Kind: VerbalReasoning, Code: "MRG", Name: "Margin Verbal Reasoning",
			Benchmarks: demoBenchmarks("margin", "Customer service"),
		},
		{ID: "asm-facet", Kind: BehaviouralProfile, Code: "FCT", Name: "Facet Behavioural Profile"},
	}
}

// demoBenchmarks returns one benchmark for each combination of a group of people and a
// locale, such as bmk-lumen-engineers-de-de.
func demoBenchmarks(assessment string, groups ...string) []Benchmark {
	benchmarks := []Benchmark{}
	for _, group := range groups {
		for _, locale := range []string{"en-GB", "de-DE", "fr-FR"} {
			slug := strings.ToLower(strings.ReplaceAll(group+"-"+locale, " ", "-"))
			benchmarks = append(benchmarks, Benchmark{ID: "bmk-" + assessment + "-" + slug, Name: group, Locale: locale})
		}
	}
	return benchmarks
}

// demoTests contains one skills test on each line: ID, title, description, category, duration and number of questions.
// A test with "off" at the end is not enabled.
const demoTests = `
bookkeeping | Bookkeeping Basics | Journal entries, ledgers and month-end closing. | Finance | 25 minutes | 30
go | Go Programming | Goroutines, interfaces and errors in everyday code. | Software | 40 minutes | 24 | off
python | Python Programming | Data types, functions and modules. | Software | 40 minutes | 28
sql | SQL Queries | Joins, grouping and subqueries on a small schema. | Software | 35 minutes | 22
rust | Rust Programming | Ownership, traits and error handling. | Software | 45 minutes | 20 | off
typescript | TypeScript | Types, narrowing and modules. | Software | 35 minutes | 26
linux | Linux Administration | Files, processes, services and logs. | Operations | 30 minutes | 25
networks | Computer Networks | Addressing, routing and name resolution. | Operations | 30 minutes | 25
kubernetes | Container Orchestration | Deployments, services and troubleshooting. | Operations | 40 minutes | 20 | off
spreadsheets | Spreadsheets | Formulas, filters and pivot tables. | Office | 20 minutes | 20
presentations | Presentations | Masters, charts & clear slides. | Office | 15 minutes | 15
word-processing | Word Processing | Styles, tables and mail merge. | Office | 15 minutes | 18
typing-en | Typing, English | Speed and accuracy over five minutes. | Office | 5 minutes | 1
typing-de | Maschinenschreiben | Geschwindigkeit und Genauigkeit über fünf Minuten. | Office | 5 minutes | 1
typing-fr | Dactylographie | Vitesse et précision pendant cinq minutes. | Office | 5 minutes | 1
customer-service | Customer Service Situations | Choosing what helps the customer most. | Service | 20 minutes | 16
telephone | Telephone Etiquette | Greeting, listening and handing over. | Service | 15 minutes | 14
complaints | Handling Complaints | Calming down, finding the cause, making it right. | Service | 20 minutes | 12 | off
payroll-uk | Payroll, United Kingdom | Tax codes, pensions and statutory pay. | Finance | 30 minutes | 28
payroll-de | Lohnbuchhaltung | Steuerklassen, Sozialabgaben und Meldungen. | Finance | 30 minutes | 28
ifrs | IFRS Reporting | Recognition, measurement and disclosure. | Finance | 35 minutes | 24 | off
forklift | Forklift Theory | Load charts, right of way & daily checks. | Logistics | 15 minutes | 20
hazardous-goods | Hazardous Goods | Labels, segregation and paperwork. | Logistics | 25 minutes | 22
stock-keeping | Stock Keeping | Counting, FIFO and differences. | Logistics | 20 minutes | 18`

// demoSkillsTests returns the skills tests.
func demoSkillsTests() []SkillsTest {
	tests := []SkillsTest{}
	for row := range strings.SplitSeq(demoTests[1:], "\n") {
		t := strings.Split(row, " | ")
		tests = append(tests, SkillsTest{objectOf(nil, "id", "skt-"+t[0], "title", t[1], "description", t[2],
			"category", t[3], "timeToComplete", t[4], "numberOfQuestions", json.RawMessage(t[5]), "active", len(t) == 6)})
	}
	return tests
}

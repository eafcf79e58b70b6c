// SPDX-License-Identifier: MPL-2.0

package sandbox

// Kind decides which metadata an assessment accepts and what its results
// contain. The service never shows it: a client sees only id, code and name.
type Kind string

// The kinds that section 2 of the specification names.
const (
	MultiGameCognitive     Kind = "multi-game-cognitive"
	CognitiveAbility       Kind = "cognitive-ability"
	ValuesInventory        Kind = "values-inventory"
	WorkPreferencesProfile Kind = "work-preferences-profile"
	Skills                 Kind = "skills"
	EmotionalIntelligence  Kind = "emotional-intelligence"
	WorkSafetyFull         Kind = "work-safety-full"
	WorkSafetyShort        Kind = "work-safety-short"
	WorkReliability        Kind = "work-reliability"
	AbstractReasoning      Kind = "abstract-reasoning"
	NumericalReasoning     Kind = "numerical-reasoning"
	VerbalReasoning        Kind = "verbal-reasoning"
	BehaviouralProfile     Kind = "behavioural-profile"
)

// The types of a candidate assessment result (section 2.8).
const (
	ReportOnly = "REPORT_ONLY"
	Scored     = "SCORED"
	Validated  = "VALIDATED"
)

// rules are what the specification says about one kind of assessment.
type rules struct {
	keys   []string // the metadata keys that apply (sections 2.3 and 2.4)
	result string   // the type of its results (section 2.8)
	weight float64  // its weight in the candidate's suitability; 0 without a score
}

var rulesOf = map[Kind]rules{
	MultiGameCognitive:     {[]string{keyPackages, keyBenchmark}, Scored, 3},
	CognitiveAbility:       {[]string{keyBenchmark}, Scored, 3},
	ValuesInventory:        {[]string{keyProfile}, ReportOnly, 0},
	WorkPreferencesProfile: {[]string{keyProfile}, ReportOnly, 0},
	Skills:                 {[]string{keyTests}, Scored, 2},
	EmotionalIntelligence:  {[]string{keyBenchmark}, Scored, 1},
	WorkSafetyFull:         {[]string{keyBenchmark}, Validated, 1},
	WorkSafetyShort:        {[]string{keyBenchmark}, Validated, 1},
	WorkReliability:        {[]string{keyBenchmark}, Validated, 1},
	AbstractReasoning:      {[]string{keyBenchmark}, Scored, 2},
	NumericalReasoning:     {[]string{keyBenchmark}, Scored, 2},
	VerbalReasoning:        {[]string{keyBenchmark}, Scored, 2},
	BehaviouralProfile:     {nil, Validated, 1},
}

// isTwoSided reports whether the assessment compares candidates with a profile
// (section 2.6).
func (k Kind) isTwoSided() bool {
	return k == ValuesInventory || k == WorkPreferencesProfile
}

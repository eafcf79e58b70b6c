// SPDX-License-Identifier: MPL-2.0

package sandbox

// AssessmentKind decides which metadata an assessment accepts and what its results contain. Responses never contain the
// kind of an assessment, only its id, code and name.
type AssessmentKind string

// The kinds that the specification names.
const (
	MultiGameCognitive     AssessmentKind = "multi-game-cognitive"
	CognitiveAbility       AssessmentKind = "cognitive-ability"
	ValuesInventory        AssessmentKind = "values-inventory"
	WorkPreferencesProfile AssessmentKind = "work-preferences-profile"
	Skills                 AssessmentKind = "skills"
	EmotionalIntelligence  AssessmentKind = "emotional-intelligence"
	WorkSafetyFull         AssessmentKind = "work-safety-full"
	WorkSafetyShort        AssessmentKind = "work-safety-short"
	WorkReliability        AssessmentKind = "work-reliability"
	AbstractReasoning      AssessmentKind = "abstract-reasoning"
	NumericalReasoning     AssessmentKind = "numerical-reasoning"
	VerbalReasoning        AssessmentKind = "verbal-reasoning"
	BehaviouralProfile     AssessmentKind = "behavioural-profile"
)

// The types of a candidate assessment result (listResults).
const (
	ReportOnly = "REPORT_ONLY"
	Scored     = "SCORED"
	Validated  = "VALIDATED"
)

// rules describe one kind of assessment. The weights are invented, because the specification does not define them.
type rules struct {
	keys   []string // the metadata keys that apply (attachAssessment)
	result string   // the type of its results (listResults)
	weight float64  // its weight in the candidate's suitability; 0 if it has no score
}

var rulesOf = map[AssessmentKind]rules{
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

// isTwoSided reports whether the assessment compares candidates with a profile (listProfiles).
func (a *Assessment) isTwoSided() bool {
	return a.Kind == ValuesInventory || a.Kind == WorkPreferencesProfile
}

// SPDX-License-Identifier: MPL-2.0

package sandbox

// Kind decides which metadata an assessment accepts and what its results contain. The
// service never shows it. A client sees only id, code and name.
type Kind string

// The kinds that the specification names.
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

	// Observed is an assessment of a snapshot. Its lists decide what it accepts
	// (assumption A29), because a client does not see the kind.
	Observed Kind = "observed"
)

// The types of a candidate assessment result (listResults).
const (
	ReportOnly = "REPORT_ONLY"
	Scored     = "SCORED"
	Validated  = "VALIDATED"
)

// rules are what the specification says about one kind of assessment.
type rules struct {
	keys   []string // the metadata keys that apply (attachAssessment)
	result string   // the type of its results (listResults)
	weight float64  // its weight in the candidate's suitability; 0 if it has no score
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
	Observed:               {nil, ReportOnly, 0},
}

// keys returns the metadata keys that apply to the assessment. If its kind is not
// known, a key applies unless its list is empty (assumption A29).
func (a *Assessment) keys() []string {
	if a.Kind != Observed {
		return rulesOf[a.Kind].keys
	}
	keys := []string{}
	for _, key := range []struct {
		name  string
		list  List
		shown int
	}{
		{keyPackages, Packages, len(a.Packages)},
		{keyBenchmark, Benchmarks, len(a.Benchmarks)},
		{keyProfile, Profiles, len(a.Profiles)},
		{keyTests, SkillsTests, len(a.SkillsTests)},
	} {
		if key.shown > 0 || a.refusal(key.list) != nil {
			keys = append(keys, key.name)
		}
	}
	return keys
}

// refusal returns why a list of the assessment is not shown, or nil.
func (a *Assessment) refusal(list List) *Refusal {
	return find(a.Refused, string(list), func(r *Refusal) string { return string(r.List) })
}

// hasPackages reports whether the assessment consists of packages (listPackages).
func (a *Assessment) hasPackages() bool {
	return a.Kind == MultiGameCognitive || a.Kind == Observed && len(a.Packages) > 0
}

// hasTests reports whether the assessment consists of skills tests (listSkillsTests).
func (a *Assessment) hasTests() bool {
	return a.Kind == Skills || a.Kind == Observed && len(a.SkillsTests) > 0
}

// isTwoSided reports whether the assessment compares candidates with a profile
// (listProfiles).
func (a *Assessment) isTwoSided() bool {
	return a.Kind == ValuesInventory || a.Kind == WorkPreferencesProfile || a.Kind == Observed && len(a.Profiles) > 0
}

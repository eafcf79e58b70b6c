// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Each language is one file. To add one, copy a file and translate its texts.
//
//go:embed languages/*.json
var languageFiles embed.FS

// words are all texts of a report in one language. A text with %s is a format. A translation that needs the values in a
// different order uses %[2]s and %[1]s.
type words struct {
	tag string // BCP 47 language tag, which is the file name without .json

	Decimal, Thousands  string // separators of numbers
	CellSeparator       string // between the cells of a CSV file in Excel
	Colon, Semicolon    string // with the spaces around them
	And                 string // before the last item of a list
	ShortDate, LongDate string // layouts of the package time
	FirstDay            string // the first day of a month in a long date
	Months              [12]string

	// The header.
	Title, Results, Position, Date, Source, Page string
	Confidential, Invented                       string
	Top, Cut, FinishedOnly, Anonymous            string // about options that hide or replace something
	EachPosition                                 string // if there are several positions

	// Above the ranking.
	OneCandidate, ManyCandidates, NoCandidates, Nameless, Pseudonym string
	FinishedOf                                                      string
	Groups                                                          map[group]string // how many candidates
	NotRanked, InDoubt, StillOpen, RankAlone                        string
	RankedOver, RankedOverWithout, Undescribed                      string
	BeforeDeciding, Ahead, OnlyRanked, Tied                         string
	Meaning, Shorten                                                string

	// Since an earlier report.
	SinceDate, SinceEarlier                    string
	Changes                                    map[changeKind]string // how many candidates
	Newcomer, NewlyFinished, Moved, NothingNew string

	// The ranking.
	Ranking, Rank, Candidate, Suitability, LongestBar, Completed, Of, NoScore string
	ComparesOnly                                                              string // if scores differ in assessments
	Differs, Without, Also, NotInvitedTo, MayChange                           string // remarks
	Distribution, Lowest, Median, Highest, Counted                            string

	// The table by assessment and the details.
	ByAssessment, Shading, Sideways, Benchmark, Done              string
	Details, Assessment, Percentile, NoPercentile, Result, Status string
	Invited, Until, AnswerCheck, Report, Back                     string

	HowToRead string
	Legend    []struct{ Word, Meaning string }

	// The index over several positions.
	AllPositions, ByPosition, Candidates, Finished, AllResults, WithoutCandidates, NotRead string
	Reasons                                                                                map[Reason]string

	// Values of the service.
	Statuses, Sittings, Classifications, Validities map[string]string
}

// Languages returns the codes of the available languages.
func Languages() []string {
	files, _ := languageFiles.ReadDir("languages") // cannot fail, because the folder is embedded
	codes := make([]string, len(files))
	for i, file := range files {
		codes[i] = strings.TrimSuffix(file.Name(), ".json")
	}
	return codes
}

// languages returns the texts of each language by the code of the language. It reads the files when the first report is
// written, because the provider starts several times in a run, and few runs write a report.
var languages = sync.OnceValue(func() map[string]*words {
	all := map[string]*words{}
	for _, code := range Languages() {
		text, _ := languageFiles.ReadFile("languages/" + code + ".json") // cannot fail, because the file is embedded
		w := &words{tag: code}
		if err := json.Unmarshal(text, w); err != nil {
			panic(fmt.Sprintf("languages/%s.json: %v", code, err)) // the tests read all of them
		}
		all[code] = w
	}
	return all
})

// wordsOf returns the texts of the language with this code, or the English texts if there is no such language.
func wordsOf(code string) *words { return cmp.Or(languages()[code], languages()["en"]) }

func (w *words) shortDate(t time.Time) string { return t.Format(w.ShortDate) }

func (w *words) longDate(t time.Time) string {
	text := strings.Replace(t.Format(w.LongDate), t.Month().String(), w.Months[t.Month()-1], 1)
	if t.Day() == 1 {
		text = strings.Replace(text, "1", w.FirstDay, 1)
	}
	return text
}

// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"strings"
	"time"
)

// DemoResultsPosition is the position of the demo state that has assessments, candidates and results from the start.
const DemoResultsPosition = "pos-graduates-2026"

// demoNames are invented people. Many names contain characters that careless code handles wrongly.
var demoNames = strings.Split(strings.ReplaceAll(
	`Zoë O'Brien / Łukasz Żółciński / Anna "Annie" Müller / 陳大文 / Μαρία Παπαδοπούλου
Robert <Bobby> Tables / Иван Петров / محمد العلي / Sam 🚀 Taylor / D'Arcy & Partner
Élodie Lefèvre / Jürgen Groß / Søren Kjær / Þórdís Jónsdóttir / İpek Yılmaz / Nguyễn Thị Hồng
José Núñez / Chloë van 't Hoff / Adaeze Okonkwo / Siobhán Ní Bhriain / Tomáš Dvořák / Ioana Brâncuș
Vytautė Žukauskienė / Oluwaseun Adéyẹmí / Amélie Dubois-Roux / Björn Åkesson / 佐藤 美咲 / 김민준
Priya Raghunathan / Agnieszka Śliwa / Gwenllïan Rhys / Márton Szűcs / Ana María Peña / Noah Fischer
Emma Thompson-Grey / Liam Walker / Olivia Hartley / Elias Brandt / Mia Schneider / Lucas Moreau
Camille Fontaine / Hugo Petit / Grace Mbeki / Daniel Owusu / Fatima Zahra / Yusuf Demir
Ingrid Solberg / Matteo Ricci / Giulia Ferrari / Pedro Carvalho / Beatriz Lopes / Katarzyna Nowak
Jakub Kowal / Petra Novotná / Andrei Popescu / Elena Ivanova / Dmitri Sokolov / Aisha Rahman
Ravi Menon / Mei Lin / Hannah Cohen / Noam Levi / Keira MacLeod / Rhys Bevan / Isla Drummond
Oscar Lindqvist`, "\n", " / "), " / ",
)

// demoResultTypes contains the result type of each assessment of [DemoResultsPosition].
var demoResultTypes = map[string]string{
	"asm-lumen": Scored, "asm-tideline": Scored, "asm-keystone": Validated, "asm-northlight": ReportOnly,
}

// demoResults returns a position whose candidates have been invited. The position is always the same. Each candidate
// has completed an assessment. Some have not completed others, some have an expired invitation, some were not invited
// to every assessment, and some are invited to take the ability test again under supervision.
func demoResults() Position {
	position := Position{
		ID: DemoResultsPosition, Title: "Graduate Programme 2026", Locale: "en-GB",
		Assessments: []PositionAssessment{
			{ID: "pas-graduates-lumen", Assessment: "asm-lumen", Metadata: Metadata{Benchmark: "bmk-lumen-graduates-en-gb"}},
			{ID: "pas-graduates-tideline", Assessment: "asm-tideline"},
			{ID: "pas-graduates-keystone", Assessment: "asm-keystone"},
			{
				ID: "pas-graduates-northlight", Assessment: "asm-northlight",
				Metadata: Metadata{Profile: "prf-curious-builders", ProfileStatus: ProfileAttached},
			},
		},
	}
	for i, name := range demoNames {
		candidate := Candidate{ID: fmt.Sprintf("cnd-%03d", i+1), Name: name}
		for a, attached := range position.Assessments {
			isInvited := (i+4*a)%17 != 16 // one in 17 is not invited; which one depends on the assessment
			if isInvited {
				candidate.Results = append(candidate.Results, demoResult(i, a, attached.Assessment))
			}
		}
		position.Candidates = append(position.Candidates, candidate)
	}
	return position
}

// demoResult returns the result of candidate number i in an assessment, which is the position's assessment number a.
// Both numbers begin with 0. Most results are completed. Which candidates have not completed an assessment depends on
// the assessment. In the ability test, some candidates are also invited to a supervised sitting.
func demoResult(i, a int, assessment string) Result {
	result := Result{Assessment: assessment}
	remote := demoInvitation(i, assessment, Remote, time.Date(2026, time.March, 2+i%20, 9, i%60, 0, 0, time.UTC))
	switch (3*i + 5*a) % 29 {
	case 3: // the candidate has not begun
	case 11:
		remote.Status = InProgress
	case 20:
		remote.Status, remote.Expiry = Expired, expiry(remote.Created)
	default:
		result.completeDemo(&remote, i)
	}
	result.Invitations = append(result.Invitations, remote)
	takesAgain := assessment == "asm-lumen" && i%6 == 1
	if takesAgain && result.completed() {
		result.addSupervisedDemo(i, remote.Created.AddDate(0, 0, 7))
	}
	return result
}

// addSupervisedDemo adds an invitation of candidate number i to a supervised sitting. About half of these sittings
// are completed.
func (r *Result) addSupervisedDemo(i int, sent time.Time) {
	supervised := demoInvitation(i, r.Assessment, Supervised, sent)
	supervised.ID += "-verified"
	if i%12 == 1 {
		r.completeDemo(&supervised, i)
	}
	r.Invitations = append(r.Invitations, supervised)
}

// demoInvitation returns an invitation of candidate number i, which is open until the end of 2039.
func demoInvitation(i int, assessment, sitting string, sent time.Time) Invitation {
	return Invitation{
		ID:   fmt.Sprintf("inv-%03d-%s", i+1, strings.TrimPrefix(assessment, "asm-")),
		Type: sitting, Status: Invited, Created: sent, Expiry: "2039-12-31",
	}
}

// completeDemo completes an invitation of candidate number i up to three days after it was sent, and scores the result.
func (r *Result) completeDemo(invitation *Invitation, i int) {
	completed := invitation.Created.Add(time.Duration(26+i%40) * time.Hour)
	invitation.Status, invitation.Completed = TestedWithResults, &completed
	invitation.Expiry = expiry(invitation.Created)
	r.score(demoResultTypes[r.Assessment], percentileOf(invitation.ID))
}

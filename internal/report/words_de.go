// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"time"
)

var germanMonths = [...]string{
	"Januar", "Februar", "März", "April", "Mai", "Juni",
	"Juli", "August", "September", "Oktober", "November", "Dezember",
}

var german = words{
	tag:       "de",
	decimal:   ",",
	thousands: ".",
	separator: ";",
	Colon:     ": ",
	Semicolon: "; ",
	shortDate: func(t time.Time) string { return t.Format("02.01.2006") },
	longDate: func(t time.Time) string {
		return fmt.Sprintf("%d. %s %d", t.Day(), germanMonths[t.Month()-1], t.Year())
	},

	title:     "Assessment-Ergebnisse",
	Results:   "Ergebnisse",
	nameless:  "Person ohne Namen",
	pseudonym: "Person %s",

	Position: "Stelle",
	date:     "Datum",
	source:   "Quelle",
	confidential: "Vertraulich: nur für die Personen, die über die Besetzung entscheiden. Bitte nicht " +
		"weiterleiten und nach der Entscheidung löschen.",
	invented: "Erfundene Personen: Dieser Bericht stammt aus dem eingebauten Übungsdienst und betrifft " +
		"keine echten Bewerbungen.",
	HowToRead:    "Lesehilfe",
	top:          "Nur die Top %s der Rangliste",
	cut:          "Nicht gezeigt: %s mit demselben Wert wie die letzte gezeigte Person",
	finishedOnly: "Nur Personen, die alles abgeschlossen haben",
	anonymous:    "Pseudonymisiert: Pseudonyme statt Namen, keine Links",
	page:         "Seite %s von %s",
	one:          "1 Person",
	many:         "%s Personen",
	NoCandidates: "Keine Personen.",

	Ranking:      "Rangliste",
	Rank:         "Rang",
	Candidate:    "Person",
	Suitability:  "Eignung",
	Progress:     "Abgeschlossen",
	Report:       "Bericht",
	NoScore:      "Kein Wert",
	of:           "%d von %d",
	different:    "Ohne Rang: Wert beruht auf anderen Assessments",
	unscored:     "Ohne Rang: kein Eignungswert",
	unfinished:   "Nicht fertig",
	differs:      "Andere Assessments",
	without:      "ohne %s",
	also:         "mit %s",
	waiting:      "Noch nicht fertig",
	lapsed:       "Einladung abgelaufen",
	notInvited:   "Noch nicht eingeladen",
	notInvitedTo: "Nicht eingeladen zu %s",
	caution:      "Die Rangliste vergleicht nur Werte, die auf genau diesen Assessments beruhen: %s.",
	reportOnly:   "Kein Prozentrang",
	Shading: "Die Zahlen sind Prozentränge. Eine kräftigere Tönung bedeutet einen höheren Prozentrang. – " +
		"bedeutet: nicht eingeladen. ⚠\ufe0e bedeutet: zweifelhaft.",
	Sideways:     "Scrollen Sie zur Seite, um alle Assessments zu sehen.",
	ByAssessment: "Ergebnisse nach Assessment",
	done:         "Fertig",
	benchmark:    "verglichen mit %s",
	Details:      "Personen im Einzelnen",
	Assessment:   "Assessment",
	Result:       "Ergebnis",
	Back:         "Zurück zur Rangliste",
	Percentile:   "Prozentrang",
	validity:     "Antwortprüfung: %s",
	invited:      "eingeladen am %s",
	until:        "gültig bis %s",
	Distribution: "Verteilung der Eignung",
	Lowest:       "Niedrigster",
	Median:       "Median",
	Highest:      "Höchster",
	counted:      "Personen nach Eignung: %s",

	Status:      "Stand",
	Long:        "Für einen kürzeren Bericht nutzen Sie die Aktion oder eine Funktion mit der Option top, etwa 50.",
	ahead:       "Vorn",
	only:        "Einzige Person mit Rang",
	Next:        "Danach",
	Gap:         "Abstand",
	tied:        "%s Personen mit demselben Wert",
	each:        "je %s",
	mayChange:   "Dieser Test muss noch unter Aufsicht wiederholt werden, daher kann sich das Ergebnis ändern",
	longest:     "längster Balken: höchster Wert",
	negative:    "links der Linie: unter null",
	Undescribed: "Die Benchmarks dieser Stelle konnten nicht gelesen werden und fehlen in diesem Bericht.",
	Notes:       "Vor der Entscheidung",
	doubted:     "%s davon zweifelhaft.",
	open:        "Nicht fertig: %s.",
	alone:       "Ein Rang genügt nicht.",
	NotRanked:   "Ohne Rang:",
	Meaning: "Der Dienst veröffentlicht keine Skala für die Eignung: 80 bedeutet nicht 80 Prozent. Kleine " +
		"Unterschiede können bedeutungslos sein. Nutzen Sie diesen Bericht zusammen mit Gesprächen, und lehnen Sie " +
		"niemanden allein wegen des Rangs ab.",
	positions: "Jede Stelle hat eine eigene Rangliste. Werte verschiedener Stellen sind nicht vergleichbar.",
	finished:  "%s von %s fertig",
	groups: [groupCount]string{
		"davon %s mit Rang", "%s fertig, mit einem Wert aus anderen Assessments",
		"%s fertig, ohne Wert, weil nicht zu jedem Assessment eingeladen", "%s noch nicht fertig",
		"%s mit abgelaufener Einladung", "%s noch nicht eingeladen", "%s ohne Wert",
	},

	ByPosition: "Ergebnisse nach Stelle",
	Candidates: "Personen",
	Finished:   "Abgeschlossen",
	AllResults: "Alle Ergebnisse als Tabelle (CSV)",
	NotRead:    "Stellen, die nicht gelesen werden konnten",
	empty:      "Stellen ohne Personen: %s",
	Reasons: [reasonCount]string{
		"Keine Stelle hat diesen Titel oder diese ID. Vielleicht wurde der Titel geändert.",
		"Der Dienst findet diese Stelle nicht. Vielleicht wurde sie geschlossen oder gelöscht.",
		"Der API-Schlüssel darf die Ergebnisse dieser Stelle nicht lesen.",
		"Der Dienst hat keine brauchbare Antwort gegeben.",
		"Nicht versucht, weil frühere Anfragen fehlgeschlagen sind.",
	},

	Legend: []term{
		{"Eignung", "Der Gesamtwert, den der Assessment-Dienst aus den Assessments einer Person berechnet. Er ist die " +
			"empfohlene Grundlage, um die Personen einer Stelle zu vergleichen. Balken beginnen bei null."},
		{"Rang", "Die Reihenfolge nach Eignung innerhalb einer Stelle. Gleiche Werte teilen sich einen Rang. In der " +
			"Regel bekommt nur einen Wert, wer alle Assessments der Stelle abgeschlossen hat."},
		{"Andere Assessments", "Eine Person mit einem Wert, aber ohne Rang hat andere Assessments abgeschlossen als die " +
			"Personen mit Rang, daher sind die Werte nicht vergleichbar. Das bedeutet weder besser noch schlechter."},
		{"Abgeschlossen", "Wie viele der Assessments abgeschlossen sind, zu denen diese Person eingeladen wurde. Andere " +
			"Personen können zu anderen Assessments eingeladen sein."},
		{"Prozentrang", "73 bedeutet: Das Ergebnis ist mindestens so gut wie das von 73 von 100 Personen der " +
			"Vergleichsgruppe (Benchmark)."},
		{"✓, Fertig, Offen, Abgelaufen, –", "✓: an diesem Tag abgeschlossen. Fertig: abgeschlossen, aber ohne " +
			"Prozentrang. Offen: noch nicht abgeschlossen. Abgelaufen: Die Einladung ist vor dem Abschluss abgelaufen. " +
			"–: zu diesem Assessment nicht eingeladen."},
		{"Antwortprüfung", "Bei manchen Assessments prüft der Dienst, ob die Antworten stimmig genug sind, um sich auf " +
			"sie zu verlassen. Sind sie es nicht, ist das Ergebnis zweifelhaft."},
		{"Unter Aufsicht", "Die Person wiederholt einen Test unter Aufsicht, um das Ergebnis zu bestätigen. Es kann sich " +
			"danach ändern."},
	},

	statuses: map[string]string{
		"INVITED": "Offen", "IN_PROGRESS": "Begonnen", testedWithResults: "Abgeschlossen", expired: "Abgelaufen",
	},
	sittings: map[string]string{"SUPERVISED": "Unter Aufsicht"},
	classifications: map[string]string{
		"FAR_ABOVE_AVERAGE": "Weit überdurchschnittlich",
		"ABOVE_AVERAGE":     "Überdurchschnittlich",
		"AVERAGE":           "Durchschnittlich",
		"BELOW_AVERAGE":     "Unterdurchschnittlich", "FAR_BELOW_AVERAGE": "Weit unterdurchschnittlich",
	},
	validities: map[string]string{
		"VALID":                  "bestanden",
		"INVALID":                "nicht bestanden",
		"INTERPRET_WITH_CAUTION": "mit Vorsicht zu bewerten",
	},
}

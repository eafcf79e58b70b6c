// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"time"
)

var frenchMonths = [...]string{
	"janvier", "février", "mars", "avril", "mai", "juin",
	"juillet", "août", "septembre", "octobre", "novembre", "décembre",
}

var french = words{
	tag:       "fr",
	decimal:   ",",
	separator: ";",
	shortDate: func(t time.Time) string { return t.Format("02/01/2006") },
	longDate: func(t time.Time) string {
		day := fmt.Sprint(t.Day())
		if t.Day() == 1 {
			day = "1er"
		}
		return fmt.Sprintf("%s %s %d", day, frenchMonths[t.Month()-1], t.Year())
	},

	title:     "Résultats des évaluations",
	results:   "Résultats",
	nameless:  "Candidat sans nom",
	pseudonym: "Personne %s",

	position:   "Poste",
	date:       "Date",
	source:     "Source",
	candidates: "Candidats",
	finished:   "Terminé",
	pending:    "En attente",
	expired:    "Invitation expirée",
	uninvited:  "Non invité",
	confidential: "Confidentiel : réservé aux personnes qui décident de ce poste. Ne pas transmettre ; à supprimer " +
		"après la décision.",
	howToRead:    "Comment lire ce rapport",
	top:          "Seulement les %d premiers du classement",
	cut:          "Candidats omis avec le même score que le dernier affiché : %d",
	finishedOnly: "Seulement les candidats qui ont tout terminé",
	anonymous:    "Anonyme : pseudonymes à la place des noms, aucun lien",
	page:         "Page %s sur %s",
	one:          "1 candidat",
	many:         "%d candidats",
	noCandidates: "Aucun candidat.",

	ranking:      "Classement",
	rank:         "Rang",
	candidate:    "Candidat",
	suitability:  "Adéquation",
	progress:     "Terminées",
	report:       "Rapport",
	noScore:      "Pas de score",
	of:           "%d sur %d",
	notRanked:    "Hors classement : score fondé sur d’autres évaluations",
	unscored:     "Pas encore de score d’adéquation",
	differs:      "Autres évaluations",
	without:      "sans %s",
	also:         "en plus %s",
	waiting:      "Résultats en attente",
	lapsed:       "Invitation expirée",
	notInvited:   "Pas encore invité",
	notInvitedTo: "Pas invité à %s",
	caution: "Les scores ne se comparent que sur les mêmes évaluations. Les candidats dont le score ne repose pas " +
		"exactement sur celles-ci sont signalés et hors classement : %s.",
	reportOnly:   "Pas de percentile",
	withRank:     "Classés",
	shading:      "Percentiles. Une teinte plus forte indique un percentile plus élevé, – signifie non invité.",
	byAssessment: "Résultats par évaluation",
	done:         "Fait",
	benchmark:    "comparé à %s",
	details:      "Les candidats en détail",
	assessment:   "Évaluation",
	result:       "Résultat",
	back:         "Retour au classement",
	percentile:   "Percentile",
	validity:     "Contrôle des réponses : %s",
	invited:      "invité le %s",
	until:        "ouvert jusqu’au %s",
	distribution: "Répartition de l’adéquation",
	lowest:       "Minimum",
	median:       "Médiane",
	highest:      "Maximum",
	counted:      "Candidats par adéquation : %s",

	legend: []term{
		{"Adéquation", "Le score global que le service calcule à partir des évaluations d’un candidat. C’est la base " +
			"recommandée pour comparer. Le service ne publie pas d’échelle : les barres se rapportent au score le plus élevé " +
			"du poste."},
		{"Rang", "L’ordre selon l’adéquation, pour un même poste. Des scores égaux partagent un rang. Un candidat n’a de " +
			"score qu’après avoir terminé toutes les évaluations."},
		{"Autres évaluations", "Le score repose sur d’autres évaluations que la plupart des scores. Il ne se compare pas à " +
			"eux et n’a pas de rang. Cela ne dit rien contre le candidat."},
		{"Terminées", "Combien d’évaluations sont terminées parmi celles auxquelles ce candidat a été invité. Tous ne sont " +
			"pas forcément invités aux mêmes."},
		{
			"Percentile",
			"Un percentile de 73 signifie : le résultat est au moins aussi bon que celui de 73 personnes sur 100 du groupe de " +
				"comparaison (benchmark).",
		},
		{"Fait, Ouvert, Expiré, –", "Terminée sans percentile ; pas encore terminée ; l’invitation a expiré sans être " +
			"utilisée ; pas invité à cette évaluation."},
		{"Contrôle des réponses", "Pour certaines évaluations, le service vérifie si les réponses sont assez cohérentes " +
			"pour s’y fier."},
		{"Surveillé", "Le candidat repasse un test sous surveillance pour confirmer le résultat, qui peut alors changer."},
	},

	statuses: map[string]string{
		"INVITED": "Ouvert", "IN_PROGRESS": "Commencé", testedWithResults: "Terminé", expired: "Expiré",
	},
	sittings: map[string]string{"SUPERVISED": "surveillé"},
	classifications: map[string]string{
		"FAR_ABOVE_AVERAGE": "Très au-dessus de la moyenne",
		"ABOVE_AVERAGE":     "Au-dessus de la moyenne",
		"AVERAGE":           "Dans la moyenne",
		"BELOW_AVERAGE":     "En dessous de la moyenne", "FAR_BELOW_AVERAGE": "Très en dessous de la moyenne",
	},
	validities: map[string]string{
		"VALID":                  "validé",
		"INVALID":                "non validé",
		"INTERPRET_WITH_CAUTION": "à interpréter avec prudence",
	},
}

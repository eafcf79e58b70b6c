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
	thousands: "\u202f",
	separator: ";",
	colon:     "\u00a0: ",
	semicolon: "\u00a0; ",
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
	nameless:  "Personne sans nom",
	pseudonym: "Personne %s",

	position: "Poste",
	date:     "Date",
	source:   "Source",
	confidential: "Confidentiel\u00a0: réservé aux personnes qui décident de ce poste. Ne pas transmettre\u00a0; à " +
		"supprimer après la décision.",
	howToRead:    "Comment lire ce rapport",
	top:          "Seulement les %s premiers rangs du classement",
	cut:          "Personnes omises avec le même score que la dernière affichée\u00a0: %s",
	finishedOnly: "Seulement les personnes qui ont tout terminé",
	anonymous:    "Anonyme\u00a0: pseudonymes à la place des noms, aucun lien",
	page:         "Page %s sur %s",
	one:          "1 personne",
	many:         "%s personnes",
	noCandidates: "Aucune personne.",

	ranking:      "Classement",
	rank:         "Rang",
	candidate:    "Personne",
	suitability:  "Adéquation",
	progress:     "Terminées",
	report:       "Rapport",
	noScore:      "Pas de score",
	of:           "%d sur %d",
	notRanked:    "Hors classement\u00a0: score fondé sur d’autres évaluations",
	unscored:     "Pas encore de score d’adéquation",
	differs:      "Autres évaluations",
	without:      "sans %s",
	also:         "en plus %s",
	waiting:      "Pas encore terminé",
	lapsed:       "Invitation expirée",
	notInvited:   "Aucune invitation pour l’instant",
	notInvitedTo: "Sans invitation à %s",
	caution: "Les scores ne se comparent que sur les mêmes évaluations. Les personnes dont le score ne repose " +
		"pas exactement sur les évaluations suivantes sont signalées et hors classement\u00a0: %s.",
	reportOnly: "Pas de percentile",
	shading: "Les nombres sont des percentiles. Une teinte plus forte indique un percentile plus élevé. – " +
		"signifie\u00a0: sans invitation. ⚠\ufe0e signifie\u00a0: douteux.",
	byAssessment: "Résultats par évaluation",
	done:         "Terminée",
	benchmark:    "comparé à %s",
	details:      "Les personnes en détail",
	assessment:   "Évaluation",
	result:       "Résultat",
	back:         "Retour au classement",
	percentile:   "Percentile",
	validity:     "Contrôle des réponses\u00a0: %s",
	invited:      "invitation du %s",
	until:        "jusqu’au %s",
	distribution: "Répartition de l’adéquation",
	lowest:       "Minimum",
	median:       "Médiane",
	highest:      "Maximum",
	counted:      "Personnes par adéquation\u00a0: %s",

	status:    "État",
	long:      "Pour un rapport plus court, définissez l’option top, par exemple à 50.",
	ahead:     "En tête",
	next:      "Ensuite",
	gap:       "Écart",
	tied:      "%s personnes avec le même score",
	inDoubt:   "%s des %s personnes classées ont un résultat douteux.",
	mayChange: "test surveillé encore ouvert, le score peut changer",
	relative:  "barre la plus longue\u00a0: score le plus élevé",
	smallDifferences: "De petites différences entre les scores peuvent ne rien signifier. Utilisez ce rapport avec des " +
		"entretiens, et n’écartez personne à cause de son seul rang.",
	finished: "Ont tout terminé\u00a0: %s sur %s",
	groups: [groupCount]string{
		"dont %s au classement", "%s avec un score fondé sur d’autres évaluations",
		"%s ayant tout terminé, mais sans invitation à chaque évaluation", "%s n’ayant pas encore terminé",
		"%s avec une invitation expirée", "%s sans invitation", "%s sans score",
	},

	legend: []term{
		{"Adéquation", "Le score global que le service calcule à partir des évaluations d’une personne. C’est la base " +
			"recommandée pour comparer. Le service ne publie pas d’échelle\u00a0: la barre la plus longue est le score " +
			"le plus élevé du classement. Les barres commencent à zéro."},
		{"Rang", "L’ordre selon l’adéquation, pour un même poste. Des scores égaux partagent un rang. En général, une " +
			"personne n’a de score qu’après avoir terminé toutes les évaluations du poste."},
		{"Autres évaluations", "Le score repose sur d’autres évaluations que la plupart des scores. Il ne se compare pas à " +
			"eux, donc cette personne n’a pas de rang. Cela ne dit rien de la personne."},
		{
			"Terminées",
			"Combien d’évaluations sont terminées parmi celles auxquelles cette personne a été invitée. Toutes ne " +
				"sont pas forcément invitées aux mêmes.",
		},
		{
			"Percentile",
			"Un percentile de 73 signifie\u00a0: le résultat est au moins aussi bon que celui de 73 personnes sur 100 " +
				"du groupe de comparaison (benchmark).",
		},
		{
			"Terminée, Ouverte, Expirée, –",
			"Terminée\u00a0: terminée, mais sans percentile. Ouverte\u00a0: pas encore terminée. " +
				"Expirée\u00a0: l’invitation a expiré avant la fin de l’évaluation. –\u00a0: sans invitation à cette évaluation.",
		},
		{"Contrôle des réponses", "Pour certaines évaluations, le service vérifie si les réponses sont assez cohérentes " +
			"pour s’y fier. Sinon, le résultat est douteux."},
		{"Surveillée", "La personne repasse un test sous surveillance pour confirmer le résultat, qui peut alors changer."},
	},

	statuses: map[string]string{
		"INVITED": "Ouverte", "IN_PROGRESS": "Commencée", testedWithResults: "Terminée", expired: "Expirée",
	},
	sittings: map[string]string{"SUPERVISED": "surveillée"},
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

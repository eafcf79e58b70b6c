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
	Colon:     "\u00a0: ",
	Semicolon: "\u00a0; ",
	shortDate: func(t time.Time) string { return t.Format("02/01/2006") },
	longDate: func(t time.Time) string {
		day := fmt.Sprint(t.Day())
		if t.Day() == 1 {
			day = "1er"
		}
		return fmt.Sprintf("%s %s %d", day, frenchMonths[t.Month()-1], t.Year())
	},

	title:     "Résultats des évaluations",
	Results:   "Résultats",
	nameless:  "Personne sans nom",
	pseudonym: "Personne %s",

	Position: "Poste",
	date:     "Date",
	source:   "Source",
	confidential: "Confidentiel\u00a0: réservé aux personnes qui prennent la décision de recrutement. Ne pas " +
		"transmettre, et supprimer après la décision.",
	invented: "Personnes inventées\u00a0: ce rapport vient du service intégré et ne concerne pas de vrais " +
		"candidats.",
	HowToRead:    "Aide à la lecture",
	top:          "Seulement le top %s du classement",
	cut:          "Personnes non affichées, avec le même score que la dernière affichée\u00a0: %s",
	finishedOnly: "Seulement les personnes qui ont tout terminé",
	anonymous:    "Pseudonymisé\u00a0: pseudonymes à la place des noms, aucun lien",
	page:         "Page %s sur %s",
	one:          "1 personne",
	many:         "%s personnes",
	NoCandidates: "Aucune personne.",

	Ranking:      "Classement",
	Rank:         "Rang",
	Candidate:    "Personne",
	Suitability:  "Adéquation",
	Progress:     "Terminées",
	Report:       "Rapport",
	NoScore:      "Pas de score",
	of:           "%d sur %d",
	different:    "Hors classement\u00a0: score fondé sur d’autres évaluations",
	unscored:     "Hors classement\u00a0: pas de score d’adéquation",
	unfinished:   "Pas terminé",
	differs:      "Autres évaluations",
	without:      "sans %s",
	also:         "avec %s",
	waiting:      "Pas encore terminé",
	lapsed:       "Invitation expirée",
	notInvited:   "Aucune invitation pour l’instant",
	notInvitedTo: "Sans invitation à %s",
	caution:      "Le classement compare uniquement les scores fondés sur exactement ces évaluations\u00a0: %s.",
	reportOnly:   "Pas de percentile",
	Shading: "Les nombres sont des percentiles. Une teinte plus forte indique un percentile plus élevé. – " +
		"signifie\u00a0: sans invitation. ⚠\ufe0e signifie\u00a0: douteux.",
	Sideways:     "Faites défiler le tableau pour voir toutes les évaluations.",
	ByAssessment: "Résultats par évaluation",
	done:         "Terminée",
	benchmark:    "par rapport à %s",
	Details:      "Détails par personne",
	Assessment:   "Évaluation",
	Result:       "Résultat",
	Back:         "Retour au classement",
	Percentile:   "Percentile",
	validity:     "Contrôle des réponses\u00a0: %s",
	invited:      "invitation du %s",
	until:        "expire le %s",
	Distribution: "Répartition de l’adéquation",
	Lowest:       "Minimum",
	Median:       "Médiane",
	Highest:      "Maximum",
	counted:      "Personnes par adéquation\u00a0: %s",

	Status:      "État",
	Long:        "Pour un rapport plus court, utilisez l’action ou une fonction avec l’option top, par exemple 50.",
	ahead:       "En tête",
	only:        "La seule personne classée",
	Next:        "Ensuite",
	Gap:         "Écart",
	tied:        "%s personnes avec le même score",
	each:        "%s ex æquo",
	mayChange:   "La personne doit encore repasser ce test sous surveillance, donc le résultat peut changer",
	longest:     "barre la plus longue\u00a0: score le plus élevé",
	negative:    "à gauche de la ligne\u00a0: moins de zéro",
	Undescribed: "Les benchmarks de ce poste n’ont pas pu être lus et manquent dans ce rapport.",
	Notes:       "Avant de décider",
	doubted:     "Parmi elles, résultat douteux\u00a0: %s.",
	open:        "Pas terminé\u00a0: %s.",
	alone:       "Un rang ne suffit pas.",
	NotRanked:   "Hors classement\u00a0:",
	Meaning: "Le service ne publie pas d’échelle d’adéquation\u00a0: 80 ne veut pas dire 80\u00a0%. De petites " +
		"différences peuvent ne rien signifier. Utilisez ce rapport en complément d’entretiens, et n’écartez " +
		"personne sur la seule base de son rang.",
	positions: "Chaque poste a son propre classement. Les scores de postes différents ne se comparent pas.",
	finished:  "Ont tout terminé\u00a0: %s sur %s",
	groups: [groupCount]string{
		"dont %s au classement", "%s ayant terminé, avec un score fondé sur d’autres évaluations",
		"%s ayant terminé, sans score, faute d’invitation à toutes les évaluations", "%s n’ayant pas encore terminé",
		"%s avec une invitation expirée", "%s sans invitation", "%s sans score",
	},

	ByPosition: "Résultats par poste",
	Candidates: "Personnes",
	Finished:   "Terminé",
	AllResults: "Tous les résultats dans un tableau (CSV)",
	NotRead:    "Postes qui n’ont pas pu être lus",
	empty:      "Postes sans personne\u00a0: %s",
	Reasons: [reasonCount]string{
		"Aucun poste n’a ce titre ou cet identifiant. Le titre a peut-être changé.",
		"Le service ne trouve pas ce poste. Il est peut-être fermé ou supprimé.",
		"La clé d’API ne peut pas lire les résultats de ce poste.",
		"Le service n’a pas donné de réponse utilisable.",
		"Pas essayé, car des requêtes précédentes avaient échoué.",
	},

	Legend: []term{
		{"Adéquation", "Le score global que le service calcule à partir des évaluations d’une personne. C’est la " +
			"base recommandée pour comparer les personnes d’un même poste. Les barres commencent à zéro."},
		{"Rang", "L’ordre selon l’adéquation, pour un même poste. Des scores égaux partagent un rang. En général, " +
			"une personne n’a de score qu’après avoir terminé toutes les évaluations du poste."},
		{"Autres évaluations", "Une personne avec un score, mais sans rang, a terminé d’autres évaluations que les " +
			"personnes classées, donc les scores ne se comparent pas. Cela ne veut dire ni mieux, ni moins bien."},
		{
			"Terminées",
			"Combien d’évaluations sont terminées parmi celles auxquelles cette personne a été invitée. D’autres " +
				"personnes peuvent être invitées à d’autres évaluations.",
		},
		{
			"Percentile",
			"73 signifie\u00a0: le résultat est au moins aussi bon que celui de 73 personnes sur 100 " +
				"du groupe de comparaison (benchmark).",
		},
		{
			"✓, Terminée, Ouverte, Expirée, –",
			"✓\u00a0: terminée à cette date. Terminée\u00a0: terminée, mais sans percentile. " +
				"Ouverte\u00a0: pas encore terminée. Expirée\u00a0: l’invitation a expiré avant la fin de l’évaluation. " +
				"–\u00a0: sans invitation à cette évaluation.",
		},
		{"Contrôle des réponses", "Pour certaines évaluations, le service vérifie si les réponses sont assez " +
			"cohérentes pour s’y fier. Sinon, le résultat est douteux."},
		{"Sous surveillance", "La personne repasse un test sous surveillance pour confirmer le résultat, qui peut " +
			"alors changer."},
	},

	statuses: map[string]string{
		"INVITED": "Ouverte", "IN_PROGRESS": "Commencée", testedWithResults: "Terminée", expired: "Expirée",
	},
	sittings: map[string]string{"SUPERVISED": "Sous surveillance"},
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

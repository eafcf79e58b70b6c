// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// CreationWords are the words of messages about the creation of an object. The owner of a position assessment is a
// position, and the thing that is attached is an assessment.
type CreationWords struct {
	Owner, AnOwner, Thing, Object string // such as "position", "a position", "assessment" and "position assessment"
	Create, Created               string // verbs, such as "attach" and "attached"
}

// Recovered warns that an object was created although the response was lost. what says which one.
func (w CreationWords) Recovered(what string, lost error) diag.Diagnostic {
	return Warning("Recovered after a lost response", fmt.Sprintf(
		"The provider sent a request and got no usable response. It then found exactly one new %s that matches the "+
			"request, and added it to the state. %s.\n\n%s\n\nUsually, you do not need to do anything. If a teammate "+
			"has %s the same %s at the same time, look at the service. If it has two, remove the one that no Terraform state "+
			"contains.", w.Object, what, run.Answer(lost), w.Created, w.Thing))
}

// Failure says why an object was not created, or that this is unknown. what says what the request should have done.
func (w CreationWords) Failure(what, owner string, err error) diag.Diagnostic {
	if unresolved, ok := errors.AsType[*catalog.UnresolvedError](err); ok {
		return w.unresolved(what, owner, unresolved)
	}
	return Failure("Could not "+w.Create+" the "+w.Thing, "Could not "+what+".", err)
}

// unresolved says that it is unknown whether an object was created.
func (w CreationWords) unresolved(what, owner string, e *catalog.UnresolvedError) diag.Diagnostic {
	lost := "the response was lost"
	if e.Lost.Accepted {
		lost = "the response has no ID of the new " + w.Object
	}
	id := strings.ToUpper(strings.ReplaceAll(w.Object, " ", "_")) + "_ID"
	return ErrorIn(UnknownCreation, "Unknown whether the "+w.Thing+" was "+w.Created, fmt.Sprintf(
		"The provider sent a request to %[1]s, but %[2]s. %[3]s\n\n%[4]s So it is unknown whether the %[5]s was %[6]s. The "+
			"provider did not send the request again, because that could %[7]s the %[5]s twice.\n\n"+
			"To fix this: look at the %[8]s in the service. If it does not have the %[5]s, apply again. If it has the "+
			"%[5]s, import it:\n\n%[9]s",
		what, lost, run.Answer(e.Lost), w.doubt(e), w.Thing, w.Created, w.Create, w.Owner, words.ImportBlock(owner, id)))
}

// doubt says why it is unknown what a lost response did.
func (w CreationWords) doubt(e *catalog.UnresolvedError) string {
	ids, list, of := strings.Join(e.IDs, ", "), fmt.Sprintf("list of the %s's %ss", w.Owner, w.Thing), ""
	if w.Object != w.Thing {
		of = " of this " + w.Thing
	}
	switch e.Doubt {
	case catalog.Interrupted:
		return "The run was interrupted while the request might still be in progress."
	case catalog.ListFailed:
		return fmt.Sprintf("The provider could not read the %s. %s", list, run.Answer(e.Err))
	case catalog.NotListed:
		return fmt.Sprintf("This service does not list the %ss of %s.", w.Thing, w.AnOwner)
	case catalog.NotShown:
		return fmt.Sprintf("The %s has %s \"%s\"%s, but the service does not show how it is configured.",
			w.Owner, w.Object, ids, of)
	case catalog.Several:
		return fmt.Sprintf("The %s has the %s more than once, as %s.", w.Owner, w.Thing, ids)
	default: // catalog.Vanished
		return fmt.Sprintf("The service confirmed the request, but its %s does not contain it.", list)
	}
}

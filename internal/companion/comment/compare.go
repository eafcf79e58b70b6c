// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// reviewedFile is the name of the file that describes the reviewed plan.
const reviewedFile = "reviewed.json"

// digests are the changes of a plan, with a digest for each change instead of its values.
//
// Anyone who has the file can guess a value and check the guess with the digest, so no digest includes sensitive
// values. All other values are in the comment of the plan, too.
type digests struct {
	Format  string   `json:"format"`
	Salt    []byte   `json:"salt"` // is different in each file, so that equal values have different digests
	Changes []digest `json:"changes"`
}

const digestsFormat = "assess-reviewed-1"

// digest is one change. If it is a replacement that begins with the removal, Rest is the digest of the creation, which
// remains to be done if an apply fails after the removal.
type digest struct {
	Address string   `json:"address"`
	Actions []string `json:"actions"`
	Digest  []byte   `json:"digest"`
	Rest    []byte   `json:"rest,omitempty"`
}

// reviewedOf returns the contents of the file reviewed.json.
func reviewedOf(p plan) []byte {
	salt := []byte(rand.Text())
	changes := digester{salt: salt}.changes(p)
	text, _ := json.MarshalIndent(digests{digestsFormat, salt, changes}, "", " ") // cannot fail for texts and bytes
	return append(text, '\n')
}

// digester makes digests of changes.
type digester struct {
	salt          []byte
	withSensitive bool // whether digests contain sensitive values
}

// change returns the digest of a change. contents are the values that the digest is computed from.
func (d digester) change(address string, actions []string, contents ...any) digest {
	hash := hmac.New(sha256.New, d.salt)
	_ = json.NewEncoder(hash).Encode(contents) // contents are JSON, and a hash has no errors
	return digest{Address: address, Actions: actions, Digest: hash.Sum(nil)}
}

// hide returns a copy of v in which "(sensitive)" replaces each sensitive part. If digests contain sensitive values, it
// returns v itself.
func (d digester) hide(v, marks any) any {
	if d.withSensitive {
		return v
	}
	return hideSensitive(v, marks, func(any) {})
}

// changes returns the digests of what a plan does to resources and outputs, and of the actions that it invokes, sorted
// by address. If digests contain no sensitive values, it leaves out sensitive outputs, because no value of theirs is
// left to compare.
func (d digester) changes(p plan) []digest {
	all := []digest{}
	for _, r := range p.ResourceChanges {
		all = append(all, d.resource(r)...)
	}
	for name, c := range p.OutputChanges {
		if isChange(c) && (d.withSensitive || c.AfterSensitive != true) {
			all = append(all, d.output(name, c))
		}
	}
	for _, a := range p.ActionInvocations {
		all = append(all, d.action(a))
	}
	slices.SortStableFunc(all, func(a, b digest) int { return strings.Compare(a.Address, b.Address) })
	return all
}

// action returns the digest of an action that a plan invokes. The address of the digest also contains what triggers the
// action.
func (d digester) action(a *tfjson.ActionInvocation) digest {
	address := a.Address
	if t := a.LifecycleActionTrigger; t != nil {
		address += " " + t.ActionTriggerEvent + " " + t.TriggeringResourceAddress
	}
	return d.change(address, []string{"invoke"}, d.hide(a.ConfigValues, a.ConfigSensitive), a.ConfigUnknown)
}

// resource returns a digest for each thing that a plan does to a resource: change, import and rename it. It returns nil
// for a data source. An apply that fails halfway can have imported and renamed a resource without changing it.
func (d digester) resource(r *tfjson.ResourceChange) (all []digest) {
	if r.Mode == tfjson.DataResourceMode {
		return nil
	}
	c, address := r.Change, r.Address
	if r.DeposedKey != "" { // a replacement that has failed leaves two objects at one address
		address += " (deposed " + r.DeposedKey + ")"
	}
	before, after := d.hide(c.Before, c.BeforeSensitive), d.hide(c.After, c.AfterSensitive)
	if isChange(c) {
		change := d.change(address, actionTexts(c.Actions), r.Type, before, after, c.AfterUnknown)
		if c.Actions.DestroyBeforeCreate() {
			change.Rest = d.change(address, nil, r.Type, nil, after, c.AfterUnknown).Digest
		}
		all = append(all, change)
	}
	if c.Importing != nil {
		all = append(all, d.change(address, []string{"import"}, r.Type, before, c.Importing))
	}
	if isRename(r) {
		all = append(all, d.change(address, []string{"rename"}, r.Type, r.PreviousAddress))
	}
	return all
}

// output returns the digest of an output's change. If a part of the value is unknown, the field Digest is nil, because
// a new plan after a half-finished apply may know more of the value.
func (d digester) output(name string, c *tfjson.Change) digest {
	change := d.change("output."+name, actionTexts(c.Actions), d.hide(c.After, c.AfterSensitive))
	if hasMark(c.AfterUnknown) {
		change.Digest = nil
	}
	return change
}

// hasMark reports whether marks, such as the field after_unknown of a plan, contain true.
func hasMark(marks any) (has bool) {
	hideSensitive(marks, marks, func(any) { has = true }) // each true marks itself
	return has
}

func actionTexts(actions tfjson.Actions) (all []string) {
	for _, a := range actions {
		all = append(all, string(a))
	}
	return all
}

// hideSensitive returns a copy of the JSON value v in which "(sensitive)" replaces each sensitive part. It calls found
// with each part that it replaces. The parameter sensitive has the same shape as v, and contains true in the place of
// each sensitive part. It may lack all other parts, and may be nil.
func hideSensitive(v, sensitive any, found func(part any)) any {
	if sensitive == true {
		found(v)
		return "(sensitive)"
	}
	switch v := v.(type) {
	case map[string]any:
		hidden := make(map[string]any, len(v))
		for name, part := range v {
			hidden[name] = hideSensitive(part, at(sensitive, name), found)
		}
		return hidden
	case []any:
		hidden := slices.Clone(v)
		marks, _ := sensitive.([]any)
		for i := range min(len(v), len(marks)) {
			hidden[i] = hideSensitive(v[i], marks[i], found)
		}
		return hidden
	}
	return v
}

// differences says which changes in now were not reviewed, or were reviewed with other actions or values. It ignores
// changes that only reviewed contains, because an earlier apply may have made them. The texts are not safe to print.
func differences(reviewed, now []digest) (found []string) {
	unmatched := map[string][]digest{} // reviewed changes, by subject
	for _, d := range reviewed {
		unmatched[d.subject()] = append(unmatched[d.subject()], d)
	}
	for _, d := range now {
		left := unmatched[d.subject()] // several only if a plan invokes one action several times
		i := slices.IndexFunc(left, d.equals)
		switch {
		case i >= 0:
			unmatched[d.subject()] = slices.Delete(left, i, i+1)
		case len(left) > 0:
			found = append(found, d.Address+": "+explain(left[0].Actions, d.Actions))
		default:
			found = append(found, d.Address+": "+explain(nil, d.Actions))
		}
	}
	return found
}

// subject returns what a change is about. An import and a rename have subjects of their own, because they come in
// addition to a change at the same address.
func (d digest) subject() string {
	if slices.Equal(d.Actions, []string{"import"}) || slices.Equal(d.Actions, []string{"rename"}) {
		return d.Address + " " + d.Actions[0]
	}
	return d.Address
}

// explain says how the actions of a change differ from the reviewed actions. reviewed is nil if nothing was reviewed.
func explain(reviewed, now []string) string {
	text := strings.Join(now, ", ")
	switch {
	case reviewed == nil:
		return text + " was not reviewed"
	case slices.Equal(reviewed, now):
		return text + " with values that were not reviewed"
	}
	return text + " instead of the reviewed " + strings.Join(reviewed, ", ")
}

// equals reports whether d is the same as a reviewed change at the same address, or is the creation that remains of a
// reviewed replacement. If one of the plans does not know the whole value of an output, only the actions count.
func (d digest) equals(reviewed digest) bool {
	if reviewed.Rest != nil && slices.Equal(d.Actions, []string{"create"}) {
		return bytes.Equal(d.Digest, reviewed.Rest)
	}
	isUnknownOutput := strings.HasPrefix(d.Address, "output.") && (d.Digest == nil || reviewed.Digest == nil)
	return slices.Equal(d.Actions, reviewed.Actions) && (isUnknownOutput || bytes.Equal(d.Digest, reviewed.Digest))
}

// Compare writes the [differences] of the plan in the file now from the reviewed plan, and returns whether there are
// none. A plan that failed is an error. Both files are outputs of "tofu show -json". The file reviewed can also be the
// reviewed.json of [Write]: Compare then ignores sensitive values. It always ignores data sources, drift, checks, and
// an output's value if one of the plans does not know all of it.
func Compare(reviewed, now string, out io.Writer) (same bool, err error) {
	contents, err := cmdutil.ReadText(now)
	if err != nil {
		return false, err
	}
	p, err := completePlan(now, contents)
	if err != nil {
		return false, err
	}
	found, err := compare(reviewed, p)
	if err != nil {
		return false, err
	}
	text := "The plan makes only changes that were reviewed.\n"
	if len(found) > 0 {
		text = "The plan differs from the reviewed one in " + countOfThings(len(found), "change") + ":\n"
	}
	for _, difference := range found {
		text += "  " + literal(difference) + "\n"
	}
	_, err = io.WriteString(out, text)
	return len(found) == 0, err
}

// compare returns the [differences] of a plan from the plan in the file reviewed, which can also be a reviewed.json. It
// returns an error if it cannot read the file, if the file is neither of the two, or if the reviewed plan failed.
func compare(reviewed string, now plan) ([]string, error) {
	text, err := cmdutil.ReadText(reviewed)
	if err != nil {
		return nil, err
	}
	var before digests
	if json.Unmarshal(text, &before) == nil && before.Format == digestsFormat {
		return differences(before.Changes, digester{salt: before.Salt}.changes(now)), nil
	}
	p, err := completePlan(reviewed, text)
	if err != nil {
		return nil, err
	}
	all := digester{withSensitive: true}
	return differences(all.changes(p), all.changes(now)), nil
}

// completePlan decodes the contents of a file. It returns an error with the path of the file if the contents are not a
// plan, or if the plan failed.
func completePlan(path string, contents []byte) (plan, error) {
	p, err := decodePlan(contents)
	if err == nil && p.errored {
		err = errors.New("the plan failed")
	}
	if err != nil {
		return plan{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

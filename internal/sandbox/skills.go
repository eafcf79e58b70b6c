// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/http"
	"net/url"
	"slices"
)

// listSkillsTests implements the operation of this name. Only an assessment of the kind [Skills] has skills tests.
func listSkillsTests(c *incomingCall, assessment *Assessment) (response, error) {
	query, err := c.listQuery("active")
	if err != nil {
		return response{}, err
	}
	active, err := activeFilter(query)
	if err != nil {
		return response{}, err
	}
	isOther := func(t SkillsTest) bool { return t.Active() != active }
	return list(c, query, slices.DeleteFunc(slices.Clone(assessment.SkillsTests), isOther), c.skillsTest)
}

// activeFilter returns the value of the query parameter "active". If the parameter is absent, it returns true, because
// a list then contains the enabled tests only. It rejects every value other than true and false.
func activeFilter(query url.Values) (bool, error) {
	switch active := query.Get("active"); {
	case !query.Has("active"), active == "true":
		return true, nil
	case active == "false":
		return false, nil
	default:
		return false, badRequest("INVALID_PARAMETER",
			"the query parameter \"active\" must be true or false, not %q", active)
	}
}

// skillsTest returns the whole resource of a skills test, with its link.
func (c *incomingCall) skillsTest(test SkillsTest) Object { return c.linked(slices.Clone(test.Object)) }

// updateSkillsTest implements enableSkillsTest, and responds with the test. The client sends the whole resource, in
// which only `active` may differ. The specification allows a change from false to true only, so the service rejects the
// other direction. A request that changes nothing is accepted.
func updateSkillsTest(c *incomingCall, assessment *Assessment) (response, error) {
	test := assessment.SkillsTest(c.ids["id"])
	if test == nil {
		return response{}, notFound("skills test", c.ids["id"])
	}
	sent, err := c.object()
	if err != nil {
		return response{}, err
	}
	if err := checkOnlyActiveDiffers(c.skillsTest(*test), sent); err != nil {
		return response{}, err
	}
	value, _ := sent.Get("active")
	switch {
	case describeJSON(value) != "a boolean":
		return response{}, badRequest("INVALID_BODY", "\"active\" must be a boolean, not %s", describeJSON(value))
	case test.Active() && string(value) == "false":
		return response{}, badRequest("NOT_CHANGEABLE",
			"the skills test %q is active. A client can enable a skills test, but cannot disable it", test.ID())
	}
	test.Set("active", value)
	return reply(http.StatusOK, c.skillsTest(*test)), nil
}

// checkOnlyActiveDiffers rejects a sent skills test that omits or adds a member, or that changes a member other than
// `active`. The spelling of a number is part of the value. The order of members is not checked. The parameter kept is
// the test as a response contains it, with its link.
func checkOnlyActiveDiffers(kept, sent Object) error {
	for _, member := range kept {
		value, ok := sent.Get(member.Name)
		switch {
		case !ok:
			return badRequest("INCOMPLETE_BODY",
				"the member %q is missing. The full skills test resource is required", member.Name)
		case member.Name != "active" && !sameJSON(member.Value, value):
			return badRequest("NOT_CHANGEABLE",
				"only \"active\" can be changed, but %q is %s and the request contains %s", member.Name, member.Value, value)
		}
	}
	for _, member := range sent {
		if _, ok := kept.Get(member.Name); !ok {
			return badRequest("NOT_CHANGEABLE",
				"only \"active\" can be changed, but the skills test has no member %q", member.Name)
		}
	}
	return nil
}

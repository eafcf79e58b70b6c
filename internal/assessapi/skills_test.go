// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// oddTest is a skills test with members that no struct can represent.
const oddTest = `{"timeToComplete":"40 minutes","unknown":{"z":[30.0,1e2,-0],"a":null},"numberOfQuestions":30.0,` +
	`"serial":12345678901234567890,"id":"skt-odd","title":"G\u00f6 & <co> é","active":false,"category":null,"description":""}`

func oddService(t *testing.T, text string) (*sandboxtest.Service, *Client) {
	t.Helper()
	service, c := newSandbox(t, sandboxtest.Options{})
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-workbench").SkillsTests = []sandbox.SkillsTest{sandboxtest.SkillsTest(t, text)}
	})
	return service, c
}

// TestEnableSkillsTest checks that the test is sent byte for byte as the service listed
// it, except for active and characters outside ASCII (assumptions A15 and A18).
func TestEnableSkillsTest(t *testing.T) {
	t.Parallel()
	service, c := oddService(t, oddTest)
	tests, err := c.SkillsTests("asm-workbench", false).All(t.Context())
	if err != nil || len(tests) != 1 {
		t.Fatalf("%d tests, error %v", len(tests), err)
	}
	listed := string(tests[0].listed)
	enabled, err := c.EnableSkillsTest(t.Context(), "asm-workbench", tests[0])
	if err != nil {
		t.Fatal(err)
	}
	if !*enabled.Active || *enabled.Name != "Gö & <co> é" || *enabled.Extra != *tests[0].Extra {
		t.Errorf("returned %s", marshal(enabled))
	}
	put := service.Writes()[0]
	want := string(asciiJSON([]byte(strings.Replace(listed, `"active":false`, `"active":true`, 1))))
	if put.Method != http.MethodPut || string(put.RequestBody) != want || !strings.Contains(want, `"z":[30.0,1e2,-0]`) {
		t.Errorf("%s sent\n%s\nwant\n%s", put.Method, put.RequestBody, want)
	}
	left, err := c.SkillsTests("asm-workbench", false).All(t.Context())
	if err != nil || len(left) != 0 {
		t.Errorf("%d tests are still not enabled, error %v", len(left), err)
	}
	// Enabling it again sends the same body.
	if _, err := c.EnableSkillsTest(t.Context(), "asm-workbench", enabled); err != nil {
		t.Error(err)
	}
	if again := service.Writes()[1]; string(again.RequestBody) != want {
		t.Errorf("sent again as\n%s", again.RequestBody)
	}
}

// TestEnableSkillsTestOutsideLatin1 checks a test with characters that the service
// lists but does not accept. The request is ASCII, and the error explains the refusal.
func TestEnableSkillsTestOutsideLatin1(t *testing.T) {
	t.Parallel()
	service, c := oddService(t, `{"id":"skt-odd","description":"costs 5 \u20ac","active":false}`)
	tests, err := c.SkillsTests("asm-workbench", false).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.EnableSkillsTest(t.Context(), "asm-workbench", tests[0])
	refused := as[*Error](t, err)
	const explanation = "(The service lists this test with the character U+20AC, which is outside Latin1. To enable the " +
		"test, this character must be sent back, and the service may refuse that.)"
	if refused.Status != http.StatusBadRequest || !strings.HasSuffix(refused.Message, explanation) {
		t.Errorf("%d %s", refused.Status, refused.Message)
	}
	if sent := string(service.Writes()[0].RequestBody); !strings.Contains(sent, `"costs 5 \u20ac"`) {
		t.Errorf("sent %s", sent)
	}
	// A refusal for another reason keeps the service's message.
	c = newClient(t, newStub(answers(http.StatusOK, "["+oddListed+"]"), answers(http.StatusBadRequest, "no")))
	if tests, err = c.SkillsTests("asm", true).All(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = c.EnableSkillsTest(t.Context(), "asm", tests[0])
	if refused := as[*Error](t, err); refused.Message != "no" {
		t.Errorf("the message is %q", refused.Message)
	}
}

// oddListed has white space and an order that no encoder produces.
const oddListed = "{ \"x\" : [ 1 ,\n 2 ] , \"id\":\"skt\" , \"active\"\t: false\n, \"n\" : 30.0 }"

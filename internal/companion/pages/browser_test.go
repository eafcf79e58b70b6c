// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// look checks the page at the widths of a phone and of a screen, in light and in dark
// colors.
func look(t *testing.T, b *browsertest.Browser, name string) {
	t.Helper()
	for _, width := range []int{360, 1100} {
		backgrounds := map[any]bool{}
		for _, scheme := range []string{"light", "dark"} {
			b.Resize(width, scheme)
			if wide := b.Value("document.documentElement.scrollWidth"); wide != float64(width) {
				t.Errorf("%s has the width %v on a screen of width %d", name, wide, width)
			}
			hidden := b.Value("[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).length")
			if hidden != 0.0 {
				t.Errorf("%s cuts off %v tables on a screen of width %d", name, hidden, width)
			}
			backgrounds[b.Value("getComputedStyle(document.body).backgroundColor")] = true
			b.Picture(fmt.Sprintf("%s-%d-%s", name, width, scheme))
		}
		if len(backgrounds) != 2 {
			t.Errorf("%s looks the same in light and dark: %v", name, backgrounds)
		}
	}
}

func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	server := serve(t)
	profile := attachTerrain(t, server)

	// The supervisor follows the link on the overview and completes the profile.
	b.Open(server.Origin + "/")
	b.Wait("Backend Engineer, London")
	look(t, b, "overview")
	linked := fmt.Sprintf("[...document.querySelectorAll('article td a')].some(a => a.href === %q)", profile)
	if b.Value(linked) != true {
		t.Errorf("the overview does not link to %s", profile)
	}
	b.Open(profile)
	b.Wait("Attached")
	look(t, b, "profile")
	b.Click("button")
	b.Wait("The profile is complete")
	look(t, b, "completed")
	b.Open(server.Origin + "/practice?done=rename-position")
	b.Wait("A colleague renamed the position.")
	look(t, b, "practice")
	b.Click("form[action='/practice/disable-test'] button")
	b.Wait("The vendor disabled the test.")
	get(t, server, london+"/pas-0001").Want(t, http.StatusOK, "SUPERVISOR_COMPLETED")

	// A candidate takes an assessment.
	page := resultsOf(t, get(t, server, graduates+"?candidate=cnd-002"))
	address := ""
	for _, result := range page.Candidates[0].Results {
		for _, invitation := range result.Invitations {
			if invitation.Status == sandbox.Invited {
				address = invitation.CandidateLoginURL
			}
		}
	}
	b.Open(address)
	b.Wait("Start the assessment")
	look(t, b, "sit")
	b.Click("button")
	b.Wait("Submit the answers")
	b.Click("button")
	b.Wait("Thank you")

	// Names are shown as text, whatever characters they contain.
	b.Open(server.Origin + "/report/" + sandbox.DemoResultsPosition)
	b.Wait("Robert <Bobby> Tables")
	b.Wait("陳大文")
	look(t, b, "report")
	if scripts := b.Value("document.scripts.length"); scripts != 0.0 {
		t.Errorf("%v scripts on a page", scripts)
	}
	b.Open(server.Origin + "/sit/none")
	b.Wait("There is no invitation")
	b.Open(server.Origin + "/reports")
	b.Wait("There is no page at this address")
	look(t, b, "problem")
	if address := b.Value("document.querySelector('main a').href"); address != server.Origin+"/" {
		t.Errorf("the page for an unknown address links to %v", address)
	}
}

// A page may know the credentials, which are public, and put them into an address. The
// browser stores them and sends them with later requests.
func TestABrowserCannotWriteForAnotherOrigin(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	server := serve(t)
	known := strings.Replace(server.URL, "//", "//"+sandbox.ClientID+":"+sandbox.APIKey+"@", 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<form action="%s/positions"><button>You have won</button></form>`, known)
	}))
	t.Cleanup(elsewhere.Close)
	b.Open(elsewhere.URL)
	b.Click("button")
	b.Wait("pos-backend-london") // the request succeeded, and the browser stores the credentials
	b.Open(elsewhere.URL)
	// A browser sends a body without a type without asking the service for permission.
	const post = `{method: "POST", mode: "no-cors", credentials: "include", body: new Blob([%q])}`
	b.Value(fmt.Sprintf("fetch(%q, "+post+").then(() => 0)", server.URL+london, body("asm-facet", "{}")))
	entries := server.Journal()
	if last := entries[len(entries)-1]; last.Method != http.MethodPost || last.Status != http.StatusForbidden {
		t.Errorf("the last request: %s, %d", last.Method, last.Status)
	}
	if n := len(server.State(t).Position("pos-backend-london").Assessments); n != 0 {
		t.Errorf("%d assessments were attached", n)
	}
}

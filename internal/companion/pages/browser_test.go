// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Each page fits a phone and a screen, is dark if people prefer that, and its form works.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	server := serve(t)
	for _, page := range []struct {
		address, says string
		form, done    string // "" if the page has no form
	}{
		{server.Origin + "/", "Backend Engineer, London", "", ""},
		{attachTerrain(t, server), "Attached", "form", "The profile is complete"},
		{
			server.Origin + "/practice?done=rename-position", "A colleague renamed the position.",
			"form[action='/practice/disable-test']", "The vendor disabled the test.",
		},
		{invited(t, server), "Start the assessment", "form", "Submit the answers"},
		{server.Origin + "/report/" + sandbox.DemoResultsPosition, "Robert <Bobby> Tables", "", ""},
	} {
		b.Open(page.address)
		b.Wait(page.says)
		for _, width := range []int{360, 1100} {
			backgrounds := map[any]bool{}
			for _, scheme := range []string{"light", "dark"} {
				b.Resize(width, scheme)
				backgrounds[b.Value("getComputedStyle(document.body).backgroundColor")] = true
			}
			if wide := b.Value("document.documentElement.scrollWidth"); wide != float64(width) || len(backgrounds) != 2 {
				t.Errorf("%s has the width %v on a screen of width %d, and the backgrounds %v", page.address, wide, width, backgrounds)
			}
		}
		if page.form != "" {
			b.Click(page.form + " button")
			b.Wait(page.done)
		}
	}
}

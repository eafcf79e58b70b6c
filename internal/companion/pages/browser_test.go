// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
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
		}
		if len(backgrounds) != 2 {
			t.Errorf("%s looks the same in light and dark: %v", name, backgrounds)
		}
	}
}

// Each page fits a phone and a screen, in light and dark colors, and its form works. Names are text, whatever characters
// they contain.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	server := serve(t)
	profile, invitation := attachTerrain(t, server), invited(t, server)
	for _, page := range []struct {
		name, address, says string
		form, done          string // "" if the page has no form
	}{
		{"overview", server.Origin + "/", "Backend Engineer, London", "", ""},
		{"profile", profile, "Attached", "form", "The profile is complete"},
		{
			"practice", server.Origin + "/practice?done=rename-position", "A colleague renamed the position.",
			"form[action='/practice/disable-test']", "The vendor disabled the test.",
		},
		{"sit", invitation, "Start the assessment", "form", "Submit the answers"},
		{"report", server.Origin + "/report/" + sandbox.DemoResultsPosition, "Robert <Bobby> Tables", "", ""},
		{"problem", server.Origin + "/reports", "There is no page at this address", "", ""},
	} {
		b.Open(page.address)
		b.Wait(page.says)
		look(t, b, page.name)
		if scripts := b.Value("document.scripts.length"); scripts != 0.0 {
			t.Errorf("%v scripts on the page %s", scripts, page.name)
		}
		if page.form != "" {
			b.Click(page.form + " button")
			b.Wait(page.done)
		}
	}
}

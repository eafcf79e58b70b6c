// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Large returns the state of an organization with 13 assessments, 5,000 skills tests,
// 4,000 of them enabled, and 2,000 positions.
func Large() *sandbox.State {
	st := sandbox.Demo()
	skills := st.Assessment("asm-workbench")
	for i := len(skills.SkillsTests); i < 5000; i++ {
		var test sandbox.Object
		test.Set("id", fmt.Sprintf("skt-%d", i))
		test.Set("title", fmt.Sprintf("Übung %d", i))
		test.Set("description", strings.Repeat("What a candidate is asked to do. ", 6))
		test.Set("category", "Software")
		test.Set("timeToComplete", "30 minutes")
		test.Set("numberOfQuestions", json.RawMessage("30.0"))
		test.Set("active", i%5 > 0)
		skills.SkillsTests = append(skills.SkillsTests, sandbox.SkillsTest{Object: test})
	}
	for i := len(st.Positions); i < 2000; i++ {
		st.Positions = append(st.Positions, sandbox.Position{
			ID: fmt.Sprintf("pos-%d", i), Title: fmt.Sprintf("Ingénieure %d", i), Locale: "fr-FR",
		})
	}
	return st
}

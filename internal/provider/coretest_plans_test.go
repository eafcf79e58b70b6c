// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// respell spells locales of benchmarks differently from those of positions.
func respell(r *http.Request, body []byte) []byte {
	if strings.HasSuffix(r.URL.Path, "/benchmarks") {
		return []byte(strings.ReplaceAll(string(body), "en-GB", "en_gb"))
	}
	return body
}

// withoutMetadata removes members of the metadata in responses.
func withoutMetadata(
	t *testing.T,
	applies func(*http.Request) bool,
	names ...string,
) func(*http.Request, []byte) []byte {
	var edit func(v any)
	edit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				edit(element)
			}
		case map[string]any:
			if metadata, ok := v["metadata"].(map[string]any); ok {
				for _, name := range names {
					delete(metadata, name)
				}
			}
		}
	}
	return func(r *http.Request, body []byte) []byte {
		if !applies(r) || !strings.Contains(r.URL.Path, "/positions/") || len(body) == 0 {
			return body
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		edit(v)
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}

func isRead(r *http.Request) bool  { return r.Method == http.MethodGet }
func isWrite(r *http.Request) bool { return r.Method != http.MethodGet }

// ignoring adds ignore_changes to a resource.
func ignoring(r coretest.Resource, names ...string) coretest.Resource {
	r.IgnoreChanges = names
	return r
}

// With ignore_changes, the core merges the prior block into the configuration, so that
// it has both ids and select.
func TestIgnoreChangesWithSelect(t *testing.T) {
	t.Parallel()
	for _, ignored := range []string{"packages", "all"} {
		t.Run(ignored, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				config := simulatedConfig(
					ignoring(
						positionAssessment("a", "pos-backend-london", "asm-quartet", "packages", coretest.Body{"select": "all"}),
						ignored,
					),
				)
				s.apply(config)
				s.change(func(st *sandbox.State) {
					a := st.Assessment("asm-quartet")
					a.Packages = append(a.Packages, sandbox.Package{ID: "pkg-new", Name: "New"})
				})
				s.stays(config)
			})
		})
	}
}

// Ignored packages of one assessment do not affect another assessment that replaces it.
func TestIgnoredPackagesOfAnotherAssessment(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(
			simulatedConfig(
				ignoring(
					positionAssessment("a", "pos-backend-london", "asm-quartet", "packages", coretest.Body{"select": "all"}),
					"packages",
				),
			),
		)
		other := simulatedConfig(ignoring(positionAssessment("a", "pos-backend-london", "asm-lumen"), "packages"))
		s.apply(other)
	})
}

// Values in responses to writes do not prove that reads show them.
func TestBlocksInWriteResponsesOnly(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.network.Edit = withoutMetadata(s.t, isRead, "packages", "benchmark", "tests")
		config := simulatedConfig(
			positionAssessment("a", "pos-backend-london", "asm-quartet", "packages", coretest.Body{"select": "all"}),
			positionAssessment(
				"b",
				"pos-support-leeds",
				"asm-lumen",
				"benchmark",
				coretest.Body{"id": "bmk-lumen-graduates-en-gb"},
			),
			positionAssessment("c", "pos-support-leeds", "asm-workbench", "tests", coretest.Body{"ids": []string{"skt-sql"}}),
		)
		s.apply(config)
		s.stays(config)
	})
}

// After the apply, the profile's status and address are known, although the response to
// the write did not contain them.
func TestProfileURLAfterApply(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.network.Edit = withoutMetadata(s.t, isWrite, "profileUrl", "profileStatus")
		check := func(config coretest.Config) {
			s.apply(config)
			for _, o := range s.core.State.Objects("assess_position_assessment") {
				if coretest.Text(o.Value, "profile_url") == "" || coretest.Text(o.Value, "profile_status") == "" {
					s.t.Errorf("unknown after the apply: %s", o.Value)
				}
			}
			s.stays(config)
		}
		check(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-northlight")))
		check(
			simulatedConfig(
				positionAssessment(
					"a",
					"pos-backend-london",
					"asm-northlight",
					"profile",
					coretest.Body{"id": "prf-customer-first"},
				),
			),
		)
		check(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-northlight")))
	})
}

// Null is not a valid ID.
func TestNullInIDs(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		r := s.core.Plan(
			s.t.Context(),
			simulatedConfig(
				positionAssessment("a", "pos-backend-london", "asm-quartet", "packages", coretest.Body{"ids": []any{nil}}),
			),
			s.options,
		)
		if r.Err() == nil || r.Diagnostics[0].Phase != "validate" {
			s.t.Errorf("validation does not refuse null: %v", r.Diagnostics)
		}
	})
}

// The core drops warnings of the second plan of a replacement. Notices about the run
// must also appear elsewhere.
func TestNoticesAreShown(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		benchmark := coretest.Body{"id": "bmk-lumen-graduates-en-gb"}
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen", "benchmark", benchmark)))
		s.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if strings.HasSuffix(r.URL.Path, "/benchmarks") {
				return coretest.NotFound
			}
			return coretest.Pass
		}
		r := s.succeeds(
			s.core.Plan(
				s.t.Context(),
				simulatedConfig(positionAssessment("a", "pos-support-leeds", "asm-lumen", "benchmark", benchmark)),
				s.options,
			),
		)
		for _, d := range r.Diagnostics {
			if d.Dropped && !r.Says(d.Summary) {
				s.t.Errorf("the CLI does not show: %s", d)
			}
		}
		if !r.Says("benchmarks") {
			s.t.Errorf("there is no notice about the list of benchmarks: %v", r.Diagnostics)
		}
	})
}

// If the old object of a replacement cannot be removed, it stays deposed, and the next
// apply removes it.
func TestDeposedObject(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := func(position string) coretest.Config {
			a := positionAssessment("a", position, "asm-lumen")
			a.CreateBeforeDestroy = true
			return simulatedConfig(a)
		}
		s.apply(config("pos-backend-london"))
		s.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if r.Method == http.MethodDelete {
				return coretest.KillBefore
			}
			return coretest.Pass
		}
		s.core.Profile.SavesEach = true
		if r := s.core.Apply(s.t.Context(), config("pos-support-leeds"), s.options); !r.Killed {
			s.t.Fatal("no request to remove was sent")
		}
		s.network.Decide = nil
		s.apply(config("pos-support-leeds"))
		s.stays(config("pos-support-leeds"))
		if left := s.attached(); slices.Contains(left, "pos-backend-london: asm-lumen") ||
			!slices.Contains(left, "pos-support-leeds: asm-lumen") {
			s.t.Errorf("attached: %q", left)
		}
	})
}

// replace_triggered_by replaces in place, in both orders.
func TestReplaceTriggeredBy(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{false, true} {
		t.Run(map[bool]string{false: "destroy first", true: "create first"}[first], func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				config := func(trigger string) coretest.Config {
					a := positionAssessment("a", "pos-backend-london", "asm-lumen")
					a.ReplaceTriggeredBy, a.CreateBeforeDestroy = []string{"terraform_data.trigger"}, first
					return simulatedConfig(unknownString("trigger", trigger), a)
				}
				s.apply(config("1"))
				s.apply(config("2"))
				s.stays(config("2"))
				s.noDuplicates()
			})
		})
	}
}

// Activations can be replaced in both orders.
func TestReplaceActivation(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := func(test string) coretest.Config {
			go1, sql := activation("one", test), activation("two", "skt-sql")
			go1.CreateBeforeDestroy = true
			return simulatedConfig(go1, sql)
		}
		s.apply(config("skt-go"))
		s.apply(config("skt-rust"))
		s.stays(config("skt-rust"))
		s.core.Taint(activationAddr + "two")
		s.apply(config("skt-rust"))
		s.stays(config("skt-rust"))
	})
}

// A moved block keeps an object, and a removed block drops it from the state.
func TestMovedAndRemoved(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		s.apply(simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-lumen")))
		moved := simulatedConfig(positionAssessment("b", "pos-backend-london", "asm-lumen"))
		moved.Moved = []coretest.Moved{{From: attachmentAddr + "a", To: attachmentAddr + "b"}}
		s.stays(moved)
		s.apply(moved)
		gone := simulatedConfig()
		gone.Removed = []string{attachmentAddr + "b"}
		s.apply(gone)
		if left := s.attached(); len(s.core.State.Addresses()) > 0 || !slices.Contains(left, "pos-backend-london: "+
			"asm-lumen") {
			s.t.Errorf("the state holds %q, the service %q", s.core.State.Addresses(), left)
		}
	})
}

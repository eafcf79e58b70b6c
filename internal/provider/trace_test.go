// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// secret is a value about a candidate, in every spelling that may be written.
type secret struct {
	what      string
	spellings [][]byte
}

func secretText(what string) secret {
	plain, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	var unescaped bytes.Buffer
	encoder := json.NewEncoder(&unescaped)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(what); err != nil {
		panic(err)
	}
	withoutEscapes := bytes.Trim(bytes.TrimSpace(unescaped.Bytes()), `"`)
	return secret{what, [][]byte{[]byte(what), bytes.Trim(plain, `"`), withoutEscapes}}
}

// secretNumber is a score, as text and in the encoding of plans.
func secretNumber(n float64) secret {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	return secret{text, [][]byte{[]byte(text), binary.BigEndian.AppendUint64(nil, math.Float64bits(n))}}
}

// secretsOf returns the secrets of the candidates of the demo position.
func secretsOf(t *testing.T, service *sandboxtest.Server) []secret {
	t.Helper()
	var secrets []secret
	for _, c := range outcomeOf(t, service, "").candidates {
		secrets = append(secrets, secretText(c.ID), secretText(c.Name), secretText(c.ReportURL))
		if c.Suitability != nil {
			secrets = append(secrets, secretNumber(*c.Suitability))
		}
		for _, r := range c.Results {
			secrets = append(secrets, secretText(r.ReportURL))
			if r.Percentile != nil {
				secrets = append(secrets, secretNumber(*r.Percentile))
			}
			for _, i := range r.Invitations {
				secrets = append(secrets, secretText(i.ID), secretText(i.LoginURL))
			}
		}
	}
	return secrets
}

// written returns everything that a run left in its directory, except for the configuration
// and the report, and the CLI's output for state and saved plan.
func (c *cli) written(plan string) []byte {
	c.t.Helper()
	var all bytes.Buffer
	for path, text := range texts(c.t, c.dir) {
		if filepath.Ext(path) != ".tf" && filepath.Base(path) != "report.out" {
			all.Write(text)
		}
	}
	all.WriteString(c.human("show", "-json", plan).ok().output)
	all.WriteString(c.human("show", "-json").ok().output)
	return all.Bytes()
}

// findSecrets returns the secrets that a text contains, and the others.
func findSecrets(in []byte, secrets []secret) (found, missing []string) {
	for _, s := range secrets {
		there := false
		for _, spelling := range s.spellings {
			there = there || bytes.Contains(in, spelling)
		}
		if there {
			found = append(found, s.what)
		} else {
			missing = append(missing, s.what)
		}
	}
	return found, missing
}

// The ephemeral resource and the action write results to the report, but not to a plan
// or a state. The data source writes to both, which shows that the search works.
func TestResultsAreNotInPlanOrState(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		terraform int // the required minor version (0 means any CLI)
		trace     bool
		report    bool
	}{
		"ephemeral": {report: true},
		"action":    {terraform: 14, report: true},
		"data":      {trace: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
			service.Change(t, func(st *sandbox.State) {
				position := st.Position(sandbox.DemoResultsPosition)
				position.Candidates = position.Candidates[:12]
				for i := range position.Candidates { // scores that occur nowhere else
					for j := range position.Candidates[i].Results {
						if p := position.Candidates[i].Results[j].Percentile; p != nil {
							*p = 40.0625 + float64(i)/3 + float64(j)/7
						}
					}
				}
			})
			secrets := secretsOf(t, service)
			c := unthrottled(t, service, name)
			if row.terraform > 0 {
				c.needsTerraform(row.terraform)
			}
			c.plan("-out=saved.plan").ok()
			c.do("apply", "-input=false", "saved.plan").ok()
			c.apply().ok() // creates a backup of the state

			found, missing := findSecrets(c.written("saved.plan"), secrets)
			if row.trace && len(missing) > 0 {
				t.Errorf("the search does not find %q", missing)
			}
			if !row.trace && len(found) > 0 {
				t.Errorf("plan and state contain %q", found)
			}
			if row.report {
				report, err := os.ReadFile(filepath.Join(c.dir, "report.out"))
				if err != nil {
					t.Fatal(err)
				}
				if found, _ := findSecrets(report, secrets); len(found) < len(secrets)/2 {
					t.Errorf("the report contains %d of %d secrets", len(found), len(secrets))
				}
			}
		})
	}
}

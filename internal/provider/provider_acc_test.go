// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const (
	facetConfig = `
resource "assess_position_assessment" "facet" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-facet"
}
`
	assessmentsConfig = `
data "assess_assessments" "all" {}
`
)

// A provider block with these settings is an error that says so. Nothing is sent.
func TestAccProvider_invalid(t *testing.T) {
	t.Parallel()
	const (
		account = `
			client_id = "demo-client"
			api_key   = "secret-needle"`
		complete = account + `
			base_url  = "https://assess.invalid/v1"`
	)
	steps := []resource.TestStep{}
	for _, row := range []struct {
		settings string
		says     []string
	}{
		{account, []string{"base_url", "ASSESS_BASE_URL"}},
		{`base_url = "https://assess.invalid/v1"`, []string{"client_id", "ASSESS_CLIENT_ID"}},
		{`base_url = "https://assess.invalid/v1"`, []string{"api_key", "ASSESS_API_KEY"}},
		{account + "\n" + `base_url = "http://assess.invalid/v1"`, []string{"base_url", "https"}},
		{account + "\n" + `base_url = "htps://assess.invalid/v1"`, []string{"htps", "base_url"}},
		{account + "\n" + `base_url = "https://assess.invalid/v1#a"`, []string{"base_url"}},
		{complete + "\n" + `request_timeout = "soon"`, []string{"request_timeout", "soon"}},
		{complete + "\n" + `request_timeout = "91s"`, []string{"request_timeout", "90s"}},
		{complete + "\n" + `privacy = "strikt"`, []string{"privacy", "strikt", "strict"}},
		{complete + "\n" + `rate_limit { share = 1.5 }`, []string{"share", "1.5"}},
		{complete + "\n" + `rate_limit { coordination = "planet" }`, []string{"coordination", "host", "none"}},
		{complete + "\n" + `headers = { Authorization = "needle" }`, []string{"headers", "Authorization"}},
		{complete + "\n" + `sandbox {}`, []string{"sandbox", "client_id"}},
	} {
		steps = append(steps, resource.TestStep{
			Config:   "provider \"assess\" {\n" + row.settings + "\n}\n" + assessmentsConfig,
			PlanOnly: true, ExpectError: acctest.Error(row.says...),
		})
	}
	acctest.Test(t, resource.TestCase{Steps: steps})
}

// Attributes come before variables, and variables are enough. The service learns which CLI sends a request.
func TestAccProvider_environment(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories(map[string]string{
			"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		}),
		Steps: []resource.TestStep{
			{Config: `provider "assess" {}` + assessmentsConfig, Check: func(*terraform.State) error {
				agent := service.Journal()[0].Header.Get("User-Agent")
				if !regexp.MustCompile(`^terraform-provider-assess/\S+ Terraform/\d+\.\d+\.\d+`).MatchString(agent) {
					return fmt.Errorf("the User-Agent is %q", agent)
				}
				return nil
			}},
			{Config: `provider "assess" { api_key = "wrong" }` + assessmentsConfig, ExpectError: acctest.Error("401")},
		},
	})
}

// A variable has the effect of its attribute. For read_only and privacy, either one is enough.
func TestAccProvider_switchVariables(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	const (
		results = `data "assess_position_results" "all" { position_id = "pos-graduates-2026" }`
		quartet = `
resource "assess_position_assessment" "quartet" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
}`
	)
	for _, row := range []struct {
		variable, value, settings, config string
		says                              []string
	}{
		{"ASSESS_READ_ONLY", "true", "read_only = false", facetConfig, []string{"ASSESS_READ_ONLY"}},
		{"ASSESS_READ_ONLY", "yes", "", facetConfig, []string{"ASSESS_READ_ONLY", "yes", "true", "false"}},
		{"ASSESS_PRIVACY", "strict", `privacy = "standard"`, results, []string{"assess_results_report"}},
		{"ASSESS_PLAN_CHECKS", "false", "", quartet, []string{"400 Bad Request", "mandatory packages"}}, // from the service
	} {
		acctest.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories(map[string]string{row.variable: row.value}),
			Steps: []resource.TestStep{
				{Config: service.Provider(row.settings) + row.config, ExpectError: acctest.Error(row.says...)},
			},
		})
	}
}

func TestAccProvider_readOnly(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	readOnly := service.Provider("read_only = true")
	updated := strings.Replace(facetConfig, "}", `on_refused_removal = "forget"`+"\n}", 1)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: service.CheckRemoved,
		Steps: []resource.TestStep{
			{Config: readOnly + facetConfig, ExpectError: acctest.Error("read_only")},
			service.Then(service.CheckWrites()),
			{Config: service.Config(facetConfig)},
			{Config: readOnly + facetConfig, PlanOnly: true},
			{Config: readOnly, ExpectError: acctest.Error("read_only")},              // it would remove the assessment
			{Config: readOnly + updated, Check: service.CheckWrites(acctest.Attach)}, // it changes only the state
			{Config: service.Config(updated), PlanOnly: true},                        // lets the test remove it
		},
	})
}

// If a setting is unknown at plan, Read keeps the state, and an apply that knows it works.
func TestAccProvider_unknown(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t)
	config := func(replace int, rest string) string {
		return fmt.Sprintf(`
			resource "terraform_data" "address" {
			  input            = %q
			  triggers_replace = %d
			}
			provider "assess" {
			  base_url  = terraform_data.address.output
			  client_id = "demo-client"
			  api_key   = "demo-key-not-a-secret"
			}`, service.URL, replace) + rest
	}
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.OpenTofu112,
		CheckDestroy:           service.CheckRemoved,
		Steps: []resource.TestStep{
			{
				Config:           config(1, facetConfig),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionCreate, "assess_position_assessment.facet"),
				Check:            service.CheckWrites(acctest.Attach),
			},
			{
				PreConfig:        service.ResetJournal,
				Config:           config(2, facetConfig),
				ConfigPlanChecks: acctest.Plans(plancheck.ResourceActionNoop, "assess_position_assessment.facet"),
				Check:            service.CheckWrites(),
			},
			{Config: config(3, facetConfig+assessmentsConfig), ExpectError: acctest.Error("assess_assessments", "base_url")},
		},
	})
}

// The sandbox block needs no other setting, and ignores the environment. Plan and apply share its file.
func TestAccProvider_sandbox(t *testing.T) {
	t.Parallel()
	acctest.PreCheck(t)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "sandbox.json"))
	acctest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories(map[string]string{
			"ASSESS_BASE_URL": "https://assess.invalid/v1", "ASSESS_CLIENT_ID": "nobody", "ASSESS_API_KEY": "nothing",
		}),
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
				provider "assess" {
				  sandbox {
				    state_file = %q
				    limits     = false
				  }
				}`, file) + facetConfig,
			Check: func(*terraform.State) error {
				stored, err := sandbox.New(sandbox.Options{StateFile: filepath.FromSlash(file)})
				if err != nil {
					return err
				}
				return stored.View(func(st *sandbox.State) {
					if n := len(st.Position("pos-backend-london").Assessments); n != 1 {
						t.Errorf("the file has %d position assessments, want 1", n)
					}
				})
			},
		}},
	})
}

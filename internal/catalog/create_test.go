// SPDX-License-Identifier: MPL-2.0

package catalog_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Each of several equal creations at the same time returns an object of its own, even if a request or its response is
// lost.
func TestEqualCreations(t *testing.T) {
	t.Parallel()
	for _, when := range []sandboxtest.Moment{sandboxtest.BeforeEffect, sandboxtest.AfterEffect} {
		for lost := range 3 {
			sandboxtest.Virtual(t, fmt.Sprintf("request %d is lost %s", lost+1, when), func(t *testing.T) {
				service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
				service.Inject(sandboxtest.Fault{
					Method: http.MethodPost, Route: sandbox.RoutePositionAssessments, Skip: lost, When: when, Reset: true,
				})
				base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
				if err != nil {
					t.Fatal(err)
				}
				const timeout = 10 * time.Second
				client := assessapi.New(assessapi.Config{
					BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, RequestTimeout: timeout,
					RetryTimeout: time.Minute, Transport: &assessapi.Attempt{Next: service, Timeout: timeout},
				})
				objects := catalog.New(client, func(string, error) {}).PositionAssessments
				var ids [3]string
				var creations errgroup.Group
				for i := range ids {
					creations.Go(func() error {
						created, _, err := objects.Create(t.Context(), time.Minute, "pos-backend-london",
							assessapi.PositionAssessment{AssessmentID: "asm-facet"}, nil)
						ids[i] = created.ID
						return err
					})
				}
				err = creations.Wait()
				has := map[string]bool{}
				for _, attached := range service.State(t).Position("pos-backend-london").Assessments {
					has[attached.ID] = true
				}
				got := map[string]bool{ids[0]: true, ids[1]: true, ids[2]: true}
				if err != nil || len(got) != len(ids) || !maps.Equal(got, has) {
					t.Errorf("created %q, %v, the service has %v", ids, err, has)
				}
			})
		}
	}
}

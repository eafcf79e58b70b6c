// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// benchmarked sends one request b.N times.
func benchmarked(b *testing.B, transport http.RoundTripper, method, path, body string, want int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		request, err := http.NewRequestWithContext(b.Context(), method, sandbox.BaseURL+path, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		response, err := transport.RoundTrip(request)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != want {
			b.Fatalf("status %d, error %v", response.StatusCode, err)
		}
		_ = response.Body.Close()
	}
}

func benchmarkedService(b *testing.B) *sandboxtest.Service {
	b.Helper()
	return sandboxtest.NewService(b, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
}

func BenchmarkListPositionAssessments(b *testing.B) {
	const path = "/positions/" + sandbox.DemoResultsPosition + "/assessments?fields=organizationAssessment,metadata"
	service := benchmarkedService(b)
	b.Run("service", func(b *testing.B) {
		benchmarked(b, service.Service, http.MethodGet, path, "", http.StatusOK)
	})
	b.Run("sandboxtest", func(b *testing.B) {
		benchmarked(b, service, http.MethodGet, path, "", http.StatusOK)
		service.ResetJournal()
	})
	b.Run("mute", func(b *testing.B) {
		service.Assume(sandboxtest.Mute)
		benchmarked(b, service, http.MethodGet, path, "", http.StatusOK)
		service.ResetJournal()
	})
}

func BenchmarkAddPositionAssessment(b *testing.B) {
	service := benchmarkedService(b)
	const added = `{"organizationAssessment":"asm-lumen","metadata":{"benchmark":"bmk-lumen-managers-en-gb"}}`
	b.Run("service", func(b *testing.B) {
		benchmarked(b, service.Service, http.MethodPost, london, added, http.StatusCreated)
	})
	b.Run("sandboxtest", func(b *testing.B) {
		benchmarked(b, service, http.MethodPost, london, added, http.StatusCreated)
		service.ResetJournal()
	})
}

func BenchmarkState(b *testing.B) {
	service := benchmarkedService(b)
	b.Run("New", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := sandbox.New(sandbox.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("View", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			service.State(b)
		}
	})
	b.Run("Update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			service.Change(b, func(st *sandbox.State) { st.LastID++ })
		}
	})
}

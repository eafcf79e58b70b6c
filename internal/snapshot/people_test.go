// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

// recorder keeps the bodies of all responses.
type recorder struct {
	next http.RoundTripper
	mu   sync.Mutex
	all  bytes.Buffer
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(body)
	return response, err
}

func TestFileHasNoPersonalDataAndNoKey(t *testing.T) {
	t.Parallel()
	for _, assumptions := range []sandboxtest.Assumptions{
		{},
		{PackageMark: "word"},
		{PackageMark: "none", PackageMarkUnasked: true},
		{Collections: "object"},
		{RefuseFields: "whole"},
	} {
		sandboxtest.Virtual(t, assumptions.String(), func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{NoLimits: true}, Assumptions: assumptions,
			})
			listed := 0
			service.Change(t, func(st *sandbox.State) {
				if _, err := st.Attach("pos-backend-london", "asm-northlight", sandbox.Metadata{}); err != nil {
					t.Error(err)
				}
				listed = sandboxtest.MarkPeople(st)
			})
			recorded := &recorder{next: service}
			run := take(t.Context(), t, service, func(o *snapshot.Options) { o.Transport = recorded })
			if run.err != nil {
				t.Fatal(run.err)
			}
			file, err := os.ReadFile(run.file)
			if err != nil {
				t.Fatal(err)
			}
			answers := recorded.all.String()
			for n := range listed {
				if !strings.Contains(answers, fmt.Sprintf(`"needle %d."`, n+1)) {
					t.Errorf("no response contains needle %d, so the test proves nothing", n+1)
				}
			}
			if strings.Contains(answers, "hidden needle") {
				t.Error("the snapshot requested personal data")
			}
			output := string(file) + run.out.String() + run.progress.String()
			for _, forbidden := range []string{
				"needle", sandbox.APIKey, sandbox.ClientID,
				base64.StdEncoding.EncodeToString([]byte(sandbox.ClientID + ":" + sandbox.APIKey)),
				"candidates", "results", "invitations", "profileUrl", "_links", `"extra"`,
			} {
				if strings.Contains(output, forbidden) {
					t.Errorf("the output contains %q", forbidden)
				}
			}
		})
	}
}

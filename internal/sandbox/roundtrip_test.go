// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestRoundTripAnswersOnlyForItsOwnAddress(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{})
	for _, address := range []string{"https://elsewhere.invalid/v1/positions", "http://sandbox.assess.invalid/v1/positions"} {
		response, err := service.RoundTrip(sandboxtest.NewRequest(t, http.MethodGet, address, ""))
		if err == nil {
			_ = response.Body.Close()
			t.Errorf("%s was answered", address)
		}
	}
	askMemory(t, service, http.MethodGet, "/../v2", "").Want(t, http.StatusNotFound)
}

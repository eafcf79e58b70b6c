// SPDX-License-Identifier: MPL-2.0

package main

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// network is the embedded service behind round trips. The service allows 20 requests per second and
// 500 per minute, in sliding windows. Requests that it refuses do not count.
type network struct {
	service *sandboxtest.Service
	trip    time.Duration
	jitter  float64

	mu      sync.Mutex
	random  *rand.Rand
	refused int
}

func newNetwork(t *testing.T, s scenario) *network {
	service := sandboxtest.NewService(t, sandboxtest.Options{})
	return &network{service: service, trip: s.trip, jitter: s.jitter, random: rand.New(rand.NewPCG(1, 2))}
}

func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	n.mu.Lock()
	trip := time.Duration(float64(n.trip) * (1 + n.jitter*(2*n.random.Float64()-1)))
	n.mu.Unlock()
	time.Sleep(trip / 2)
	response, err := n.service.RoundTrip(request)
	time.Sleep(trip / 2)
	if err == nil && response.StatusCode == http.StatusTooManyRequests {
		n.mu.Lock()
		n.refused++
		n.mu.Unlock()
	}
	return response, err
}

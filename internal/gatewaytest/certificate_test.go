// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"
)

// certificate returns a self-signed certificate for this machine, and its key: those of package httptest.
func certificate(t *testing.T) (certificate, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	own := server.TLS.Certificates[0]
	encoded, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

func TestURL(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"redis://example.com":                          "redis://example.com:6379/0",
		"rediss://:secret@example.com:6380/2":          "rediss://example.com:6380/2",
		"redis://user:p%40ss@[::1]":                    "redis://[::1]:6379/0",
		"https://example.com":                          "",
		"redis://secret@example.com":                   "", // a password without its colon
		"redis://:secret@example.com:99999":            "",
		"redis://:secret@example.com/-1":               "",
		"redis://:secret@example.com?timeout=1":        "",
		"redis://:secret@":                             "",
		"redis://:secret%zz@example.com":               "",
		"redis://user:secret@sentinel.example.com:abc": "",
	} {
		got, err := parseURL(value)
		if (err == nil) != (want != "") || (Check(value) == nil) != (err == nil) || err == nil && got.String() != want || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %s, error %v, want %q", value, got, err, want)
		}
	}
	if a, err := parseURL("redis://:%5Ep%25%2F@example.com"); err != nil || a.password != "^p%/" {
		t.Errorf("the password is %q, error %v", a.password, err)
	}
}

// answering returns the URL of a server that sends this text after the first line.
func answering(t *testing.T, text string) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return "redis://" + serve(t, listener, text)
}

// serve sends this text to each client after its first line. It returns the server's address.
func serve(t *testing.T, listener net.Listener, text string) string {
	t.Helper()
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
					_, _ = io.WriteString(conn, text)
					_, _ = io.Copy(io.Discard, conn)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// A server that does not reply in time, or not as the script does, cannot be used. A reply that announces more than it
// may is an error at once, wherever that is in it, and the client reserves nothing for it.
func TestUnusableReplies(t *testing.T) {
	t.Parallel()
	for reply, says := range map[string]string{
		"":                                "(repeated for 0s)",
		"*0\r\n":                          "the reply is empty",
		"*1\r\n:5\r\n":                    "unexpected reply [5]",
		"$1000000000000\r\n":              "the reply is too long",
		"*1\r\n$1000000000000\r\n":        "the reply is too long",
		"*2\r\n:1\r\n*500000000\r\n":      "the reply is too long",
		strings.Repeat("*1000\r\n", 1000): "the reply is too long",
		"+" + strings.Repeat("x", 2<<20):  "the reply is too long",
	} {
		s, err := open(Config{URL: answering(t, reply), Key: "key"})
		if err != nil {
			t.Fatal(err)
		}
		if reply == "" {
			s.patience = 10 * time.Millisecond // of real time
		}
		_, err = s.Acquire(throttle.Ask{})
		if !errors.As(err, new(*throttle.UnavailableError)) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.30q: %v, want %q", reply, err, says)
		}
	}
}

// What is wrong with a password or a right is not repeated.
func TestFinalErrors(t *testing.T) {
	t.Parallel()
	for text, final := range map[string]bool{
		"WRONGPASS invalid username-password pair":                                            true,
		"NOPERM this user has no permissions to run the 'evalsha' command":                    true,
		"ERR ACL failure in script: User has no permissions to run the 'zadd' command":        true,
		"ERR user_script:12: attempt to compare nil with number script: abc, on @user_script": true,
		"MOVED 1 127.0.0.1:2": true,
		"READONLY You can't write against a read only replica.":   false,
		"OOM command not allowed when used memory > 'maxmemory'.": false,
		"ERR max number of clients reached":                       false,
	} {
		if got := isFinal(fmt.Errorf("asking: %w", redigo.Error(text))); got != final {
			t.Errorf("%s: final %t", text, got)
		}
	}
}

// No error contains the password, or a long part of it.
func TestPasswordIsHidden(t *testing.T) {
	t.Parallel()
	a := address{password: "a-long-password"}
	for text, shown := range map[string]bool{
		"ERR unknown command `AUTH`, with args beginning with: `a-long-password`": false,
		"ERR near ong-pass":   false,
		"ERR near ong-pas":    true,
		"connection refused":  true,
		"ERR -password wrong": false,
		"lookup a-long-password.example.com: no such host": false, // no server has answered
	} {
		want := text
		if !shown {
			want = "the error is not shown, because it contains a part of the password"
		}
		if err := a.hide(errors.New(text)); err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A server that cannot be reached ends the run after RetryFor. Later questions are not repeated.
func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := open(Config{URL: "redis://:secret-password@127.0.0.1:1", Key: "key", RetryFor: 5 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		attempts := 0
		s.around = func(func() ([]int64, error)) ([]int64, error) {
			attempts++
			time.Sleep(time.Second)
			return nil, errors.New("connection refused")
		}
		start := time.Now()
		_, err = s.Acquire(throttle.Ask{})
		took := time.Since(start)
		unavailable, _ := errors.AsType[*throttle.UnavailableError](err)
		if unavailable == nil || took < 5*time.Minute || took > 5*time.Minute+2*time.Second || attempts < 150 ||
			!strings.Contains(err.Error(), "redis://127.0.0.1:1/0: connection refused (repeated for 5m") {
			t.Errorf("after %v and %d attempts: %v", took, attempts, err)
		}
		attempts = 0
		if err := s.Release(nil, "token", 0); !errors.As(err, &unavailable) || attempts != 1 {
			t.Errorf("later, after %d attempts: %v", attempts, err)
		}
	})
}

// A server with a certificate for another name, or of an unknown authority, or without TLS, gets no password. With a
// certificate that is trusted, a server works as without TLS.
func TestTLS(t *testing.T) {
	t.Parallel()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", certified.TLS)
	if err != nil {
		t.Fatal(err)
	}
	at := serve(t, listener, "*1\r\n:5\r\n")
	plain := answering(t, "-ERR this is not TLS\r\n")
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	withPassword := func(url string) string { return strings.Replace(url, "://", "://:secret-password@", 1) }
	for says, row := range map[string]struct {
		url   string
		roots *x509.CertPool
	}{
		"<nil>":                         {"rediss://" + at, roots},
		"not localhost":                 {withPassword("rediss://" + strings.Replace(at, "127.0.0.1", "localhost", 1)), roots},
		"signed by unknown authority":   {withPassword("rediss://" + at), nil},
		"not look like a TLS handshake": {withPassword(strings.Replace(plain, "redis:", "rediss:", 1)), nil},
	} {
		s, err := open(Config{URL: row.url, Key: "key", RetryFor: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		s.address.roots = row.roots
		s.pool.DialContext = s.address.dial
		text := fmt.Sprint(s.Release(nil, "token", 0))
		if !strings.Contains(text, says) || strings.Contains(text, "repeated") || strings.Contains(text, "secret-password") {
			t.Errorf("%s, want %s", text, says)
		}
	}
}

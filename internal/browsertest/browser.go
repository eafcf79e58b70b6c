// SPDX-License-Identifier: MPL-2.0

// Package browsertest shows pages to tests in a headless Chromium.
package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Program returns the path of the first program that is on PATH. Without one, the
// test is skipped, and fails in CI.
func Program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Unavailable(t, "none of %q is on PATH", names)
	return ""
}

// Unavailable skips a test that requires something that this machine does not have. In
// CI it fails the test, because CI has everything.
func Unavailable(t *testing.T, format string, a ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, a...)
	}
	t.Skipf(format, a...)
}

// Browser is a tab of a headless Chromium. Tests control it over its debugging pipe
// with JSON messages, each of which ends with a NUL. Its methods fail the test instead
// of returning errors.
type Browser struct {
	t       *testing.T
	write   *os.File
	read    *bufio.Reader
	last    int
	session string
}

// New starts Chromium for the length of a test. Without Chromium, the test is skipped,
// or fails in CI. It is also skipped by go test -short.
func New(t *testing.T) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: browsers are slow")
	}
	program := Program(t, "chromium", "chromium-browser", "google-chrome")
	toBrowser, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The context of the test ends before its cleanup, which closes the browser.
	// The limit ends a browser that hangs.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Hour)
	command := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--hide-scrollbars", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe",
		"about:blank")
	command.ExtraFiles = []*os.File{toBrowser, fromBrowser} // descriptors 3 and 4
	err = command.Start()
	_, _ = toBrowser.Close(), fromBrowser.Close() // the browser has its own copies
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	b := &Browser{t: t, write: write, read: bufio.NewReader(read)}
	t.Cleanup(func() {
		defer cancel()
		_, _ = write.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = command.Wait()
		_, _ = write.Close(), read.Close()
	})
	target := b.Call("Target.createTarget", map[string]any{"url": "about:blank"})
	attached := b.Call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})
	b.session, _ = attached["sessionId"].(string)
	return b
}

// Call runs a command of the DevTools protocol.
func (b *Browser) Call(method string, parameters map[string]any) map[string]any {
	b.t.Helper()
	result, err := b.call(method, parameters)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

func (b *Browser) call(method string, parameters map[string]any) (map[string]any, error) {
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": parameters}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if _, err := b.write.WriteString(string(text) + "\x00"); err != nil {
		return nil, err
	}
	for {
		text, err := b.read.ReadBytes(0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     int
			Result map[string]any
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if answer.ID != b.last {
			continue // an event
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
		}
		return answer.Result, nil
	}
}

// Value evaluates an expression in the page. If the value is a promise, it waits for
// the result. It fails the test if the expression throws.
func (b *Browser) Value(expression string) any {
	b.t.Helper()
	value, err := b.evaluate(expression)
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

func (b *Browser) evaluate(expression string) (any, error) {
	evaluated, err := b.call("Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true,
	})
	if err != nil {
		return nil, err
	}
	if exception, ok := evaluated["exceptionDetails"]; ok {
		return nil, fmt.Errorf("the page threw %v", exception)
	}
	result, _ := evaluated["result"].(map[string]any)
	return result["value"], nil
}

// Show loads a page from the text of its HTML.
func (b *Browser) Show(html string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		b.t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	if failure, ok := b.Call("Page.navigate", map[string]any{"url": address})["errorText"]; ok {
		b.t.Fatalf("%s: %v", address, failure)
	}
	for range 20_000 { // in the real time of the browser. An error means that the page replaces the one before
		if state, err := b.evaluate("document.readyState"); err == nil && state == "complete" {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("the page never loaded")
}

// Resize sets the width of the window, in CSS pixels, and the color scheme that the
// reader prefers: "light" or "dark".
func (b *Browser) Resize(width int, scheme string) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500,
	})
	b.Call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	})
	// Animations that follow the scroll position are up to date only a frame or two after the first one of the new size.
	b.Value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))")
}

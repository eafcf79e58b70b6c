// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// tool returns the path of the first program that is on PATH. Without one, the
// test is skipped, and fails in CI.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	unavailable(t, "none of %q is on PATH", names)
	return ""
}

// unavailable skips a test that needs something which this machine lacks. CI
// has everything, so there it fails.
func unavailable(t *testing.T, format string, a ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, a...)
	}
	t.Skipf(format, a...)
}

// browser is one tab of a headless Chromium, driven over its debugging pipe:
// JSON messages, each ended by a NUL.
type browser struct {
	t       *testing.T
	write   *os.File
	read    *bufio.Reader
	last    int
	session string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := tool(t, "chromium", "chromium-browser", "google-chrome")
	toBrowser, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The context of the test ends before its clean-up, which closes the browser.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Minute)
	command := exec.CommandContext(
		ctx,
		program,
		"--headless",
		"--no-sandbox",
		"--disable-gpu",
		"--disable-quic",
		"--no-first-run",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--hide-scrollbars",
		"--user-data-dir="+t.TempDir(),
		"--remote-debugging-pipe",
		"about:blank",
	)
	command.ExtraFiles = []*os.File{toBrowser, fromBrowser} // descriptors 3 and 4
	err = command.Start()
	_, _ = toBrowser.Close(), fromBrowser.Close() // the browser has its own
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	b := &browser{t: t, write: write, read: bufio.NewReader(read)}
	t.Cleanup(func() {
		defer cancel()
		_, _ = write.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = command.Wait()
		_, _ = write.Close(), read.Close()
	})
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})
	attached := b.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})
	b.session, _ = attached["sessionId"].(string)
	return b
}

// call runs a command of the DevTools protocol.
func (b *browser) call(method string, parameters map[string]any) map[string]any {
	b.t.Helper()
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": parameters}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.write.WriteString(string(text) + "\x00"); err != nil {
		b.t.Fatal(err)
	}
	for {
		text, err := b.read.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var answer struct {
			ID     int
			Result map[string]any
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &answer); err != nil {
			b.t.Fatal(err)
		}
		if answer.ID != b.last {
			continue // an event
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		return answer.Result
	}
}

// value evaluates an expression in the page, and waits for it if it is a promise.
func (b *browser) value(expression string) any {
	b.t.Helper()
	evaluated := b.call(
		"Runtime.evaluate",
		map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true},
	)
	if exception, ok := evaluated["exceptionDetails"]; ok {
		b.t.Fatalf("the page threw %v", exception)
	}
	result, _ := evaluated["result"].(map[string]any)
	return result["value"]
}

// list evaluates an expression that gives a list of texts as JSON.
func (b *browser) list(expression string) (texts []string) {
	b.t.Helper()
	text, _ := b.value(expression).(string)
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		b.t.Fatal(err)
	}
	return texts
}

// show opens a page.
func (b *browser) show(html string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		b.t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	b.call("Page.navigate", map[string]any{"url": address})
	for range 400 {
		if b.value("document.readyState === 'complete' && location.href") == address {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatal("the page did not load")
}

// resize sets the width of the window and the color scheme of the reader.
func (b *browser) resize(width int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500,
	})
	b.call(
		"Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}},
	)
}

// picturesVariable names a directory that keeps pictures of the pages and their
// printed form.
const picturesVariable = "REPORT_TEST_PICTURES"

// keep writes what the browser returns as data of a command, if somebody wants
// to look at it.
func (b *browser) keep(name, method string, parameters map[string]any) {
	b.t.Helper()
	directory := os.Getenv(picturesVariable)
	if directory == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(directory, name), b.data(method, parameters), 0o600); err != nil {
		b.t.Error(err)
	}
}

// data is what a command returns as such.
func (b *browser) data(method string, parameters map[string]any) []byte {
	b.t.Helper()
	text, _ := b.call(method, parameters)["data"].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

func (b *browser) picture(name string) {
	b.keep(name+".png", "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true})
}

func (b *browser) pdf(name string) {
	b.keep(
		name+".pdf",
		"Page.printToPDF",
		map[string]any{"preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69},
	)
}

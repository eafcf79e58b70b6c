// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// picturesVariable names a directory that keeps the pictures of the pages.
const picturesVariable = "SANDBOX_TEST_PICTURES"

// browser is one tab of a headless Chromium, driven over its debugging pipe:
// JSON messages, each ended by a NUL.
type browser struct {
	t       *testing.T
	write   *os.File
	read    *bufio.Reader
	last    int
	session string
}

// newBrowser starts Chromium, or skips the test where there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skip("no Chromium on PATH: on Debian, apt-get install chromium")
	}
	toBrowser, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The test's own context ends before its clean-up, which closes the browser.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
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
	if _, err := b.write.WriteString(jsonText(b.t, message) + "\x00"); err != nil {
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

// value evaluates an expression in the page; while a page is being replaced
// there may be none.
func (b *browser) value(expression string) any {
	b.t.Helper()
	evaluated := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	result, _ := evaluated["result"].(map[string]any)
	return result["value"]
}

// open loads an address and waits for a text on its page.
func (b *browser) open(address, text string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": address})
	b.wait(text)
}

// wait waits until the whole page is there and shows a text.
func (b *browser) wait(text string) {
	b.t.Helper()
	shown := any(nil)
	for range 200 {
		shown = b.value("document.readyState === 'complete' && document.body.innerText")
		if page, ok := shown.(string); ok && strings.Contains(page, text) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("the page never showed %q, but %v", text, shown)
}

// click presses the mouse in the middle of the page's button.
func (b *browser) click() {
	b.t.Helper()
	place, _ := b.value("(() => { const b = document.querySelector('button'); b.scrollIntoView(); const r = " +
		"b.getBoundingClientRect(); return {x: r.x + r.width/2, y: r.y + r.height/2} })()").(map[string]any)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call(
			"Input.dispatchMouseEvent",
			map[string]any{"type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1},
		)
	}
}

// look checks the page at the widths of a phone and a screen, light and dark,
// and keeps pictures where they are wanted.
func (b *browser) look(name string) {
	b.t.Helper()
	for _, width := range []int{360, 1100} {
		b.call(
			"Emulation.setDeviceMetricsOverride",
			map[string]any{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
		)
		if wide := b.value("document.documentElement.scrollWidth"); wide != float64(width) {
			b.t.Errorf("%s is %v wide on a screen of %d", name, wide, width)
		}
		backgrounds := map[any]bool{}
		for _, scheme := range []string{"light", "dark"} {
			b.call(
				"Emulation.setEmulatedMedia",
				map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}},
			)
			backgrounds[b.value("getComputedStyle(document.body).backgroundColor")] = true
			b.picture(fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
		}
		if len(backgrounds) != 2 {
			b.t.Errorf("%s looks the same in light and dark: %v", name, backgrounds)
		}
	}
}

func (b *browser) picture(name string) {
	b.t.Helper()
	directory := os.Getenv(picturesVariable)
	if directory == "" {
		return
	}
	shot := b.call("Page.captureScreenshot", map[string]any{"format": "png"})
	data, _ := shot["data"].(string)
	picture, err := base64.StdEncoding.DecodeString(data)
	if err == nil {
		err = os.WriteFile(filepath.Join(directory, name), picture, 0o600)
	}
	if err != nil {
		b.t.Error(err)
	}
}

func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	server := sandboxtest.New(t)
	profile := attachTerrain(t, server)
	origin := strings.TrimSuffix(server.URL, "/v1")

	// The supervisor follows the link on the overview and completes the profile.
	b.open(origin+"/", "Backend Engineer, London")
	b.look("overview")
	if address := b.value("document.querySelector('article td a').href"); address != profile {
		t.Errorf("the overview links to %v, want %s", address, profile)
	}
	b.open(profile, "PROFILE_ATTACHED")
	b.look("profile")
	b.click()
	b.wait("SUPERVISOR_COMPLETED")
	b.look("completed")
	ask(t, server, http.MethodGet, london+"/pas-0001", "").want(t, http.StatusOK, "SUPERVISOR_COMPLETED")

	// A candidate sits an assessment.
	page, _ := ask(t, server, http.MethodGet, graduates+"?candidate=cnd-002", "").results(t)
	address := ""
	for _, result := range page.Candidates[0].Results {
		for _, invitation := range result.Invitations {
			if invitation.Status == sandbox.Invited {
				address = invitation.CandidateLoginURL
			}
		}
	}
	b.open(address, "INVITED")
	b.look("sit")
	b.click()
	b.wait("IN_PROGRESS")
	b.click()
	b.wait("TESTED_WITH_RESULTS")

	// Names are text, whatever they hold.
	b.open(origin+"/report/"+sandbox.DemoResultsPosition, "Robert <Bobby> Tables")
	b.wait("陳大文")
	b.look("report")
	if scripts := b.value("document.scripts.length"); scripts != 0.0 {
		t.Errorf("%v scripts on a page", scripts)
	}
	b.open(origin+"/sit/none", "There is no invitation")
	b.open(origin+"/reports", "There is no page at this address")
	b.look("problem")
	if address := b.value("document.querySelector('main a').href"); address != origin+"/" {
		t.Errorf("the page of an unknown address leads to %v", address)
	}
}

func TestABrowserCannotPostFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	server := sandboxtest.New(t)
	profile := attachTerrain(t, server)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<form method="post" action="%s"><button>You have won</button></form>`, profile)
	}))
	t.Cleanup(elsewhere.Close)
	for _, attacker := range []string{elsewhere.URL, strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)} {
		b.open(attacker, "You have won")
		b.click()
		b.wait("another origin")
	}
	attached := server.State(t).Position("pos-backend-london").Assessments[0]
	if status := attached.Metadata.ProfileStatus; status != sandbox.ProfileAttached {
		t.Errorf("the profile is %s", status)
	}
}

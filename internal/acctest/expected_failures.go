// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// expectedFailures are the tests of promises that the provider does not keep yet, with the sentence of the interface.
// Whoever makes one pass removes it. When the map is empty, [Test] calls [resource.Test], and this file goes.
var expectedFailures = map[string]string{}

// run runs a test case. One that is expected to fail is skipped if it does, and fails if it passes.
func run(t *testing.T, c resource.TestCase) {
	t.Helper()
	sentence, isExpected := expectedFailures[t.Name()]
	if !isExpected {
		resource.Test(t, c)
		return
	}
	r := &recorder{T: t}
	done := make(chan struct{})
	go func() { // which [recorder.FailNow] ends
		defer close(done)
		resource.Test(r, c)
	}()
	<-done
	switch {
	case r.failure != "":
		t.Skipf("expected failure: %s\n%s", sentence, r.failure)
	case r.skipped != "":
		t.Skip(r.skipped)
	default:
		t.Errorf("the test passes. Remove it from expected_failures.go: %s", sentence)
	}
}

// recorder is a [testing.T] that notes a failure instead of failing.
type recorder struct {
	*testing.T
	failure, skipped string
}

func (r *recorder) Error(args ...any)                 { r.failure += fmt.Sprintln(args...) }
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }
func (r *recorder) Fail()                             { r.Error("failed") }
func (r *recorder) FailNow()                          { r.Fail(); runtime.Goexit() }
func (r *recorder) Failed() bool                      { return r.failure != "" }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }
func (r *recorder) Skip(args ...any)                  { r.skipped = fmt.Sprintln(args...); runtime.Goexit() }
func (r *recorder) SkipNow()                          { r.Skip("skipped") }
func (r *recorder) Skipf(format string, args ...any)  { r.Skip(fmt.Sprintf(format, args...)) }
func (r *recorder) Skipped() bool                     { return r.skipped != "" }

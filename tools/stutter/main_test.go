// SPDX-License-Identifier: MPL-2.0

//go:build unix

package main

import (
	"strings"
	"testing"
	"time"
)

const late = "tools/stutter/testdata/late"

// A test that compares real time fails, and is named. A test that waits passes.
func TestStutter(t *testing.T) {
	t.Parallel()
	err := all(t.Context(), time.Minute, "TestInTime", []string{late})
	if err == nil || !strings.Contains(err.Error(), "--- FAIL: TestInTime") || !strings.Contains(err.Error(), "it took ") {
		t.Errorf("no failure of the test: %v", err)
	}
	if err := all(t.Context(), time.Second, "TestOrder", []string{late}); err != nil {
		t.Error(err)
	}
	if err := all(t.Context(), time.Minute, ".", []string{"tools/stutter/testdata/none"}); err == nil {
		t.Error("a package that does not exist has passed")
	}
}

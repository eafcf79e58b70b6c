// SPDX-License-Identifier: MPL-2.0

//go:build unix

package throttle

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// A disk that does not answer delays a run by a few seconds at most. In this test, the
// disk is a pipe without a writer.
func TestFileOnAStuckDisk(t *testing.T) {
	t.Parallel()
	s, _ := OpenFile(t.TempDir(), "client:secret", virtual).(*file)
	path := s.versions.path(1)
	if err := errors.Join(os.MkdirAll(s.versions.dir, 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if answer, err := s.Acquire(t.Context(), ask()); err != nil || !answer.Granted {
		t.Errorf("answer %+v, error %v, want a slot", answer, err)
	}
	if took := time.Since(start); took > giveUpFile+time.Second {
		t.Errorf("granted after %v, want %v", took, giveUpFile)
	}
	wantNotices(t, s, StoreUnusable)
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // ends the goroutine that reads it
	if err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	// The goroutine rebuilds the empty ledger in the directory, which the test then removes.
	for deadline := time.Now().Add(10 * time.Second); len(s.Notices()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the goroutine did not rebuild the ledger")
		}
	}
}

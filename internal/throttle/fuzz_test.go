// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever bytes the file holds, with right checksums or wrong ones, the store
// neither fails nor exceeds a limit, holds nobody back for longer than a day, and
// leaves a file that the next process can read.
func FuzzFile(f *testing.F) {
	sample := newLedger()
	sample.advance(int64(time.Hour))
	for range 25 {
		answer := sample.acquire(ask())
		if answer.Place != 0 && answer.Place%2 == 0 {
			sample.release(answer.Place, keyWindows, Outcome{Result: Refused})
		}
	}
	bytesOf := encode(nil, sample)
	f.Add(bytesOf, true)
	f.Add(fileOf(f, bytesOf), false)
	f.Add(fileOf(f, bytesOf)[:70], false)
	f.Add(bytes.Repeat([]byte{0}, 100), false)
	f.Add([]byte("damaged"), false)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, content []byte, checksums bool) {
		if checksums {
			content = fileOf(t, content)
		}
		var skew time.Duration
		dir := t.TempDir()
		s := opened(t, dir, &skew)
		if err := os.WriteFile(s.path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		// Where the bytes were no ledger, the store starts a new one; what a
		// valid one says of the limits is obeyed.
		n, wait := grants(t, s, true)
		if n > 20 || wait > longest+time.Second {
			t.Errorf("granted %d, then wait %v", n, wait)
		}
		again := opened(t, dir, &skew)
		if m, _ := grants(t, again, true); n+m > 20 {
			t.Errorf("granted %d and %d", n, m)
		}
		wantNotices(t, again)
		b, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		raw, _, err := locate(b)
		if err != nil {
			t.Fatal(err)
		}
		l, err := decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(nil, l), raw) {
			t.Error("a ledger read and written is another")
		}
	})
}

// fileOf is a file that holds the bytes as its ledger.
func fileOf(t testing.TB, ledger []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "budget")
	data, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := store(data, ledger, extent{}); err != nil {
		t.Fatal(err)
	}
	if err := data.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A ledger of another layout than ours is not taken for one of ours.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	valid := encode(nil, newLedger())
	for name, b := range map[string][]byte{
		"nothing":      nil,
		"too short":    valid[:len(valid)-1],
		"too long":     append(bytes.Clone(valid), 0),
		"a long list":  binary.LittleEndian.AppendUint64(bytes.Clone(valid[:len(valid)-8]), 1<<60),
		"no such time": append(bytes.Repeat([]byte{0xff}, 8), valid[8:]...),
	} {
		if _, err := decode(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := decode(valid); err != nil {
		t.Error(err)
	}
}

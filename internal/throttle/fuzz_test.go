// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"testing"
	"time"
)

// With any bytes in the file, and with a right or a wrong checksum, the store does not
// fail and does not exceed a limit. It holds no request back for longer than a day, and
// leaves a file that the next process can read.
func FuzzFile(f *testing.F) {
	sample := newLedger()
	sample.advance(int64(time.Hour))
	for range 25 {
		ask := ask()
		if answer := sample.acquire(ask); answer.Granted && ask.Slot%4 == 1 {
			sample.release(ask, Outcome{Result: Refused})
		}
	}
	b := encode(sample)
	f.Add(b, true)
	f.Add(b[:70], false)
	f.Add(bytes.Repeat([]byte{0}, 100), false)
	f.Add([]byte("damaged"), false)
	f.Add([]byte(`0000{"Holds": [{"Until": 4611686018427387904}]}`), true)
	f.Fuzz(func(t *testing.T, content []byte, checksum bool) {
		if checksum && len(content) >= header {
			seal(content)
		}
		dir := t.TempDir()
		s := opened(t, dir)
		if err := os.MkdirAll(s.versions.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.versions.path(1), content, 0o600); err != nil {
			t.Fatal(err)
		}
		n, wait := grants(t, s, true)
		if n > 20 || wait > longest+time.Minute {
			t.Errorf("granted %d, then wait %v", n, wait)
		}
		again := opened(t, dir)
		if m, _ := grants(t, again, true); n+m > 20 {
			t.Errorf("granted %d and %d", n, m)
		}
		wantNotices(t, again)
		b, err := os.ReadFile(budgetFile(t, dir))
		if err != nil {
			t.Fatal(err)
		}
		l, err := decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(l), b) {
			t.Error("a ledger changes when it is read and written")
		}
	})
}

// seal gives a file the right checksum.
func seal(b []byte) {
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[header:]))
}

// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"slices"
)

// A file holds one ledger: a checksum of the rest, and the ledger as JSON. The checksum
// detects files that were damaged when a machine lost power.
const (
	ledgerFormat = "4"
	header       = 4
)

var errDamaged = errors.New("damaged")

func encodeLedger(l *Ledger) []byte {
	b, _ := json.Marshal(l) // cannot fail: a ledger consists of numbers and lists
	return append(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)), b...)
}

// decodeLedger is the reverse of encodeLedger. It rejects a ledger that encodeLedger cannot have written.
func decodeLedger(b []byte) (*Ledger, error) {
	l := new(Ledger)
	if len(b) < header || binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[header:]) ||
		l.UnmarshalJSON(b[header:]) != nil {
		return nil, errDamaged
	}
	return l, nil
}

// UnmarshalJSON rejects a ledger that is not plausible.
func (l *Ledger) UnmarshalJSON(b []byte) error {
	type fields Ledger // without this method
	if err := json.Unmarshal(b, (*fields)(l)); err != nil {
		return err
	}
	if !l.plausible() {
		return errDamaged
	}
	for i := range l.Windows {
		w := &l.Windows[i]
		for _, s := range w.Open {
			w.hold(s.Run, +1)
		}
		for _, s := range w.Done {
			w.hold(s.Run, +1)
		}
	}
	return nil
}

// plausible reports whether the ledger holds no request back for longer than a day.
func (l *Ledger) plausible() bool {
	soon := l.Now + int64(longest)
	valid := func(instants ...int64) bool {
		return !slices.ContainsFunc(instants, func(at int64) bool { return at < 0 || at > soon })
	}
	ok := valid(l.Now, l.Shared) && l.Lost <= soon
	for _, h := range l.Holds {
		ok = ok && valid(h.Until, h.ProbeBy) && h.Pause >= 0 && h.Pause <= int64(longestPause)
	}
	for _, w := range l.Windows {
		ok = ok && w.Per > 0 && w.Per <= int64(longest) && w.Limit > 0 && w.Reserve >= 0 && w.Reserve < w.Limit
		for _, s := range w.Open {
			ok = ok && valid(s.Deadline)
		}
		for _, s := range w.Done {
			ok = ok && valid(s.At)
		}
		ok = ok && slices.IsSortedFunc(w.Done, func(a, b doneSlot) int { return cmp.Compare(a.At, b.At) })
	}
	for _, q := range l.Queues {
		ok = ok && valid(q.AsksAt) && q.Expires <= soon+int64(longest) && q.Waiting >= 0
	}
	return ok
}

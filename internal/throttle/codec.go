// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
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

// decodeLedger is the reverse of encodeLedger.
func decodeLedger(b []byte) (*Ledger, error) {
	l := new(Ledger)
	if len(b) < header || binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[header:]) ||
		l.UnmarshalJSON(b[header:]) != nil {
		return nil, errDamaged
	}
	return l, nil
}

// UnmarshalJSON also counts the slots of each run, which JSON does not contain.
func (l *Ledger) UnmarshalJSON(b []byte) error {
	type fields Ledger // without this method
	if err := json.Unmarshal(b, (*fields)(l)); err != nil {
		return err
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

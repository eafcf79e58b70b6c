// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
)

// The file is a header followed by room for ledgers. The header says where the
// valid ledger lies. A new one is written where it does not touch the valid one,
// then the header is changed; since that is too small for a kill to tear it, the
// file holds the ledger of before or the one of after, whenever a process dies.
// What a machine that loses its power leaves behind is told by the checksums.
//
//	header: magic, offset, length, checksum of the ledger, checksum of the header
//	ledger: see encode; all numbers little-endian
const (
	magic      = "assess budget 1\n"
	headerSize = len(magic) + 8 + 8 + 4 + 4
	tooBig     = 16 << 20
)

var errDamaged = errors.New("damaged")

// extent is where a ledger lies in the file.
type extent struct{ offset, length int }

// locate finds the valid ledger in the bytes of a file; nil where none was ever
// written.
func locate(b []byte) ([]byte, extent, error) {
	header := b[:min(headerSize, len(b))]
	if len(bytes.Trim(header, "\x00")) == 0 {
		return nil, extent{}, nil
	}
	if len(header) < headerSize || string(header[:len(magic)]) != magic {
		return nil, extent{}, errDamaged
	}
	r := reader{rest: header[len(magic):]}
	offset, length, sum := r.uint64(), r.uint64(), r.uint32()
	size := uint64(len(b))
	switch {
	case r.uint32() != crc32.ChecksumIEEE(header[:headerSize-4]),
		offset < uint64(headerSize), offset > size, length > size-offset,
		sum != crc32.ChecksumIEEE(b[offset:offset+length]):
		return nil, extent{}, errDamaged
	}
	return b[offset : offset+length], extent{int(offset), int(length)}, nil
}

// store writes the bytes of a ledger beside the valid one, then makes it valid.
func store(w io.WriterAt, ledger []byte, valid extent) error {
	offset := headerSize
	if valid.offset < headerSize+len(ledger) {
		offset = max(headerSize, valid.offset+valid.length)
	}
	header := make([]byte, 0, headerSize)
	header = append(header, magic...)
	header = binary.LittleEndian.AppendUint64(header, uint64(offset))
	header = binary.LittleEndian.AppendUint64(header, uint64(len(ledger)))
	header = binary.LittleEndian.AppendUint32(header, crc32.ChecksumIEEE(ledger))
	header = binary.LittleEndian.AppendUint32(header, crc32.ChecksumIEEE(header))
	if _, err := w.WriteAt(ledger, int64(offset)); err != nil {
		return err
	}
	_, err := w.WriteAt(header, 0)
	return err
}

// encode appends the bytes of a ledger to b.
func encode(b []byte, l *ledger) []byte {
	num := func(values ...uint64) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	closed := uint64(0)
	if l.gate.closed {
		closed = 1
	}
	num(uint64(l.now), uint64(l.shifted), uint64(l.lost), l.turn, l.serial)
	num(closed, uint64(l.gate.until), uint64(l.gate.pause), uint64(l.gate.probe), uint64(l.gate.probeBy))
	num(uint64(len(l.windows)))
	for _, w := range l.windows {
		num(w.id, uint64(w.limit), uint64(w.per), uint64(len(w.open)))
		for _, f := range w.open {
			num(uint64(f.place), uint64(f.deadline))
		}
		num(uint64(len(w.done)))
		for _, at := range w.done {
			num(uint64(at))
		}
	}
	num(uint64(len(l.lines)))
	for _, o := range l.lines {
		num(o.id, o.turn, uint64(o.waiting), uint64(o.wakes), uint64(o.lapses), uint64(len(o.windows)))
		num(o.windows...)
	}
	return b
}

// decode is the reverse of encode. It accepts no ledger that encode cannot have
// written, nor one that holds anybody back for longer than a day.
func decode(b []byte) (*ledger, error) {
	r := &reader{rest: b}
	l := &ledger{now: r.int64(), shifted: r.int64(), lost: r.int64(), turn: r.uint64(), serial: r.uint64()}
	soon := l.now + int64(longest)
	l.gate = gate{
		closed: r.uint64() != 0, until: r.int64(), pause: r.int64(),
		probe: Place(r.uint64()), probeBy: r.int64(),
	}
	ok := l.now >= 0 && soon > 0 && l.lost <= l.now && l.gate.until <= soon &&
		l.gate.pause >= 0 && l.gate.pause <= int64(lastPause) && l.gate.probeBy <= soon

	l.windows = make([]window, r.count(5))
	for i := range l.windows {
		w := window{id: r.uint64(), limit: int(r.int64()), per: r.int64()}
		ok = ok && w.per > 0 && w.per <= int64(longest)
		w.open = make([]flight, r.count(2))
		for j := range w.open {
			w.open[j] = flight{Place(r.uint64()), r.int64()}
			ok = ok && w.open[j].deadline <= soon
		}
		w.done = make([]int64, r.count(1))
		for j := range w.done {
			w.done[j] = r.int64()
		}
		ok = ok && slices.IsSorted(w.done) && (len(w.done) == 0 || w.done[0] >= 0 && w.done[len(w.done)-1] <= l.now)
		l.windows[i] = w
	}
	l.lines = make([]line, r.count(6))
	for i := range l.lines {
		o := line{id: r.uint64(), turn: r.uint64(), waiting: int(r.int64()), wakes: r.int64(), lapses: r.int64()}
		ok = ok && o.lapses-int64(longest) <= soon
		o.windows = make([]uint64, r.count(1))
		for j := range o.windows {
			o.windows[j] = r.uint64()
		}
		l.lines[i] = o
	}
	if !ok || r.short || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return l, nil
}

// reader reads numbers. Beyond the end they are zero, and short holds.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) uint64() uint64 {
	if len(r.rest) < 8 {
		r.rest, r.short = nil, true
		return 0
	}
	v := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return v
}

func (r *reader) int64() int64 { return int64(r.uint64()) }

func (r *reader) uint32() uint32 {
	if len(r.rest) < 4 {
		r.rest, r.short = nil, true
		return 0
	}
	v := binary.LittleEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return v
}

// count reads the length of a list whose elements have at least so many numbers.
func (r *reader) count(numbers int) int {
	n := r.uint64()
	if n > uint64(len(r.rest)/8/numbers) {
		r.rest, r.short = nil, true
		return 0
	}
	return int(n)
}

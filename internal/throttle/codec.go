// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// A file holds one ledger: a checksum of the rest, and the rest. All numbers are
// little-endian. A file is complete when it gets its name, which contains the version of
// the format. The checksum detects files that were damaged when a machine lost power.
const (
	format = "3"
	header = 4
	tooBig = 16 << 20
)

var errDamaged = errors.New("damaged")

// encode returns the bytes of a ledger.
func encode(l *ledger) []byte {
	b := make([]byte, header)
	num := func(values ...uint64) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	num(l.id, uint64(l.now), uint64(l.lost), uint64(l.shared), uint64(len(l.holds)))
	for _, h := range l.holds {
		num(uint64(h.until), uint64(h.pause), uint64(h.probe), uint64(h.probeBy), uint64(len(h.windows)))
		num(h.windows...)
	}
	num(uint64(len(l.windows)))
	for _, w := range l.windows {
		num(w.id, uint64(w.limit), uint64(w.reserve), uint64(w.per), uint64(len(w.open)))
		for _, s := range w.open {
			num(uint64(s.slot), uint64(s.run), uint64(s.deadline))
		}
		num(uint64(len(w.done)))
		for _, d := range w.done {
			num(uint64(d.slot), uint64(d.run), uint64(d.at))
		}
	}
	num(uint64(len(l.queues)))
	for _, q := range l.queues {
		num(q.id, uint64(q.run), uint64(q.waiting), uint64(q.asksAt), uint64(q.expires), uint64(len(q.windows)))
		num(q.windows...)
	}
	num(uint64(len(l.marks)))
	num(l.marks...)
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[header:]))
	return b
}

// decode is the reverse of encode. It rejects a ledger that encode cannot have written,
// and one that holds requests back for longer than a day.
func decode(b []byte) (*ledger, error) {
	if len(b) < header || binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[header:]) {
		return nil, errDamaged
	}
	r := &reader{rest: b[header:]}
	l := &ledger{id: r.uint64(), now: r.int64(), lost: r.int64(), shared: r.int64()}
	soon := l.now + int64(longest)
	ok := l.now >= 0 && soon > 0 && l.lost <= soon && l.shared <= soon
	l.holds = make([]hold, r.count(5))
	for i := range l.holds {
		h := hold{until: r.int64(), pause: r.int64(), probe: Slot(r.uint64()), probeBy: r.int64(), windows: r.list()}
		ok = ok && h.until <= soon && h.pause >= 0 && h.pause <= int64(lastPause) && h.probeBy <= soon
		l.holds[i] = h
	}
	l.windows = make([]window, r.count(6))
	for i := range l.windows {
		ok = r.window(&l.windows[i], soon) && ok
	}
	l.queues = make([]waitingQueue, r.count(6))
	for i := range l.queues {
		q := waitingQueue{id: r.uint64(), run: r.uint32(), waiting: int(r.int64()), asksAt: r.int64(), expires: r.int64()}
		ok = ok && q.waiting >= 0 && q.expires-int64(longest) <= soon
		q.windows = r.list()
		l.queues[i] = q
	}
	l.marks = r.list()
	if !ok || r.short || len(r.rest) > 0 {
		return nil, errDamaged
	}
	return l, nil
}

// window reads a window, and reports whether its values are plausible.
func (r *reader) window(w *window, soon int64) (ok bool) {
	*w = window{id: r.uint64(), limit: int(r.int64()), reserve: int(r.int64()), per: r.int64()}
	ok = w.per > 0 && w.per <= int64(longest) && w.limit > 0 && w.reserve >= 0 && w.reserve < w.limit
	w.open = make([]openSlot, r.count(3))
	for j := range w.open {
		w.open[j] = openSlot{Slot(r.uint64()), r.uint32(), r.int64()}
		w.hold(w.open[j].run, +1)
		ok = ok && w.open[j].deadline <= soon
	}
	w.done = make([]doneSlot, r.count(3))
	for j := range w.done {
		w.done[j] = doneSlot{Slot(r.uint64()), r.uint32(), r.int64()}
		w.hold(w.done[j].run, +1)
	}
	sorted := slices.IsSortedFunc(w.done, func(a, b doneSlot) int { return int(min(max(a.at-b.at, -1), 1)) })
	return ok && sorted && (len(w.done) == 0 || w.done[0].at >= 0 && w.done[len(w.done)-1].at <= soon)
}

// reader reads numbers. After the end of the input, it returns zeros and sets short.
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

// uint32 reads a number that must fit in 32 bits.
func (r *reader) uint32() uint32 {
	v := r.uint64()
	r.short = r.short || v > 1<<32-1
	return uint32(v)
}

func (r *reader) list() []uint64 {
	list := make([]uint64, r.count(1))
	for i := range list {
		list[i] = r.uint64()
	}
	return list
}

// count reads the length of a list whose elements consist of at least the given number
// of numbers.
func (r *reader) count(numbers int) int {
	n := r.uint64()
	if n > uint64(len(r.rest)/8/numbers) {
		r.rest, r.short = nil, true
		return 0
	}
	return int(n)
}

// SPDX-License-Identifier: MPL-2.0

// Package notes keeps what a plan tells its apply. The apply is another process, and the CLI does
// not show it the prior state of replaced resources.
package notes

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Note is what a plan tells its apply about one creation.
type Note struct {
	// Compared is whether the plan has compared the creation with all assessments of its
	// position. Then the apply does not read them again.
	Compared bool `json:"compared,omitempty"`
	// Unlisted is whether the service does not list the assessments of a position.
	Unlisted bool `json:"unlisted,omitempty"`
	// Beside are existing position assessments that the plan has accepted beside the creation,
	// because it removes or replaces them.
	Beside []string `json:"beside,omitempty"`
	// Adopts is the position assessment that the creation takes over.
	Adopts string `json:"adopts,omitempty"`
	// Enables is whether the plan has accepted a test only because it also enables it.
	Enables bool `json:"enables,omitempty"`
}

// Accepts reports whether the plan has accepted an object beside the creation.
func (n Note) Accepts(position, id string) bool {
	return slices.Contains(n.Beside, Object(position, id))
}

// Object is how notes name a position assessment.
func Object(position, id string) string { return hash(position, id) }

// Content is what a position assessment consists of. Two with the same content are duplicates.
type Content struct {
	Topic                          Topic
	Position, Assessment, Metadata string
}

// IsUnknown reports whether a content stands for all creations on a position that are not
// completely known.
func (c Content) IsUnknown() bool { return c.Metadata == "" }

// Topic is a subject of notes about an object. Notes about creations have none.
type Topic string

// Topics.
const (
	Invited   Topic = "invitations" // an earlier plan has looked for invited candidates
	Protected Topic = "import"      // the last plan imports the object, or keeps it at another address
)

// Of returns what a note about an object is filed under.
func (t Topic) Of(position, id string) Content { return Content{t, position, "", id} }

// Notes are the notes of the plans in one working directory. The last note about a creation
// counts, so each plan takes back what earlier plans have noted about it. A creation that is
// not completely known takes back all notes of earlier plans that may be about it. The apply
// takes back that a note says "compared" when it uses the note.
//
// A note is a line in a file of the user's cache directory. There is one file for each day
// and place. Files are removed after a week. Without notes (without a directory, or in an
// apply on another machine) the apply compares again.
type Notes struct {
	Config
	dir   string // empty if there is no directory
	scope string // hash of the service, empty while a setting is unknown

	start   time.Time // of this run
	mu      sync.Mutex
	earlier map[string]entry // the last notes of other runs, by key, nil before they are read
	written map[string]Note  // what this run has noted, by key
}

// Config configures [Notes].
type Config struct {
	// CacheDir contains the files. Empty means that there is no such directory.
	CacheDir string
	// Place identifies the working directory (see [Place]).
	Place string
	// Service identifies the service and its client. It is empty while a setting is unknown.
	Service string
	// Reused is whether the plan and its apply may be one run.
	Reused bool
}

// New returns the notes for a run that starts now.
func New(cfg Config) *Notes {
	n := &Notes{Config: cfg, start: time.Now()}
	if cfg.CacheDir != "" {
		n.dir = filepath.Join(cfg.CacheDir, "plans") // beside the files of the budget
	}
	if cfg.Service != "" {
		n.scope = hash(cfg.Service)
	}
	return n
}

const (
	notesSuffix = ".notes"
	noteDays    = 7 // how long a saved plan may wait for its apply
	dayFormat   = "20060102"
)

var errNoCacheDirectory = errors.New("there is no cache directory")

// entry is a line of a file: a note about one creation, or about all creations on a position that
// are not completely known. An empty hash stands for everything.
type entry struct {
	Scope    string    `json:"scope,omitempty"`
	Position string    `json:"position,omitempty"`
	Content  string    `json:"content,omitempty"`
	Written  time.Time `json:"written"`
	Start    time.Time `json:"start,omitzero"` // of the run, if the entry takes back what earlier runs have noted
	Note     Note      `json:"note,omitzero"`
}

// key is the same for entries that replace each other.
func (e entry) key() string { return cmp.Or(e.Content, e.Start.String()+e.Position) }

// mayBe reports whether an entry without content may be about a creation on a position.
func (e entry) mayBe(position string) bool { return e.Position == "" || e.Position == position }

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Of returns the last note of an earlier run about a creation.
func (n *Notes) Of(c Content) Note {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	if written, ok := n.written[c.hash()]; ok && n.Reused {
		return written
	}
	return n.last(c)
}

func (n *Notes) last(c Content) Note {
	var last Note
	if e, ok := n.earlier[c.hash()]; ok {
		return e.Note
	}
	if c.Assessment != "" {
		for _, e := range n.earlier {
			if e.Content == "" && e.mayBe(hash(c.Position)) {
				last.Beside = append(last.Beside, e.Note.Beside...)
			}
		}
	}
	return last
}

func (c Content) hash() string { return hash(string(c.Topic), c.Position, c.Assessment, c.Metadata) }

// Write replaces the note about a creation, or about all creations on a position that are not
// completely known.
func (n *Notes) Write(c Content, value Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	e := entry{Note: value}
	if c.Position != "" {
		e.Position = hash(c.Position)
	}
	if c.IsUnknown() {
		e.Start = n.start
	} else {
		e.Content = c.hash()
	}
	last, ok := n.written[e.key()]
	if !ok {
		last, ok = n.last(c), e.Content != ""
	}
	if ok && reflect.DeepEqual(last, value) {
		return nil
	}
	return n.append(e)
}

// Protect notes whether the apply must not remove an object. A plan takes back what an earlier plan
// has noted, but not what another process of the same plan has.
func (n *Notes) Protect(position, id string, protects bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	e := entry{Content: Protected.Of(position, id).hash(), Note: Note{Compared: protects}}
	last, written := n.written[e.Content]
	if !written && !protects {
		e.Start, last = n.start, n.earlier[e.Content].Note
	}
	if last.Compared != protects {
		_ = n.append(e) // without the note, only this plan protects it
	}
}

// append adds a line to the file of the day.
func (n *Notes) append(e entry) error {
	n.written[e.key()] = e.Note
	e.Scope, e.Written = n.scope, time.Now()
	if n.dir == "" {
		return errNoCacheDirectory
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(n.file(time.Now()), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err == nil {
		_, err = file.Write(append(text, '\n'))
	}
	return cmp.Or(err, file.Close())
}

// read reads the notes of the last week, and removes older files of all places.
func (n *Notes) read() {
	if n.earlier != nil {
		return
	}
	n.earlier, n.written = map[string]entry{}, map[string]Note{}
	if n.dir == "" {
		return
	}
	today := time.Now()
	for age := noteDays; age >= -1; age-- { // including tomorrow's, in case the clock was set back
		text, _ := os.ReadFile(n.file(today.AddDate(0, 0, -age)))
		for line := range strings.Lines(string(text)) {
			n.add(line)
		}
	}
	oldest := today.AddDate(0, 0, -noteDays).UTC().Format(dayFormat)
	all, _ := filepath.Glob(filepath.Join(n.dir, "*"+notesSuffix))
	for _, file := range all {
		_, day, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), notesSuffix), ".")
		if day < oldest {
			_ = os.Remove(file)
		}
	}
}

func (n *Notes) add(line string) {
	var e entry
	if json.Unmarshal([]byte(line), &e) != nil || e.Scope != "" && n.scope != "" && e.Scope != n.scope {
		return // half a line, or a note about another service
	}
	if last := n.earlier[e.Content]; e.Content != "" && !e.Start.IsZero() && !last.Written.Before(e.Start) {
		return // another process of the same plan has noted it
	}
	if e.Content == "" {
		// Another process of the same plan, for another alias of the provider, takes nothing back.
		maps.DeleteFunc(n.earlier, func(_ string, old entry) bool {
			return old.Written.Before(e.Start) && e.mayBe(old.Position)
		})
	}
	n.earlier[e.key()] = e
}

func (n *Notes) file(day time.Time) string {
	return filepath.Join(n.dir, hash(n.Place)+"."+day.UTC().Format(dayFormat)+notesSuffix)
}

// Place returns the value of [Config.Place] for the current working directory, workspace and
// backend.
func Place(getenv func(string) string) string {
	dir, _ := os.Getwd() // if it fails, it fails for the plan and for its apply
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	data := cmp.Or(getenv("TF_DATA_DIR"), ".terraform")
	workspace := getenv("TF_WORKSPACE")
	if workspace == "" {
		selected, _ := os.ReadFile(filepath.Join(data, "environment"))
		workspace = cmp.Or(strings.TrimSpace(string(selected)), "default")
	}
	var initialized struct {
		Backend json.RawMessage `json:"backend"`
	}
	text, _ := os.ReadFile(filepath.Join(data, "terraform.tfstate")) // which names the backend, not its state
	_ = json.Unmarshal(text, &initialized)
	return strings.Join([]string{dir, workspace, string(initialized.Backend)}, "\x00")
}

// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The metadata keys that a client sends (attachAssessment).
const (
	keyPackages  = "packages"
	keyBenchmark = "benchmark"
	keyProfile   = "profile"
	keyTests     = "tests"
)

// configuration reads and checks the body of attachAssessment. It returns the assessment that the body names, and the
// metadata in the body. Its error is the rejection of the request. The parameter before is the present metadata of the
// position assessment, or the zero value for a new position assessment. The tests in before are accepted even if they
// are no longer enabled.
func (c *incomingCall) configuration(position *Position, before Metadata) (*Assessment, Metadata, error) {
	body, err := c.object(assessmentMember, "metadata")
	if err != nil {
		return nil, Metadata{}, err
	}
	assessment, err := c.assessmentIn(body)
	if err != nil {
		return nil, Metadata{}, err
	}
	sent, err := metadataIn(body)
	if err != nil {
		return nil, Metadata{}, err
	}
	metadata, err := readMetadata(assessment, sent)
	if err != nil {
		return nil, Metadata{}, err
	}
	return assessment, metadata, metadata.check(assessment, position, before)
}

// metadataIn returns the metadata in the body of attachAssessment, or an empty object if they are absent or null.
func metadataIn(body Object) (Object, error) {
	value, ok := body.Get("metadata")
	if !ok || string(value) == "null" {
		return Object{}, nil
	}
	metadata, err := ParseObject(value)
	if err != nil {
		return nil, badRequest("INVALID_METADATA", "metadata: %v", err)
	}
	return metadata, nil
}

// assessmentIn returns the assessment that the body of attachAssessment names. It rejects a body that does not name an
// existing assessment.
func (c *incomingCall) assessmentIn(body Object) (*Assessment, error) {
	value, ok := body.Get(assessmentMember)
	if !ok {
		return nil, badRequest("INVALID_BODY", "%s is missing", assessmentMember)
	}
	id, err := readText(assessmentMember, value)
	if err != nil {
		return nil, err
	}
	assessment := c.state.Assessment(id)
	if assessment == nil {
		return nil, badRequest("INVALID_BODY", "%s: there is no assessment %q", assessmentMember, id)
	}
	return assessment, nil
}

// readMetadata decodes the keys that apply to the assessment. It rejects all other keys, and values that readText or
// readTexts reject. It does not check whether the assessment has the options that the values name.
func readMetadata(assessment *Assessment, sent Object) (metadata Metadata, err error) {
	applicable := rulesOf[assessment.Kind].keys
	for _, member := range sent {
		where := "metadata." + member.Name
		if !slices.Contains(applicable, member.Name) {
			return Metadata{}, badRequest("INVALID_METADATA",
				"%s (%s) does not apply to the assessment %q. Keys that apply: %s", where, member.Value, assessment.ID,
				cmp.Or(strings.Join(applicable, ", "), "none"))
		}
		switch member.Name {
		case keyPackages:
			metadata.Packages, err = readTexts(where, member.Value)
		case keyBenchmark:
			metadata.Benchmark, err = readText(where, member.Value)
		case keyProfile:
			metadata.Profile, err = readText(where, member.Value)
		case keyTests:
			metadata.Tests, err = readTexts(where, member.Value)
		}
		if err != nil {
			return Metadata{}, err
		}
	}
	return metadata, nil
}

// check rejects metadata that omit a required option, or that name an option that the assessment does not have. It also
// rejects a benchmark of another locale (checkBenchmark) and a test that is not enabled (checkTests).
func (m Metadata) check(assessment *Assessment, position *Position, before Metadata) error {
	if assessment.Kind == Skills {
		return m.checkTests(assessment, before)
	}
	if assessment.Kind == MultiGameCognitive {
		if err := m.checkPackages(assessment); err != nil {
			return err
		}
	}
	if m.Profile != "" && assessment.Profile(m.Profile) == nil {
		return noSuch(keyProfile, m.Profile, assessment)
	}
	return m.checkBenchmark(assessment, position)
}

// checkBenchmark rejects a benchmark that the assessment does not have. If the position has a locale, it also rejects a
// benchmark that does not have the same locale. It accepts metadata without a benchmark.
func (m Metadata) checkBenchmark(assessment *Assessment, position *Position) error {
	if m.Benchmark == "" {
		return nil
	}
	benchmark := assessment.Benchmark(m.Benchmark)
	if benchmark == nil {
		return noSuch(keyBenchmark, m.Benchmark, assessment)
	}
	if position.Locale != "" && benchmark.Locale != position.Locale {
		return badRequest("INVALID_METADATA",
			"metadata.benchmark %q has the locale %q, but the position %q has the locale %q",
			m.Benchmark, benchmark.Locale, position.ID, position.Locale)
	}
	return nil
}

// checkPackages rejects metadata without packages, packages that the assessment does not have, and metadata that omit
// a mandatory package.
func (m Metadata) checkPackages(assessment *Assessment) error {
	for _, id := range m.Packages {
		if assessment.Package(id) == nil {
			return noSuch(keyPackages, id, assessment)
		}
	}
	var missing []string
	for _, p := range assessment.Packages {
		if p.Mandatory && !slices.Contains(m.Packages, p.ID) {
			missing = append(missing, fmt.Sprintf("%q", p.ID))
		}
	}
	if len(missing) > 0 {
		return badRequest("INVALID_METADATA",
			"metadata.packages must contain the mandatory packages of the assessment %q. Missing: %s",
			assessment.ID, strings.Join(missing, ", "))
	}
	if len(m.Packages) == 0 {
		return badRequest("INVALID_METADATA", "metadata.packages is required for the assessment %q", assessment.ID)
	}
	return nil
}

// checkTests rejects metadata without tests, and tests that the assessment does not have or that are not enabled. It
// accepts a disabled test that is also in before, the present metadata of the position assessment.
func (m Metadata) checkTests(assessment *Assessment, before Metadata) error {
	if len(m.Tests) == 0 {
		return badRequest("INVALID_METADATA",
			"metadata.tests must name one or more skills tests of the assessment %q", assessment.ID)
	}
	for _, id := range m.Tests {
		test := assessment.SkillsTest(id)
		if test == nil {
			return noSuch(keyTests, id, assessment)
		}
		if !test.Active() && !slices.Contains(before.Tests, id) {
			return badRequest("INVALID_METADATA", "metadata.tests: the skills test %q is not active", id)
		}
	}
	return nil
}

func noSuch(key, id string, assessment *Assessment) error {
	return badRequest("INVALID_METADATA", "metadata.%s: the assessment %q has no %q", key, assessment.ID, id)
}

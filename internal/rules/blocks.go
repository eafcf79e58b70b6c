// SPDX-License-Identifier: MPL-2.0

package rules

// The blocks that configure an assessment (assumption A29).
const (
	PackagesBlock  = "packages"
	BenchmarkBlock = "benchmark"
	ProfileBlock   = "profile"
	TestsBlock     = "tests"
)

// Certainty says whether a configuration contains a block.
type Certainty int

// A block is Possible if the configuration may turn out not to contain it.
const (
	Absent Certainty = iota
	Possible
	Certain
)

// combines reports whether an assessment can have both blocks.
func combines(a, b string) bool {
	return (a == PackagesBlock || a == BenchmarkBlock) && (b == PackagesBlock || b == BenchmarkBlock)
}

// Offer says what the service lists for one block of an assessment.
type Offer struct {
	Block string
	// Some is whether the list has elements. Hidden is whether the service does not offer it.
	Some, Hidden bool
}

// Blocks returns which blocks an assessment accepts, and which of them it requires
// (assumption A29). A block whose list is hidden is accepted, because the service may
// accept ids that it does not list.
func Blocks(offers []Offer) (accepted, required []string) {
	for _, o := range offers {
		if o.Some || o.Hidden {
			accepted = append(accepted, o.Block)
		}
		if o.Some && (o.Block == PackagesBlock || o.Block == TestsBlock) {
			required = append(required, o.Block)
		}
	}
	return accepted, required
}

// SPDX-License-Identifier: MPL-2.0

package engine

import "context"

// AssessmentNames returns the names of all assessments of the organization by their ids.
func (e *Engine) AssessmentNames(ctx context.Context) (map[string]string, error) {
	all, err := e.Assessments(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, assessment := range all {
		names[assessment.ID] = assessment.Label().Name
	}
	return names, nil
}

// BenchmarkNames returns the names of the benchmarks of a position by the ids of their
// assessments. It omits benchmarks whose names cannot be read, because the callers do not
// depend on them.
func (e *Engine) BenchmarkNames(ctx context.Context, position string) map[string]string {
	attached, _, err := e.Attached(ctx, position)
	if err != nil {
		return nil
	}
	names := map[string]string{}
	for _, pa := range attached {
		if pa.Metadata.Benchmark == nil {
			continue
		}
		benchmarks, _ := e.Benchmarks(ctx, pa.AssessmentID)
		for _, benchmark := range benchmarks {
			if benchmark.ID == *pa.Metadata.Benchmark {
				names[pa.AssessmentID] = benchmark.Label().Name
			}
		}
	}
	return names
}

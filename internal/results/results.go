// SPDX-License-Identifier: MPL-2.0

// Package results contains the data source and the ephemeral resource that read results, and the functions and the
// action that write reports. All of them use [assessapi.Candidate].
package results

import (
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// DataSource returns assess_position_results.
func DataSource() datasource.DataSource { return &dataSource{tf.DataSource{Name: "position_results"}} }

// EphemeralResource returns assess_position_results, which stores nothing.
func EphemeralResource() ephemeral.EphemeralResource { return &ephemeralResource{} }

// Action returns assess_results_report.
func Action() action.Action { return &reportAction{} }

// Functions returns the functions that write reports.
func Functions() []func() function.Function {
	return []func() function.Function{
		func() function.Function { return resultsCSV },
		func() function.Function { return resultsHTML },
		func() function.Function { return resultsMarkdown },
	}
}

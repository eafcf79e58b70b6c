// SPDX-License-Identifier: MPL-2.0

package workflows_test

import (
	"testing"

	"github.com/rhysd/actionlint"
)

// Only a service that keeps its data can have drift, and only the default branch describes it.
func TestDriftIsCheckedOnTheDefaultBranchOfAService(t *testing.T) {
	t.Parallel()
	condition := parse(t, files(t, "examples", "gitops")[0]).Jobs["drift"].If.Value
	for _, c := range []struct {
		event, service, off, branch string
		runs                        bool
	}{
		{"schedule", "https://assess.example.com", "", "main", true},
		{"schedule", "https://assess.example.com", "off", "main", false},
		{"schedule", "", "", "main", false},
		{"workflow_dispatch", "https://assess.example.com", "", "main", true},
		{"workflow_dispatch", "https://assess.example.com", "off", "main", true},
		{"workflow_dispatch", "", "", "main", false},
		{"workflow_dispatch", "https://assess.example.com", "", "other", false},
		{"push", "https://assess.example.com", "", "main", false},
		{"pull_request", "https://assess.example.com", "", "main", false},
	} {
		contexts := map[string]string{
			"github.event_name": c.event, "vars.assess_base_url": c.service, "vars.assess_drift": c.off,
			"github.ref_name": c.branch,
		}
		if c.event != "schedule" { // a schedule has no such value
			contexts["github.event.repository.default_branch"] = "main"
		}
		if got := evaluate(t, condition, contexts) != ""; got != c.runs {
			t.Errorf("%+v: the job runs: %t", c, got)
		}
	}
}

// evaluate returns the value of an expression. "" means false.
func evaluate(t *testing.T, text string, contexts map[string]string) string {
	t.Helper()
	node, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(text + "}}"))
	if err != nil {
		t.Fatal(err)
	}
	return valueOf(t, node, contexts)
}

func valueOf(t *testing.T, node actionlint.ExprNode, contexts map[string]string) string {
	t.Helper()
	switch n := node.(type) {
	case *actionlint.StringNode:
		return n.Value
	case *actionlint.VariableNode, *actionlint.ObjectDerefNode:
		return contexts[contextName(t, n)]
	case *actionlint.CompareOpNode:
		equal := valueOf(t, n.Left, contexts) == valueOf(t, n.Right, contexts)
		if equal == (n.Kind == actionlint.CompareOpNodeKindEq) {
			return "true"
		}
		return ""
	case *actionlint.LogicalOpNode:
		left := valueOf(t, n.Left, contexts)
		if (left == "") == (n.Kind == actionlint.LogicalOpNodeKindAnd) {
			return left
		}
		return valueOf(t, n.Right, contexts)
	}
	t.Fatalf("this test does not implement %T", node)
	return ""
}

// contextName returns the name of a context, such as github.ref_name.
func contextName(t *testing.T, node actionlint.ExprNode) string {
	t.Helper()
	switch n := node.(type) {
	case *actionlint.VariableNode:
		return n.Name
	case *actionlint.ObjectDerefNode:
		return contextName(t, n.Receiver) + "." + n.Property
	}
	t.Fatalf("this test does not implement %T", node)
	return ""
}

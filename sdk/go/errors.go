// SPDX-License-Identifier: Apache-2.0

package baton

import (
	"fmt"
	"strings"

	"baton.example/go/generated"
)

// Problem is the error for a request that cannot be used.
type Problem struct {
	Code     string              `json:"code"`
	Status   int                 `json:"status"`
	Title    string              `json:"title"`
	Detail   string              `json:"detail"`
	Scope    string              `json:"scope"`
	Outcome  string              `json:"outcome"`
	Findings []generated.Finding `json:"findings"`
	Record   *generated.Record   `json:"record"`
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("baton: %s (%d): %s", p.Code, p.Status, p.Detail)
	for i, finding := range p.Findings {
		if i == 3 {
			return text + fmt.Sprintf(" and %d more", len(p.Findings)-i)
		}
		text += fmt.Sprintf(" %s at %q: %s.", finding.Code, finding.Pointer, finding.Message)
	}
	return text
}

// Rejected is the error for a handoff that was judged and refused. The refusal is in the ledger, at Record.
type Rejected struct {
	Report *generated.Report
	Record *generated.Record
}

func (r *Rejected) Error() string {
	var codes []string
	for _, document := range r.Report.Documents {
		for _, finding := range document.Findings {
			if finding.Severity == "HARD" && (len(codes) == 0 || codes[len(codes)-1] != finding.Code) {
				codes = append(codes, finding.Code)
			}
		}
	}
	return "baton: the handoff was refused: " + strings.Join(codes, ", ")
}

// Unavailable is the error when there is no answer that decides: no server, no store, no answer in time. Outcome is "none" when nothing was
// recorded, and "unknown" when that cannot be told. It is never an acceptance.
type Unavailable struct {
	Outcome string
	Reason  string
	Cause   error
}

func (u *Unavailable) Error() string {
	return fmt.Sprintf("baton: unavailable (outcome: %s): %s", u.Outcome, u.Reason)
}

// Unwrap gives the cause: a *Problem, or the error of the connection or the context.
func (u *Unavailable) Unwrap() error { return u.Cause }

// Incompatible is the error for a server of another major version, or one that is not Baton.
type Incompatible struct{ Reason string }

func (i *Incompatible) Error() string { return "baton: " + i.Reason }

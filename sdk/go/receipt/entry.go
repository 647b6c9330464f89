// SPDX-License-Identifier: Apache-2.0

package receipt

import (
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

const seqMax = 1<<53 - 1

var (
	namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$`)
	textPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._:/@+,-]{0,199}$`)
	hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	timePattern = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`)
	codePattern = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,63}$`)
)

// member is what the schema of an entry says about one member.
type member struct {
	fits     func(*value) bool
	required bool
}

type shape map[string]member

func isMatch(pattern *regexp.Regexp) func(*value) bool {
	return func(v *value) bool { return v.kind == kindString && pattern.MatchString(v.text) }
}

func isWord(words ...string) func(*value) bool {
	return func(v *value) bool {
		for _, word := range words {
			if v.kind == kindString && v.text == word {
				return true
			}
		}
		return false
	}
}

func isSeq(v *value) bool {
	number, ok := v.integer()
	return ok && number >= 0 && number <= seqMax
}

func isBool(v *value) bool { return v.kind == kindBool }

func isTrue(v *value) bool { return v.kind == kindBool && v.truth }

func isOne(v *value) bool { return v.kind == kindNumber && v.text == "1" }

// isList checks a list whose items are all different.
func isList(fits func(*value) bool, least, most int) func(*value) bool {
	return func(v *value) bool {
		seen := map[string]bool{}
		for _, item := range v.items {
			if !fits(item) || seen[item.text] {
				return false
			}
			seen[item.text] = true
		}
		return v.kind == kindArray && len(v.items) >= least && len(v.items) <= most
	}
}

func isShape(s shape, least int) func(*value) bool {
	return func(v *value) bool {
		if v.kind != kindObject || len(v.names) < least {
			return false
		}
		for _, name := range v.names {
			if known, ok := s[name]; !ok || !known.fits(v.member[name]) {
				return false
			}
		}
		for name, known := range s {
			if known.required && v.member[name] == nil {
				return false
			}
		}
		return true
	}
}

var (
	isName   = isMatch(namePattern)
	isHash   = isMatch(hashPattern)
	isTime   = isMatch(timePattern)
	withheld = []string{"codes", "handoff_id", "source", "target", "trace_id"}

	documentShape = shape{"kept": {isBool, true}, "sha256": {isHash, true}, "size": {isSeq, true}, "truncated": {isTrue, false}}
	attestShape   = shape{"boundaries_respected": {isBool, true}, "composition_valid": {isBool, true}, "source_agent_verified": {isBool, true},
		"target_agent_verified": {isBool, true}}
	refsShape = shape{"parent": {isSeq, false}, "attempts": {isSeq, false}, "manifest": {isHash, false}, "lock": {isHash, false}, "policy": {isHash, false},
		"before": {isHash, false}, "after": {isHash, false}, "fingerprint": {isHash, false}, "agent": {isName, false}, "approval": {isName, false},
		"grant": {isName, false}, "context": {isName, false}, "event": {isName, false}, "message": {isName, false}, "thread": {isName, false},
		"old_key": {isName, false}, "new_key": {isName, false}, "reason": {isMatch(textPattern), false}, "pinned": {isTime, false}}
	entryShape = shape{"v": {isOne, true}, "seq": {isSeq, true}, "time": {isTime, true}, "actor": {isName, true},
		"kind":     {isWord("handoff", "approval", "block", "unblock", "context", "delivery", "redaction", "key", "raw"), true},
		"dialect":  {isWord("plan", "contract", "universal", "governed", "xml", "raw", "baton"), true},
		"verdict":  {isWord("accepted", "rejected", "recorded"), true},
		"codes":    {isList(isMatch(codePattern), 0, 100), true},
		"withheld": {isList(isWord(withheld...), 1, 5), false}, "handoff_id": {isName, false}, "trace_id": {isName, false}, "source": {isName, false},
		"target": {isName, false}, "document": {isShape(documentShape, 0), false}, "attest": {isShape(attestShape, 0), false}, "refs": {isShape(refsShape, 1), false}}
)

// What an entry of a kind of Baton's own must have in refs.
var needs = map[string][]string{"approval": {"approval", "event", "fingerprint"}, "block": {"agent", "reason"}, "unblock": {"agent", "reason"},
	"context": {"context", "after"}, "delivery": {"message", "event"}, "redaction": {"reason"}, "key": {"old_key", "new_key"}}

func textOf(v *value) string {
	if v == nil {
		return ""
	}
	return v.text
}

func textsOf(v *value) []string {
	found := []string{}
	if v != nil {
		for _, item := range v.items {
			found = append(found, item.text)
		}
	}
	return found
}

func timeIsReal(text string) bool {
	found, err := time.Parse("2006-01-02T15:04:05.000Z", text)
	return err == nil && found.Year() >= 1970
}

func keepsTime(e *value) bool {
	pinned := e.get("refs").get("pinned")
	return timeIsReal(textOf(e.get("time"))) && (pinned == nil || timeIsReal(pinned.text))
}

func keepsOrder(e *value) bool {
	codes := textsOf(e.get("codes"))
	return sort.StringsAreSorted(codes) && sort.StringsAreSorted(textsOf(e.get("withheld"))) && (len(codes) > 0) == (textOf(e.get("verdict")) == "rejected")
}

func fitsKind(e *value) bool {
	kind, dialect, verdict := textOf(e.get("kind")), textOf(e.get("dialect")), textOf(e.get("verdict"))
	hasDocument := e.get("document") != nil
	switch kind {
	case "handoff":
		return dialect != "raw" && dialect != "baton" && verdict != "recorded" && hasDocument
	case "raw":
		return dialect == "raw" && verdict != "accepted" && hasDocument
	}
	for _, name := range needs[kind] {
		if e.get("refs").get(name) == nil {
			return false
		}
	}
	return dialect == "baton" && verdict == "recorded" && (kind != "redaction" || hasDocument)
}

func withholdsNothingPresent(e *value) bool {
	for _, name := range textsOf(e.get("withheld")) {
		if name != "codes" && e.get(name) != nil {
			return false
		}
	}
	return true
}

func parentIsEarlier(e *value) bool {
	parent, hasParent := e.get("refs").get("parent").integer()
	seq, _ := e.get("seq").integer()
	return !hasParent || parent < seq
}

func attestsGoverned(e *value) bool {
	return e.get("attest") == nil || textOf(e.get("dialect")) == "governed"
}

// entryRules are tested in this order, after E1 and E0.
var entryRules = []struct {
	name  string
	why   string
	keeps func(*value) bool
}{
	{"E2", "its time is not a real date and time", keepsTime},
	{"E3", "codes and withheld are sorted, and codes stand exactly in refusals", keepsOrder},
	{"E4", "dialect, verdict and members do not fit its kind", fitsKind},
	{"E5", "a member is both there and withheld", withholdsNothingPresent},
	{"E6", "refs.parent is not an earlier entry", parentIsEarlier},
	{"E7", "only governed handoffs are attested", attestsGoverned},
}

// judgeEntry gives the entry, the first rule that it breaks, or that its format is a newer one.
func judgeEntry(text []byte) (entry *value, rule, why string, newer bool) {
	found, err := parseJSON(text)
	var form strings.Builder
	if err != nil || !canonical(&form, found) || form.String() != string(text) {
		return nil, "E1", "it is not in the form of RFC 8785", false
	}
	if !isShape(entryShape, 0)(found) {
		if v := found.get("v"); v != nil && v.kind == kindNumber {
			if number, err := strconv.ParseFloat(v.text, 64); err == nil && number > 1 && number == math.Trunc(number) {
				return found, "", "", true
			}
		}
		return nil, "E0", "it does not fit the schema ledger-entry", false
	}
	for _, rule := range entryRules {
		if !rule.keeps(found) {
			return nil, rule.name, rule.why, false
		}
	}
	return found, "", "", false
}

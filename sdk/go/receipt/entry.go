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
	namePattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$`)
	textPattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._:/@+,-]{0,199}$`)
	hashPattern    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	timePattern    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`)
	codePattern    = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,63}$`)
	deliverPattern = regexp.MustCompile(`^[hw][0-9]{1,16}$`)
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

func isCount(v *value) bool {
	number, ok := v.integer()
	return ok && number >= 1 && number <= seqMax
}

func isBool(v *value) bool { return v.kind == kindBool }

func isTrue(v *value) bool { return v.kind == kindBool && v.truth }

func isVersion(text string) func(*value) bool {
	return func(v *value) bool { return v.kind == kindNumber && v.text == text }
}

// isDeliver checks one or two deliveries; E9 has their order.
func isDeliver(v *value) bool {
	for _, item := range v.items {
		if !isMatch(deliverPattern)(item) {
			return false
		}
	}
	return v.kind == kindArray && (len(v.items) == 1 || len(v.items) == 2)
}

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
	countShape = shape{"actor": {isCount, true}, "source": {isCount, false}, "trace": {isCount, false}, "client": {isCount, false}}
	judgeShape = shape{"rules": {isHash, true}, "version": {isName, true}}
	kinds      = []string{"handoff", "approval", "block", "unblock", "context", "delivery", "redaction", "key", "raw"}
	// The members of version 1, which version 2 adds to.
	entryShape = shape{"v": {isVersion("1"), true}, "seq": {isSeq, true}, "time": {isTime, true}, "actor": {isName, true},
		"kind":     {isWord(kinds...), true},
		"dialect":  {isWord("plan", "contract", "universal", "governed", "xml", "raw", "baton"), true},
		"verdict":  {isWord("accepted", "rejected", "recorded"), true},
		"codes":    {isList(isMatch(codePattern), 0, 100), true},
		"withheld": {isList(isWord(withheld...), 1, 5), false}, "handoff_id": {isName, false}, "trace_id": {isName, false}, "source": {isName, false},
		"target": {isName, false}, "document": {isShape(documentShape, 0), false}, "attest": {isShape(attestShape, 0), false}, "refs": {isShape(refsShape, 1), false}}
	entryShape2 = joinShapes(entryShape, shape{"v": {isVersion("2"), true}, "n": {isShape(countShape, 0), true}, "deliver": {isDeliver, false},
		"judge": {isShape(judgeShape, 0), false}, "kind": {isWord(append([]string{"heartbeat", "policy", "hold"}, kinds...)...), true}})
)

func joinShapes(first, second shape) shape {
	joined := shape{}
	for _, part := range []shape{first, second} {
		for name, known := range part {
			joined[name] = known
		}
	}
	return joined
}

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

func countsFit(e *value) bool {
	n := e.get("n")
	return n == nil || (n.get("source") != nil) == (e.get("source") != nil) && (n.get("trace") != nil) == (e.get("trace_id") != nil)
}

func deliversItself(e *value) bool {
	deliver := textsOf(e.get("deliver"))
	for _, word := range deliver {
		if word[1:] != e.get("seq").text {
			return false
		}
	}
	return len(deliver) == 0 || textOf(e.get("kind")) == "handoff" && textOf(e.get("verdict")) == "accepted" && (len(deliver) == 1 || deliver[0] < deliver[1])
}

func judgesHandoffs(e *value) bool {
	return e.get("n") == nil || (e.get("judge") != nil) == (textOf(e.get("kind")) == "handoff")
}

func hasWhatItsKindNeeds(e *value) bool {
	refs, document := e.get("refs"), e.get("document")
	event := refs.get("event")
	switch textOf(e.get("kind")) {
	case "heartbeat":
		return event != nil && isWord("start", "beat", "stop")(event) && refs.get("message") != nil
	case "policy":
		return document != nil && document.get("kept").truth && textOf(refs.get("after")) == document.get("sha256").text
	case "hold":
		named := 0
		for _, name := range []string{"trace_id", "handoff_id", "document"} {
			if e.get(name) != nil {
				named++
			}
		}
		return event != nil && isWord("set", "released")(event) && refs.get("reason") != nil && named == 1
	}
	return true
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
	{"E8", "the counters do not fit source and trace_id", countsFit},
	{"E9", "deliver stands only in an accepted handoff, sorted, with its own number", deliversItself},
	{"E10", "judge stands exactly in handoffs", judgesHandoffs},
	{"E11", "a member that its kind needs is missing", hasWhatItsKindNeeds},
}

// judgeEntry gives the entry, the first rule that it breaks, or that its format is a newer one.
func judgeEntry(text []byte) (entry *value, rule, why string, newer bool) {
	found, err := parseJSON(text)
	var form strings.Builder
	if err != nil || !canonical(&form, found) || form.String() != string(text) {
		return nil, "E1", "it is not in the form of RFC 8785", false
	}
	if !isShape(entryShape, 0)(found) && !isShape(entryShape2, 0)(found) {
		if v := found.get("v"); v != nil && v.kind == kindNumber {
			if number, err := strconv.ParseFloat(v.text, 64); err == nil && number > 2 && number == math.Trunc(number) {
				return found, "", "", true
			}
		}
		return nil, "E0", "it does not fit the schema of its version", false
	}
	for _, rule := range entryRules {
		if !rule.keeps(found) {
			return nil, rule.name, rule.why, false
		}
	}
	return found, "", "", false
}

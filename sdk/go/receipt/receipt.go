// SPDX-License-Identifier: Apache-2.0

// Package receipt verifies receipts of a ledger offline: that an entry is in the log that a key signed, what it says, and that it is about a
// document. It needs no server.
//
//	result, err := receipt.Verify(text, []string{vkey}, document)
//	if err == nil && result.Accepted() { ... }
package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	receiptBytesMax = 256 << 10
	entryBytesMax   = 65535
	hashesMax       = 63
	firstLine       = "c2sp.org/tlog-proof@v1"
)

// Finding is one statement about a receipt. Its code is one of Baton's rules: `baton explain CODE`.
type Finding struct {
	Code     string         `json:"code"`
	Severity string         `json:"severity"`
	Stage    string         `json:"stage"`
	Pointer  string         `json:"pointer"`
	Message  string         `json:"message"`
	Security bool           `json:"security,omitempty"`
	Params   map[string]any `json:"params,omitempty"`
}

// Witness is a witness whose cosignature is valid, and when it cosigned.
type Witness struct {
	Name string `json:"name"`
	Time uint64 `json:"time"`
}

// Result is what was found out. What stands behind Proven is trusted only when Proven is true.
type Result struct {
	Findings []Finding `json:"findings"`
	Form     string    `json:"form"` // text or json

	Trusted   bool      `json:"trusted"` // a given key signed the checkpoint
	Origin    string    `json:"origin,omitempty"`
	Size      int64     `json:"size,omitempty"`
	Root      string    `json:"root,omitempty"`
	Witnesses []Witness `json:"witnesses,omitempty"`

	Proven   bool            `json:"proven"` // the entry is in the log, and one that Baton writes
	Index    int64           `json:"index,omitempty"`
	LeafHash string          `json:"leaf_hash,omitempty"`
	Ref      string          `json:"ref,omitempty"`
	Entry    json.RawMessage `json:"entry,omitempty"`
	Document string          `json:"document,omitempty"` // matched, mismatched or not_given
}

// Accepted is true when the receipt proves what its bearer claims: there is no finding that blocks, and the entry is proven.
func (r *Result) Accepted() bool {
	for _, finding := range r.Findings {
		if finding.Severity == "HARD" {
			return false
		}
	}
	return r.Proven
}

// Options are what a receipt is verified with.
type Options struct {
	VKeys          []string // of logs that are trusted; at least one
	Document       []byte   // the document that it should be about; nil: not given
	Entry          []byte   // in place of the one in the receipt; nil: that one
	WitnessKeys    []string
	RequireWitness int  // so many distinct witnesses must have cosigned; 0: one when there are WitnessKeys; negative: none
	AnyVerdict     bool // a proof of a refusal is wanted, too
}

// Verify verifies a receipt, in its text or its JSON form, with the public keys of trusted logs, and with the document unless that is nil. An error
// means that a key cannot be used; everything else is in the result.
func Verify(text []byte, vkeys []string, document []byte) (*Result, error) {
	return VerifyWith(text, Options{VKeys: vkeys, Document: document})
}

// VerifyWith verifies a receipt as Verify does, with more options.
func VerifyWith(text []byte, options Options) (*Result, error) {
	if len(options.VKeys) == 0 {
		return nil, errors.New("receipt: at least one vkey is needed")
	}
	run := &run{options: options, result: &Result{Findings: []Finding{}, Form: "text"}}
	for _, list := range []struct {
		texts     []string
		algorithm byte
		keys      *[]*key
	}{{options.VKeys, keyLog, &run.logs}, {options.WitnessKeys, keyWitness, &run.witnesses}} {
		for _, text := range list.texts {
			parsed, err := parseKey(text, list.algorithm)
			if err != nil {
				return nil, fmt.Errorf("receipt: %w", err)
			}
			*list.keys = append(*list.keys, parsed)
		}
	}
	if run.required = options.RequireWitness; run.required == 0 && len(run.witnesses) > 0 {
		run.required = 1
	}
	run.verify(text)
	sort.SliceStable(run.result.Findings, func(i, k int) bool { return run.result.Findings[i].Code < run.result.Findings[k].Code })
	return run.result, nil
}

func sha256Of(parts ...[]byte) [32]byte { return sha256.Sum256(bytes.Join(parts, nil)) }

// proof is a receipt as it was read.
type proof struct {
	index      int64
	entry      []byte // nil: it carries none
	hashes     tlog.RecordProof
	checkpoint string
}

// run is one verification.
type run struct {
	options   Options
	logs      []*key
	witnesses []*key
	required  int
	result    *Result
	proof     proof
	note      *checkpoint
}

// Severity, stage and security of the codes that are not HARD, stage record, security.
var unusual = map[string]Finding{
	"RECEIPT_SYNTAX":           {Severity: "HARD", Stage: "read"},
	"LEDGER_CHECKPOINT_SYNTAX": {Severity: "HARD", Stage: "read"},
	"LEDGER_ENTRY_VERSION":     {Severity: "WARN", Stage: "record"},
	"RECEIPT_ENTRY_MISSING":    {Severity: "HARD", Stage: "record"},
	"RECEIPT_VERDICT":          {Severity: "HARD", Stage: "record"},
}

func (r *run) add(code, pointer, message string, params map[string]any) {
	finding, ok := unusual[code]
	if strings.HasPrefix(code, "JSON_") {
		finding, ok = Finding{Severity: "HARD", Stage: "read"}, true
	}
	if !ok {
		finding = Finding{Severity: "HARD", Stage: "record", Security: true}
	}
	finding.Code, finding.Pointer, finding.Message, finding.Params = code, pointer, message, params
	r.result.Findings = append(r.result.Findings, finding)
}

// verify takes the steps in their order; the first five end it when they fail.
func (r *run) verify(text []byte) {
	_ = r.readReceipt(text) && r.checkCheckpoint() && r.checkInclusion() && r.checkEntry()
}

func (r *run) readReceipt(text []byte) bool {
	reason, line := "it is longer than 256 KiB", 0
	if len(text) <= receiptBytesMax {
		if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
			r.result.Form = "json"
			parsed, err := parseJSON(text)
			if err != nil {
				r.add(err.code, err.pointer, "the receipt is not JSON: "+err.Error(), nil)
				return false
			}
			reason = r.proof.fromJSON(parsed)
		} else {
			reason, line = r.proof.fromText(string(text))
		}
	}
	if reason == "" {
		return true
	}
	params := map[string]any{"line": nil}
	if line > 0 {
		params["line"] = line
	}
	r.add("RECEIPT_SYNTAX", "", "this is not a receipt: "+reason, params)
	return false
}

func (p *proof) decodeEntry(encoded string) string {
	data, ok := decodeBase64(encoded)
	if !ok || len(data) > entryBytesMax {
		return "the entry is not base64 of at most 65,535 bytes"
	}
	p.entry = append([]byte{}, data...)
	return ""
}

func (p *proof) fromText(text string) (reason string, line int) {
	next := func() (string, bool) {
		line++
		found, rest, ok := strings.Cut(text, "\n")
		if ok {
			text = rest
		}
		return found, ok
	}
	if first, ok := next(); !ok || first != firstLine {
		return "the first line is not " + firstLine, line
	}
	found, ok := next()
	if ok && strings.HasPrefix(found, "extra ") {
		if reason := p.decodeEntry(strings.TrimPrefix(found, "extra ")); reason != "" {
			return reason, line
		}
		found, ok = next()
	}
	if !ok {
		return "it ends too early", line
	}
	index, fits := parseSize(strings.TrimPrefix(found, "index "))
	if !strings.HasPrefix(found, "index ") || !fits {
		return "the line is not `index` and a number", line
	}
	p.index = index
	for {
		found, ok := next()
		if !ok {
			return "an empty line must end the hashes", line
		}
		if found == "" {
			p.checkpoint = text
			return "", line
		}
		data, fits := decodeBase64(found)
		if len(p.hashes) == hashesMax || !fits || len(data) != tlog.HashSize {
			return "the line is not the base64 of a hash, or there are more than 63", line
		}
		var hash tlog.Hash
		copy(hash[:], data)
		p.hashes = append(p.hashes, hash)
	}
}

func (p *proof) fromJSON(root *value) string {
	entry, list, text := root.get("entry"), root.get("proof"), root.get("checkpoint")
	members := 4
	if entry != nil {
		members = 5
	}
	if root.kind != kindObject || len(root.names) != members || root.get("baton_receipt") == nil {
		return "it is not an object of baton_receipt, index, entry, proof and checkpoint"
	}
	if version, ok := root.get("baton_receipt").integer(); !ok || version != 1 {
		return "baton_receipt is not 1"
	}
	index, ok := root.get("index").integer()
	if !ok || index < 0 {
		return "index is not a whole number"
	}
	if text == nil || text.kind != kindString {
		return "checkpoint is not a string"
	}
	if list == nil || list.kind != kindArray || len(list.items) > hashesMax {
		return "proof is not a list of at most 63 hashes"
	}
	for _, item := range list.items {
		data, err := hex.DecodeString(item.text)
		if item.kind != kindString || err != nil || len(data) != tlog.HashSize || strings.ToLower(item.text) != item.text {
			return "proof is not a list of at most 63 hashes"
		}
		var hash tlog.Hash
		copy(hash[:], data)
		p.hashes = append(p.hashes, hash)
	}
	p.index, p.checkpoint = index, text.text
	if entry == nil {
		return ""
	}
	if entry.kind != kindString {
		return "entry is not a string"
	}
	return p.decodeEntry(entry.text)
}

// judgeKeys finds whether a known key of the origin signed, and a known key whose signature does not fit.
func (r *run) judgeKeys() (known, signed bool, culprit *key) {
	for _, k := range r.logs {
		hasSigned, valid := r.note.judgeLog(k)
		isOrigin := k.name == r.note.origin
		known = known || isOrigin
		signed = signed || (isOrigin && hasSigned)
		if !valid && culprit == nil {
			culprit = k
		}
	}
	return known, signed, culprit
}

func (r *run) checkCheckpoint() bool {
	note, reason := readCheckpoint(r.proof.checkpoint)
	if reason != "" {
		r.add("LEDGER_CHECKPOINT_SYNTAX", "/checkpoint", "this is not a checkpoint: "+reason, map[string]any{"reason": reason})
		return false
	}
	r.note = note
	known, signed, culprit := r.judgeKeys()
	switch {
	case !known:
		r.add("LEDGER_ORIGIN_MISMATCH", "/checkpoint", "the checkpoint belongs to another log", map[string]any{"expected": r.logs[0].name, "actual": note.origin})
	case !signed:
		keys := []string{}
		for _, line := range note.lines {
			keys = append(keys, fmt.Sprintf("%s+%08x", line.name, line.hash))
		}
		r.add("LEDGER_KEY_UNKNOWN", "/checkpoint", "no key that is trusted here signed this checkpoint", map[string]any{"keys": keys})
	case culprit != nil:
		r.add("LEDGER_SIGNATURE_INVALID", "/checkpoint", "the signature of "+culprit.name+" does not fit the text of the checkpoint", map[string]any{"key": culprit.id()})
	default:
		r.result.Trusted, r.result.Origin, r.result.Size, r.result.Root = true, note.origin, note.size, hex.EncodeToString(note.root[:])
		return r.checkWitnesses()
	}
	return false
}

func (r *run) checkWitnesses() bool {
	fine := true
	seen := map[string]bool{}
	for _, k := range r.witnesses {
		if seen[k.text] {
			continue
		}
		seen[k.text] = true
		cosigned, valid, when := r.note.judgeWitness(k)
		if cosigned && !valid {
			fine = false
			pointer := "/cosignature/" + strings.ReplaceAll(k.name, "/", "~1")
			r.add("LEDGER_SIGNATURE_INVALID", pointer, "the cosignature of "+k.name+" does not fit this checkpoint", map[string]any{"key": k.id()})
		} else if cosigned {
			r.result.Witnesses = append(r.result.Witnesses, Witness{k.name, when})
		}
	}
	return fine
}

func (r *run) checkInclusion() bool {
	if r.options.Entry != nil {
		r.proof.entry = r.options.Entry
	}
	if r.proof.entry == nil {
		r.add("RECEIPT_ENTRY_MISSING", "", "the receipt does not carry its entry", nil)
		return false
	}
	leaf := tlog.RecordHash(r.proof.entry)
	if tlog.CheckRecord(r.proof.hashes, r.note.size, r.note.root, r.proof.index, leaf) != nil {
		message := fmt.Sprintf("the proof does not show the entry as number %d of %d", r.proof.index, r.note.size)
		r.add("RECEIPT_PROOF_INVALID", "", message, map[string]any{"index": r.proof.index, "size": r.note.size})
		return false
	}
	r.result.LeafHash = hex.EncodeToString(leaf[:])
	return true
}

// checkEntry judges the entry that is in the log, and then what it proves.
func (r *run) checkEntry() bool {
	entry, rule, why, newer := judgeEntry(r.proof.entry)
	if rule != "" {
		r.result.LeafHash = ""
		r.add("LEDGER_ENTRY_INVALID", "/entry", "the entry breaks rule "+rule+": "+why, map[string]any{"rule": rule})
		return false
	}
	if newer {
		r.add("LEDGER_ENTRY_VERSION", "/entry", "the entry is of format "+entry.get("v").text+"; this package knows 1", map[string]any{"v": json.Number(entry.get("v").text)})
	} else if seq, _ := entry.get("seq").integer(); seq != r.proof.index {
		r.result.LeafHash = ""
		r.add("LEDGER_SEQ_MISMATCH", "/entry", fmt.Sprintf("the entry at %d says that it is number %d", r.proof.index, seq),
			map[string]any{"expected": r.proof.index, "actual": seq})
		return false
	}
	r.result.Proven, r.result.Index, r.result.Ref, r.result.Entry = true, r.proof.index, fmt.Sprintf("%s#%d", r.note.origin, r.proof.index), r.proof.entry
	if newer {
		entry = nil
	}
	r.checkVerdict(entry)
	r.checkDocument(entry)
	if len(r.result.Witnesses) < r.required {
		r.add("LEDGER_WITNESS_MISSING", "/checkpoint", fmt.Sprintf("%d cosignatures of known witnesses are required, %d found", r.required, len(r.result.Witnesses)),
			map[string]any{"required": r.required, "found": len(r.result.Witnesses)})
	}
	return true
}

// checkVerdict refuses a proof of a refusal, and one whose verdict cannot be read.
func (r *run) checkVerdict(entry *value) {
	if r.options.AnyVerdict || (entry != nil && textOf(entry.get("verdict")) != "rejected") {
		return
	}
	message := "it proves that the document was refused"
	if entry == nil {
		message = "the verdict of this entry cannot be read"
	}
	r.add("RECEIPT_VERDICT", "/entry/verdict", message, map[string]any{"codes": textsOf(entry.get("codes"))})
}

func (r *run) checkDocument(entry *value) {
	r.result.Document = "not_given"
	if r.options.Document == nil {
		return
	}
	digest := sha256.Sum256(r.options.Document)
	actual := hex.EncodeToString(digest[:])
	document := entry.get("document")
	size, _ := document.get("size").integer()
	if document != nil && textOf(document.get("sha256")) == actual && size == int64(len(r.options.Document)) && document.get("truncated") == nil {
		r.result.Document = "matched"
		return
	}
	r.result.Document = "mismatched"
	params := map[string]any{"expected": nil, "actual": actual}
	if document != nil {
		params["expected"] = textOf(document.get("sha256"))
	}
	r.add("RECEIPT_DOCUMENT_MISMATCH", "/entry/document", "the document that was given is not the one that was recorded", params)
}

// SPDX-License-Identifier: Apache-2.0

package baton

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"baton.example/go/generated"
)

const envelopeType = "application/vnd.baton.request+json"

// unversioned are the operations for which the version of the server is not asked first.
var unversioned = map[string]bool{"version": true, "healthz": true, "readyz": true, "metrics": true, "openapi": true, "problem": true}

// prepared is what every attempt of one call sends.
type prepared struct {
	operation *generated.Operation
	path      string
	header    map[string]string
	body      []byte
	hasBody   bool
	call      *generated.Call
}

func (p *prepared) reader() io.Reader {
	if !p.hasBody {
		return nil
	}
	return io.NopCloser(bytes.NewReader(p.body))
}

func (p *prepared) mayRepeat() bool {
	return p.operation.Method == http.MethodGet || p.header["Idempotency-Key"] != ""
}

// envelope wraps a document with its options, so that an input or an answer can go with it.
func envelope(call *generated.Call) ([]byte, error) {
	document, options := map[string]any{}, map[string]any{}
	for name := range call.Query {
		if name == "path" || name == "as" {
			document[name] = call.Query.Get(name)
		} else {
			options[name] = call.Query.Get(name)
		}
	}
	if utf8.Valid(call.Body) {
		document["text"] = string(call.Body)
	} else {
		document["base64"] = base64.StdEncoding.EncodeToString(call.Body)
	}
	made := map[string]any{"documents": []any{document}, "options": options}
	for name, value := range call.Members {
		made[name] = value
	}
	return marshal(made)
}

func marshal(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("baton: %w", err)
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}

// prepare makes a request of a call.
func prepare(call *generated.Call) (*prepared, error) {
	operation := call.Operation
	made := &prepared{operation: operation, path: call.Path, header: map[string]string{"Accept": strings.Join(operation.Accept, ", ")}, call: call}
	if call.Accept != "" {
		made.header["Accept"] = call.Accept
	}
	query := call.Query.Encode()
	var err error
	switch {
	case operation.Body == "document" && len(call.Members) > 0:
		made.body, err = envelope(call)
		made.header["Content-Type"], query = envelopeType, ""
	case operation.Body == "members":
		made.body, err = marshal(call.Members)
		made.header["Content-Type"] = operation.Media
	case operation.Body != "none":
		made.body = call.Body
		made.header["Content-Type"] = operation.Media
	}
	if err != nil {
		return nil, err
	}
	made.hasBody = operation.Body != "none"
	if query != "" {
		made.path += "?" + query
	}
	if operation.Keyed {
		key := call.Key
		if key == "" {
			if key, err = newKey(); err != nil {
				return nil, err
			}
		}
		if !keyForm.MatchString(key) {
			return nil, errors.New("baton: a key has 1 to 128 letters, digits and characters of . _ : -")
		}
		made.header["Idempotency-Key"] = key
	}
	return made, nil
}

func readAll(reader io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(reader, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errors.New("the answer is longer than 1 GiB")
	}
	return data, err
}

func (a *answer) media() string {
	name, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(name))
}

func readProblem(found *answer) *Problem {
	if media := found.media(); media != "application/problem+json" && media != "application/json" {
		return nil
	}
	problem := new(Problem)
	if json.Unmarshal(found.body, problem) != nil || problem.Code == "" {
		return nil
	}
	problem.Status = found.status
	return problem
}

// later is the error for an answer that asks to come again.
func later(found *answer, problem *Problem, outcome string) *Unavailable {
	if problem == nil {
		return &Unavailable{Outcome: outcome, Reason: fmt.Sprintf("the server answered with %d %s", found.status, http.StatusText(found.status))}
	}
	return &Unavailable{Outcome: outcome, Reason: problem.Code + ": " + problem.Detail, Cause: problem}
}

func refusal(request *prepared, problem *Problem) error {
	path := request.call.Query.Get("path")
	if path == "" {
		path = "document"
	}
	document := generated.Document{Path: path, Dialect: request.call.Query.Get("as"), Verdict: "rejected", Findings: problem.Findings,
		Facts: map[string]any{}, Record: problem.Record}
	report := &generated.Report{Baton: 1, Documents: []generated.Document{document}}
	report.Summary.Documents, report.Summary.Rejected = 1, 1
	for _, finding := range problem.Findings {
		switch finding.Severity {
		case "HARD":
			report.Summary.Hard++
		case "WARN":
			report.Summary.Warn++
		default:
			report.Summary.Info++
		}
	}
	raw, err := marshal(report)
	if err != nil {
		return err
	}
	report.Raw = raw
	return &Rejected{Report: report, Record: problem.Record}
}

// checkStatus gives the error that an answer other than a success means.
func checkStatus(request *prepared, found *answer) error {
	if found.status >= 200 && found.status < 300 {
		return nil
	}
	outcome := "none"
	if request.operation.Records {
		outcome = "unknown"
	}
	if found.status >= 300 && found.status < 400 {
		if found.status != http.StatusSeeOther {
			outcome = "none"
		}
		return &Unavailable{Outcome: outcome, Reason: fmt.Sprintf("the server answered with %d, a redirect, which is never followed: give the URL of the server itself", found.status)}
	}
	problem := readProblem(found)
	if problem != nil && problem.Record != nil && request.operation.Answer == "submission" {
		return refusal(request, problem)
	}
	switch found.status {
	case 408, 429, 500, 502, 503, 504:
	default:
		if problem != nil {
			return problem
		}
	}
	if found.status == http.StatusRequestTimeout || found.status == http.StatusTooManyRequests {
		outcome = "none"
	}
	if problem != nil && (problem.Outcome == "none" || problem.Outcome == "unknown") {
		outcome = problem.Outcome
	}
	return later(found, problem, outcome)
}

func readReport(body []byte) (*generated.Report, error) {
	report := new(generated.Report)
	if err := json.Unmarshal(body, report); err != nil {
		return nil, err
	}
	report.Raw = body
	return report, nil
}

// requireDocuments tells whether a report is about a document or more, and says what became of each. What does not is never an acceptance.
func requireDocuments(report *generated.Report) error {
	if len(report.Documents) == 0 {
		return errors.New("the report has no document")
	}
	for _, document := range report.Documents {
		if document.Verdict != "accepted" && document.Verdict != "rejected" && document.Verdict != "recorded" {
			return errors.New("a document has no verdict")
		}
		for _, finding := range document.Findings {
			if finding.Code == "" || finding.Severity == "" {
				return errors.New("a finding has no code")
			}
		}
	}
	return nil
}

// readSubmission: accepted is a handoff with a record (201), or a message that was handed to the pump (202).
func readSubmission(found *answer, out *generated.Submission) error {
	report, err := readReport(found.body)
	if err != nil {
		return err
	}
	*out = generated.Submission{Receipt: report.Receipt, Delivery: report.Delivery, Report: report}
	if found.status == http.StatusAccepted && len(report.Documents) == 0 && report.Baton == 1 {
		return nil
	}
	if err := requireDocuments(report); err != nil {
		return err
	}
	out.Record = report.Documents[0].Record
	for _, document := range report.Documents {
		if document.Verdict == "rejected" {
			return &Rejected{Report: report, Record: out.Record}
		}
	}
	if out.Record == nil {
		return errors.New("it does not say what was recorded")
	}
	return nil
}

// interpret stores what an operation gives back, or returns the error that its answer means.
func interpret(request *prepared, found *answer, out any) error {
	if err := checkStatus(request, found); err != nil {
		return err
	}
	if text, ok := out.(*[]byte); ok {
		*text = found.body
		return nil
	}
	outcome := "none"
	if request.operation.Records {
		outcome = "unknown"
	}
	if media := found.media(); media != "application/json" && media != "application/schema+json" {
		return &Unavailable{Outcome: outcome, Reason: fmt.Sprintf("the answer is %q, not JSON", media)}
	}
	var err error
	switch out := out.(type) {
	case *generated.Report:
		var report *generated.Report
		if report, err = readReport(found.body); err == nil {
			err = requireDocuments(report)
			*out = *report
		}
	case *generated.Submission:
		err = readSubmission(found, out)
	default:
		if err = json.Unmarshal(found.body, out); err == nil && !bytes.HasPrefix(bytes.TrimSpace(found.body), []byte("{")) {
			err = errors.New("it is not an object")
		}
	}
	var refused *Rejected
	if err == nil || errors.As(err, &refused) {
		return err
	}
	return &Unavailable{Outcome: outcome, Reason: "the answer cannot be used: " + err.Error(), Cause: err}
}

// checkVersion compares major versions. A server that does not tell this principal its version is taken at its word.
func checkVersion(found *answer) error {
	var told struct {
		Baton   int    `json:"baton"`
		Version string `json:"version"`
	}
	if found.status == http.StatusForbidden {
		return nil
	}
	if found.status != http.StatusOK || json.Unmarshal(found.body, &told) != nil || told.Baton != 1 || told.Version == "" {
		err := checkStatus(&prepared{operation: generated.ByID["version"]}, found)
		if err != nil && (found.status < 400 || found.status >= 500 || readProblem(found) != nil) {
			return err
		}
		return &Incompatible{Reason: "the server does not tell a version of Baton; is this its URL?"}
	}
	theirs, _, _ := strings.Cut(told.Version, ".")
	own, _, _ := strings.Cut(generated.Version, ".")
	if theirs != own {
		return &Incompatible{Reason: fmt.Sprintf("the server has version %s, this client %s: the major versions differ", told.Version, generated.Version)}
	}
	return nil
}

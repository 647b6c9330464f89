// SPDX-License-Identifier: Apache-2.0

// go_client reads commands, one JSON object a line, and uses the Go client as they say; it prints one object for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"

	baton "baton.example/go"
	"baton.example/go/generated"
)

type command map[string]any

func (c command) text(name string) string {
	text, _ := c[name].(string)
	return text
}

func (c command) number(name string) int64 {
	number, _ := c[name].(float64)
	return int64(number)
}

// count is a number that may be absent.
func (c command) count(name string) *int64 {
	if _, ok := c[name]; !ok {
		return nil
	}
	number := c.number(name)
	return &number
}

// rest are the texts of a command that are options, by name.
func (c command) rest(known ...string) map[string]string {
	found := map[string]string{}
	for name, value := range c {
		if text, ok := value.(string); ok && name != "do" {
			found[name] = text
		}
	}
	for _, name := range known {
		delete(found, name)
	}
	return found
}

var (
	client *baton.Client
	ctx    = context.Background()
)

func codes(findings []generated.Finding) []string {
	seen, found := map[string]bool{}, []string{}
	for _, finding := range findings {
		if !seen[finding.Code] {
			seen[finding.Code] = true
			found = append(found, finding.Code)
		}
	}
	sort.Strings(found)
	return found
}

func makeClient(c command) (any, error) {
	options := baton.Options{URL: c.text("url"), Token: c.text("token"), Insecure: c["insecure"] == true}
	if c.text("url") == "" {
		return nil, errors.New("an empty URL means the default here")
	}
	if seconds, ok := c["timeout"].(float64); ok {
		options.Timeout = time.Duration(seconds * float64(time.Second))
	}
	if retries, ok := c["retries"].(float64); ok {
		options.Retries = int(retries)
		if retries == 0 {
			options.Retries = -1
		}
	}
	made, err := baton.New(options)
	if err == nil {
		client = made
	}
	return map[string]any{}, err
}

func check(c command) (any, error) {
	report, err := client.Check(ctx, []byte(c.text("document")), &generated.CheckOptions{More: c.rest("document")})
	if err != nil {
		return nil, err
	}
	document := report.Documents[0]
	return map[string]any{"verdict": document.Verdict, "codes": codes(document.Findings)}, nil
}

func makeHandoff(c command) (any, error) {
	options := generated.NewHandoffOptions{Continue: c["continue"], BudgetTokens: c.count("budget_tokens"), BudgetCost: c.text("budget_cost"),
		SpentTokens: c.count("spent_tokens"), SpentCost: c.text("spent_cost")}
	report, err := client.NewHandoff(ctx, c.text("source"), c.text("target"), c.text("summary"), &options)
	if err != nil {
		return nil, err
	}
	var shown struct {
		Documents []struct{ Document json.RawMessage }
	}
	if err := json.Unmarshal(report.Raw, &shown); err != nil {
		return nil, err
	}
	made := report.Documents[0]
	return map[string]any{"verdict": made.Verdict, "codes": codes(made.Findings), "document": string(shown.Documents[0].Document)}, nil
}

func submit(c command) (any, error) {
	done, err := client.Submit(ctx, []byte(c.text("document")), &generated.SubmitHandoffOptions{Key: c.text("key"), More: c.rest("document", "key")})
	if err != nil {
		return nil, err
	}
	return map[string]any{"seq": done.Record.Seq, "receipt": done.Receipt.Index, "inbox": done.Delivery.Inbox, "verdict": done.Report.Documents[0].Verdict}, nil
}

func get(c command) (any, error) {
	id := strconv.FormatInt(c.number("seq"), 10)
	entry, err := client.GetHandoff(ctx, id)
	if err != nil {
		return nil, err
	}
	document, err := client.GetDocument(ctx, id)
	return map[string]any{"verdict": entry.Entry["verdict"], "document": string(document)}, err
}

func inbox(c command) (any, error) {
	acts := c["acts"].([]any)
	var found []map[string]any
	taking := client.Inbox(ctx, c.text("agent"), &baton.InboxOptions{Max: c.number("max"), LeaseS: c.number("lease_s"), WaitS: c.number("wait_s")})
	for taking.Next() {
		delivery := taking.Delivery()
		item := map[string]any{"seq": delivery.Seq, "attempt": delivery.Attempt, "source": delivery.Source, "result": nil, "document": string(delivery.Document)}
		var err error
		switch act := acts[len(found)].(string); act {
		case "ack":
			item["result"], err = delivery.Ack(ctx)
		case "nack":
			item["result"], err = delivery.Nack(ctx)
		default:
			failure := errors.New("of the handler")
			err = delivery.Handle(ctx, func(*baton.Delivery) error {
				if act == "raise" {
					return failure
				}
				return nil
			})
			if errors.Is(err, failure) {
				err = nil
			}
		}
		if err != nil {
			return nil, err
		}
		if found = append(found, item); len(found) == len(acts) {
			return map[string]any{"items": found}, nil
		}
	}
	return nil, taking.Err()
}

func feed(c command) (any, error) {
	var after *int64
	if _, ok := c["after"]; ok {
		number := c.number("after")
		after = &number
	}
	reading := client.Feed(ctx, after, c.rest())
	defer reading.Close()
	var seqs []int64
	for reading.Next() {
		seqs = append(seqs, reading.Entry().Seq)
		if len(seqs) == 1 {
			say(map[string]any{"event": seqs[0]})
		}
		if int64(len(seqs)) == c.number("count") {
			return map[string]any{"seqs": seqs}, nil
		}
	}
	return nil, reading.Err()
}

func approvals(c command) (any, error) {
	list, err := client.Approvals(ctx, c.text("status"))
	found := []map[string]any{}
	for _, item := range list {
		found = append(found, map[string]any{"id": item.ID, "status": item.Status, "fingerprint": item.Fingerprint})
	}
	return map[string]any{"approvals": found}, err
}

func status(answer *generated.ApprovalAnswer, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{"status": answer.Approval.Status}, nil
}

var commands = map[string]func(command) (any, error){
	"new": makeClient, "check": check, "make": makeHandoff, "submit": submit, "get": get, "inbox": inbox, "feed": feed, "approvals": approvals,
	"version": func(command) (any, error) { return client.Version(ctx) },
	"show":    func(c command) (any, error) { return status(client.ShowApproval(ctx, c.text("id"), nil)) },
	"grant": func(c command) (any, error) {
		return status(client.GrantApproval(ctx, c.text("id"), c.text("fingerprint"), nil))
	},
	"deny": func(c command) (any, error) {
		return status(client.DenyApproval(ctx, c.text("id"), &generated.DenyApprovalOptions{Reason: c.text("reason")}))
	},
	"revoke": func(c command) (any, error) {
		return status(client.RevokeApproval(ctx, c.text("id"), &generated.RevokeApprovalOptions{Reason: c.text("reason")}))
	},
	"use": func(c command) (any, error) {
		answer, err := client.UseApproval(ctx, &generated.UseApprovalOptions{Command: c.text("command")})
		if err != nil {
			return nil, err
		}
		return map[string]any{"granted": answer.Granted}, nil
	},
}

func describe(err error) any {
	var refused *baton.Rejected
	var problem *baton.Problem
	var unavailable *baton.Unavailable
	var incompatible *baton.Incompatible
	switch {
	case errors.As(err, &refused):
		return map[string]any{"error": "Rejected", "seq": refused.Record.Seq, "codes": codes(refused.Report.Documents[0].Findings)}
	case errors.As(err, &unavailable):
		return map[string]any{"error": "Unavailable", "outcome": unavailable.Outcome, "text": err.Error()}
	case errors.As(err, &problem):
		return map[string]any{"error": "Problem", "code": problem.Code, "status": problem.Status}
	case errors.As(err, &incompatible):
		return map[string]any{"error": "Incompatible", "text": err.Error()}
	}
	return map[string]any{"error": "Invalid", "text": err.Error()}
}

func say(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			panic(err)
		}
		answer, err := commands[c.text("do")](c)
		if err != nil {
			say(describe(err))
			continue
		}
		say(map[string]any{"ok": answer})
	}
}

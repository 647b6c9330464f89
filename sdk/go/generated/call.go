// SPDX-License-Identifier: Apache-2.0

// Package generated has the operations of a server of Baton: operations.go is made from its OpenAPI document, and this file is what the made code
// uses. Programs use package baton, whose Client has the methods of Operations.
package generated

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Operation is one row of the table of operations.
type Operation struct {
	ID      string
	Method  string
	Path    string
	Body    string // none, document, bytes, json or members
	Media   string // of the body
	Answer  string // report, outcome, submission, object, text, bytes or events
	Accept  []string
	Keyed   bool // it takes an Idempotency-Key
	Records bool // the server may keep something
}

// Call is one use of an operation.
type Call struct {
	Operation *Operation
	Path      string
	Query     url.Values
	Body      []byte
	Members   map[string]any // of the body, or of an envelope around it
	Key       string
	Accept    string
}

// Caller does what a client does around an operation. out is a pointer to the answer's type; for texts and bytes a *[]byte.
type Caller interface {
	Run(ctx context.Context, call *Call, out any) error
	Events(ctx context.Context, call *Call) (*Events, error)
}

// Operations has one method for each operation of the server.
type Operations struct {
	Caller Caller
}

// Submission is what became of a handoff that was accepted.
type Submission struct {
	Record   *Record
	Receipt  *Receipt
	Delivery *Delivery
	Report   *Report
}

// Event is one event of a stream: its id and its data.
type Event struct {
	Name string
	ID   string
	Data []byte
}

// Events iterates over a stream. After a lost connection it goes on where it was.
//
//	for events.Next() {
//		use(events.Event())
//	}
//	err := events.Err()
type Events struct {
	Pull  func() (*Event, error)
	Stop  func()
	event *Event
	err   error
}

// Next waits for an event. False: the context ended, or the stream cannot be taken up again; Err says why.
func (e *Events) Next() bool {
	if e.err != nil {
		return false
	}
	e.event, e.err = e.Pull()
	if e.err != nil {
		e.Close()
	}
	return e.err == nil
}

// Event is the one that Next found.
func (e *Events) Event() *Event { return e.event }

// Err is why Next gave false.
func (e *Events) Err() error { return e.err }

// Close ends the stream.
func (e *Events) Close() {
	if e.Stop != nil {
		e.Stop()
		e.Stop = nil
	}
	if e.err == nil {
		e.err = context.Canceled
	}
}

func newCall(operation *Operation) *Call {
	return &Call{Operation: operation, Path: operation.Path, Query: url.Values{}, Members: map[string]any{}}
}

// SetPath makes the path of the operation with a parameter.
func (c *Call) SetPath(name string, value any) {
	c.Path = c.Operation.Path
	c.at(name, value)
}

// at sets a parameter of the path. Only the path of a tile has slashes.
func (c *Call) at(name string, value any) {
	text := url.PathEscape(fmt.Sprint(value))
	if c.Operation.ID == "tlogTile" {
		text = strings.ReplaceAll(text, "%2F", "/")
	}
	c.Path = strings.Replace(c.Path, "{"+name+"}", text, 1)
}

func (c *Call) queryText(name, value string) {
	if value != "" {
		c.Query.Set(name, value)
	}
}

func (c *Call) queryInteger(name string, value *int64) {
	if value != nil {
		c.Query.Set(name, strconv.FormatInt(*value, 10))
	}
}

func (c *Call) queryBoolean(name string, value *bool) {
	if value != nil {
		c.Query.Set(name, strconv.FormatBool(*value))
	}
}

func (c *Call) memberText(name, value string) {
	if value != "" {
		c.Members[name] = value
	}
}

func (c *Call) memberInteger(name string, value *int64) {
	if value != nil {
		c.Members[name] = *value
	}
}

func (c *Call) memberBoolean(name string, value *bool) {
	if value != nil {
		c.Members[name] = *value
	}
}

func (c *Call) memberStrings(name string, value []string) {
	if value != nil {
		c.Members[name] = value
	}
}

func (c *Call) memberValue(name string, value any) {
	if value != nil {
		c.Members[name] = value
	}
}

// SPDX-License-Identifier: Apache-2.0

package baton

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"baton.example/go/generated"
)

const (
	eventBytesMax = 4 << 20
	streamSilence = 60 * time.Second // a server sends a comment every 15 s
	emptyPause    = time.Second
	firstPageMax  = 500
)

// Report, Finding and the others are parts of answers.
type (
	Report     = generated.Report
	Finding    = generated.Finding
	Record     = generated.Record
	Receipt    = generated.Receipt
	Entry      = generated.Entry
	Approval   = generated.Approval
	Submission = generated.Submission
)

// Submit judges, records and delivers a handoff. A *Rejected error: it was refused, which is recorded, too.
func (c *Client) Submit(ctx context.Context, document []byte, options *generated.SubmitHandoffOptions) (*Submission, error) {
	return c.SubmitHandoff(ctx, document, options)
}

// Approvals lists the requests for consent: all, or those of one status.
func (c *Client) Approvals(ctx context.Context, status string) ([]Approval, error) {
	var answer struct {
		Approvals []Approval `json:"approvals"`
	}
	call := &generated.Call{Operation: generated.ByID["listApprovals"], Path: generated.ByID["listApprovals"].Path}
	if status != "" {
		call.Query = map[string][]string{"status": {status}}
	}
	err := c.caller.Run(ctx, call, &answer)
	return answer.Approvals, err
}

// ---- Inboxes ----

// InboxOptions say how much is taken at once, for how long, and how long a take waits.
type InboxOptions struct {
	Max    int64 // default 10
	LeaseS int64 // default 60
	WaitS  int64 // default 30
}

// Delivery is a handoff that was taken from an inbox, under a lease. What is neither acknowledged nor refused is delivered again.
type Delivery struct {
	Document   []byte
	Seq        int64
	Ref        string
	Source     string
	TraceID    string
	Attempt    int64
	LeaseUntil string
	client     *Client
	agent      string
	message    string
	lease      string
}

func (d *Delivery) finish(ctx context.Context, outcome string) (string, error) {
	item := map[string]string{"message": d.message, "lease": d.lease, "outcome": outcome}
	found, err := d.client.FinishHandoffs(ctx, d.agent, []any{item}, nil)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(found["items"])
	if err != nil {
		return "", err
	}
	var items []struct {
		Result string `json:"result"`
	}
	if json.Unmarshal(raw, &items) != nil || len(items) != 1 {
		return "", &Unavailable{Outcome: "unknown", Reason: "the answer does not say what became of the item"}
	}
	return items[0].Result, nil
}

// Ack says that it was handled. "ok", or "lease_lost" when it was delivered to somebody else meanwhile, or "unknown".
func (d *Delivery) Ack(ctx context.Context) (string, error) { return d.finish(ctx, "delivered") }

// Nack says that it was not handled; it is delivered again.
func (d *Delivery) Nack(ctx context.Context) (string, error) { return d.finish(ctx, "failed") }

// Handle runs a function and acknowledges the delivery, or refuses it when the function gives an error or panics.
func (d *Delivery) Handle(ctx context.Context, work func(*Delivery) error) error {
	done := false
	defer func() {
		if !done {
			_, _ = d.Nack(ctx) // if that fails, the lease runs out
		}
	}()
	if err := work(d); err != nil {
		return err
	}
	done = true
	_, err := d.Ack(ctx)
	return err
}

// Inbox iterates over what is for an agent, without end.
type Inbox struct {
	client   *Client
	ctx      context.Context
	agent    string
	options  InboxOptions
	taken    []generated.InboxItems
	begun    time.Time
	delivery *Delivery
	err      error
}

// Inbox takes what is for an agent until the context ends.
func (c *Client) Inbox(ctx context.Context, agent string, options *InboxOptions) *Inbox {
	made := InboxOptions{Max: 10, LeaseS: 60, WaitS: 30}
	if options != nil {
		made = *options
	}
	return &Inbox{client: c, ctx: ctx, agent: agent, options: made}
}

func (i *Inbox) take() error {
	call := &generated.Call{Operation: generated.ByID["takeHandoffs"], Members: map[string]any{"max": i.options.Max, "lease_s": i.options.LeaseS, "wait_s": i.options.WaitS}}
	call.SetPath("agent", i.agent)
	var found generated.Inbox
	i.begun = time.Now()
	wait := time.Duration(i.options.WaitS) * time.Second
	if err := i.client.caller.runFor(i.ctx, call, &found, i.client.caller.timeout+wait); err != nil {
		return err
	}
	i.taken = found.Items
	if len(i.taken) > 0 {
		return nil
	}
	select {
	case <-time.After(time.Until(i.begun.Add(emptyPause))):
		return nil
	case <-i.ctx.Done():
		return i.ctx.Err()
	}
}

// Next waits for a delivery. False: the context ended, or the server cannot be reached; Err says why.
func (i *Inbox) Next() bool {
	for i.err == nil {
		for len(i.taken) > 0 {
			item := i.taken[0]
			i.taken = i.taken[1:]
			if time.Since(i.begun) >= time.Duration(i.options.LeaseS)*time.Second {
				continue // another one may have it by now
			}
			i.delivery, i.err = i.client.newDelivery(i.agent, &item)
			return i.err == nil
		}
		i.err = i.take()
	}
	return false
}

// Delivery is the one that Next found.
func (i *Inbox) Delivery() *Delivery { return i.delivery }

// Err is why Next gave false.
func (i *Inbox) Err() error { return i.err }

func (c *Client) newDelivery(agent string, item *generated.InboxItems) (*Delivery, error) {
	document := []byte(item.Text)
	if item.Base64 != "" {
		var err error
		if document, err = base64.StdEncoding.DecodeString(item.Base64); err != nil {
			return nil, &Unavailable{Outcome: "none", Reason: "the document of " + item.Ref + " is not base64", Cause: err}
		}
	}
	if digest := sha256.Sum256(document); hex.EncodeToString(digest[:]) != item.SHA256 {
		return nil, &Unavailable{Outcome: "none", Reason: "the bytes of " + item.Ref + " are not those that were recorded"}
	}
	made := &Delivery{Document: document, Seq: item.Seq, Ref: item.Ref, Attempt: item.Attempt, LeaseUntil: item.LeaseUntil, client: c, agent: agent, message: item.Message,
		lease: item.Lease}
	if item.Source != nil {
		made.Source = *item.Source
	}
	if item.TraceID != nil {
		made.TraceID = *item.TraceID
	}
	return made, nil
}

// ---- Streams ----

// stream is one reader of events, over as many connections as it takes.
type stream struct {
	caller   *caller
	ctx      context.Context
	cancel   context.CancelFunc
	call     *generated.Call
	last     *int64 // id of the last event that was given
	failures int
	response *http.Response
	reader   *bufio.Reader
	watchdog *time.Timer
}

// Events opens a stream; it is what the methods of Operations use.
func (c *caller) Events(ctx context.Context, call *generated.Call) (*generated.Events, error) {
	var last *int64
	if after, err := strconv.ParseInt(call.Query.Get("after"), 10, 64); err == nil {
		last = &after
	}
	call.Query.Del("after")
	return c.eventsAfter(ctx, call, last)
}

func (c *caller) eventsAfter(ctx context.Context, call *generated.Call, last *int64) (*generated.Events, error) {
	checking, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	if err := c.checkServer(checking); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	made := &stream{caller: c, ctx: ctx, cancel: cancel, call: call, last: last}
	return &generated.Events{Pull: made.next, Stop: made.close}, nil
}

func (s *stream) close() {
	s.drop()
	s.cancel()
}

func (s *stream) drop() {
	if s.response != nil {
		s.watchdog.Stop()
		s.response.Body.Close()
		s.response = nil
	}
}

func (s *stream) open() error {
	request, err := prepare(s.call)
	if err != nil {
		return err
	}
	if s.last != nil {
		request.header["Last-Event-ID"] = strconv.FormatInt(*s.last, 10)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	watchdog := time.AfterFunc(s.caller.timeout, cancel)
	response, err := s.caller.open(ctx, request)
	if err != nil {
		cancel()
		return err
	}
	if response.StatusCode != http.StatusOK {
		defer cancel()
		defer response.Body.Close()
		body, _ := readAll(response.Body, eventBytesMax)
		if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
			return &lost{cause: fmt.Errorf("the server answered with %d", response.StatusCode)}
		}
		return checkStatus(request, &answer{status: response.StatusCode, header: response.Header, body: body})
	}
	s.failures = 0
	s.response, s.reader, s.watchdog = response, bufio.NewReader(response.Body), watchdog
	return nil
}

// readEvent reads one event with data; the watchdog ends a connection that is silent.
func (s *stream) readEvent() (*generated.Event, error) {
	event, size := &generated.Event{}, 0
	var data []string
	for {
		s.watchdog.Reset(streamSilence)
		line, err := s.reader.ReadString('\n')
		size += len(line)
		if err == nil && size > eventBytesMax {
			err = errors.New("an event is longer than 4 MiB")
		}
		if err != nil {
			return nil, &lost{cause: err}
		}
		line = strings.TrimRight(line, "\r\n")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data != nil:
			event.Data = []byte(strings.Join(data, "\n"))
			return event, nil
		case line == "":
			event, size = &generated.Event{}, 0
		case name == "event":
			event.Name = value
		case name == "id":
			event.ID = value
		case name == "data":
			data = append(data, value)
		}
	}
}

// isNew tells whether an event was not given yet, and remembers that it is now.
func (s *stream) isNew(event *generated.Event) bool {
	number, err := strconv.ParseInt(event.ID, 10, 64)
	if err != nil {
		return true
	}
	if s.last != nil && number <= *s.last {
		return false
	}
	s.last = &number
	return true
}

func (s *stream) step() (*generated.Event, error) {
	if s.response == nil {
		if err := s.open(); err != nil {
			return nil, err
		}
	}
	event, err := s.readEvent()
	if err != nil || event.Name == "lagged" || !s.isNew(event) {
		return nil, err
	}
	return event, nil
}

func (s *stream) next() (*generated.Event, error) {
	for {
		event, err := s.step()
		var gone *lost
		switch {
		case s.ctx.Err() != nil:
			return nil, s.ctx.Err()
		case event != nil:
			return event, nil
		case err == nil:
			continue
		case !errors.As(err, &gone):
			return nil, err
		}
		s.drop()
		s.failures++
		if s.failures > s.caller.retries+1 {
			return nil, &Unavailable{Outcome: "none", Reason: "the stream cannot be taken up again: " + gone.Error(), Cause: gone.cause}
		}
		if err := pauseFor(s.ctx, backoff(s.failures-1)); err != nil {
			return nil, err
		}
	}
}

// Feed iterates over entries of the ledger as they are committed.
type Feed struct {
	client *Client
	ctx    context.Context
	filter map[string][]string
	events *generated.Events
	first  []Entry // of a ledger that was empty at the beginning
	last   *int64
	ready  bool
	entry  *Entry
	err    error
}

// Feed gives the entries after the one with the number `after`, or from now on when it is nil. Filters are those of ListHandoffs. A lost connection
// is made again, without a gap and without a repeat.
func (c *Client) Feed(ctx context.Context, after *int64, filters map[string]string) *Feed {
	filter := map[string][]string{}
	for name, value := range filters {
		filter[name] = []string{value}
	}
	return &Feed{client: c, ctx: ctx, filter: filter, last: after, ready: after != nil}
}

func (f *Feed) list(query map[string][]string) (*generated.Entries, error) {
	found := new(generated.Entries)
	call := &generated.Call{Operation: generated.ByID["listHandoffs"], Path: generated.ByID["listHandoffs"].Path, Query: query}
	return found, f.client.caller.Run(f.ctx, call, found)
}

// begin finds out what "now" is: the last entry there is, or that there is none yet.
func (f *Feed) begin() error {
	found, err := f.list(map[string][]string{"limit": {"1"}})
	if err == nil && found.Size > 0 {
		last := found.Size - 1
		f.last = &last
	}
	f.ready = err == nil
	return err
}

// readFirst waits for the first entries of an empty ledger, which has no entry to go on after.
func (f *Feed) readFirst() error {
	query := map[string][]string{"order": {"asc"}, "limit": {strconv.Itoa(firstPageMax)}}
	for name, value := range f.filter {
		query[name] = value
	}
	found, err := f.list(query)
	if err != nil {
		return err
	}
	f.first = found.Entries
	if found.Size > 0 {
		last := found.Size - 1
		if count := len(found.Entries); count > 0 {
			last = found.Entries[count-1].Seq
		}
		f.last = &last
		return nil
	}
	return pauseFor(f.ctx, emptyPause)
}

func (f *Feed) step() error {
	if !f.ready {
		return f.begin()
	}
	if len(f.first) > 0 {
		f.entry = &f.first[0]
		f.first = f.first[1:]
		return nil
	}
	if f.last == nil {
		return f.readFirst()
	}
	if f.events == nil {
		call := &generated.Call{Operation: generated.ByID["streamHandoffs"], Path: generated.ByID["streamHandoffs"].Path, Query: f.filter}
		events, err := f.client.caller.eventsAfter(f.ctx, call, f.last)
		if err != nil {
			return err
		}
		f.events = events
	}
	if !f.events.Next() {
		return f.events.Err()
	}
	entry := new(Entry)
	if err := json.NewDecoder(bytes.NewReader(f.events.Event().Data)).Decode(entry); err != nil && err != io.EOF {
		return &Unavailable{Outcome: "none", Reason: "an event is not an entry: " + err.Error(), Cause: err}
	}
	f.entry = entry
	return nil
}

// Next waits for an entry. False: the context ended, or the stream cannot be taken up again; Err says why.
func (f *Feed) Next() bool {
	f.entry = nil
	for f.err == nil && f.entry == nil {
		f.err = f.step()
	}
	return f.err == nil
}

// Entry is the one that Next found.
func (f *Feed) Entry() *Entry { return f.entry }

// Err is why Next gave false.
func (f *Feed) Err() error { return f.err }

// Close ends the stream.
func (f *Feed) Close() {
	if f.events != nil {
		f.events.Close()
	}
}

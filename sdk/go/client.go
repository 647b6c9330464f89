// SPDX-License-Identifier: Apache-2.0

// Package baton is a client of `baton serve`. It judges nothing itself.
//
//	client, err := baton.New(baton.Options{URL: "http://127.0.0.1:8420", Token: token})
//	done, err := client.Submit(ctx, document, nil)
//	var refused *baton.Rejected
//	if errors.As(err, &refused) { ... }
//
// Every operation of the server is a method of Client. A method returns an error unless the server did what was asked for; no error is ever an
// acceptance.
package baton

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"time"

	"baton.example/go/generated"
)

const (
	defaultURL     = "http://127.0.0.1:8420"
	defaultTimeout = 30 * time.Second
	defaultRetries = 3
	pauseMax       = 30 * time.Second
	answerBytesMax = 1 << 30
)

// Options say which server a client uses, and how. The zero value is a server on this machine at the default port.
type Options struct {
	URL      string        // http:, https: or unix: and the path of a socket; default http://127.0.0.1:8420
	Token    string        // sent with every request; only over TLS or on this machine
	Timeout  time.Duration // of a call with all its retries; default 30 s
	Retries  int           // at most so many after the first attempt; 0 means 3, and a negative number none
	TLS      *tls.Config   // for https:; nil means the certificates of the system
	Insecure bool          // allow the token over plain HTTP to another machine
}

// Client uses one server. It may be used by several goroutines at once.
type Client struct {
	generated.Operations
	caller *caller
}

// caller is the machinery behind the operations.
type caller struct {
	target  *target
	token   string
	timeout time.Duration
	retries int
	http    *http.Client
	mutex   sync.Mutex
	known   bool // the server's version was checked
}

// New makes a client. It connects to nothing yet.
func New(options Options) (*Client, error) {
	if options.URL == "" {
		options.URL = defaultURL
	}
	if options.Timeout == 0 {
		options.Timeout = defaultTimeout
	}
	if options.Retries == 0 {
		options.Retries = defaultRetries
	}
	if options.Timeout < 0 || options.Retries > 100 {
		return nil, errors.New("baton: Timeout is a positive time, Retries at most 100")
	}
	target, err := parseTarget(options.URL, options.Token, options.Insecure)
	if err != nil {
		return nil, err
	}
	retries := options.Retries
	if retries < 0 {
		retries = 0
	}
	dialer := &net.Dialer{}
	transport := &http.Transport{TLSClientConfig: options.TLS, DisableCompression: true, MaxIdleConnsPerHost: 8, IdleConnTimeout: 15 * time.Second,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if target.socket != "" {
				network, address = "unix", target.socket
			}
			return dialer.DialContext(ctx, network, address)
		}}
	made := &caller{target: target, token: options.Token, timeout: options.Timeout, retries: retries, http: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	return &Client{Operations: generated.Operations{Caller: made}, caller: made}, nil
}

// Close closes the connections that are kept open.
func (c *Client) Close() { c.caller.http.CloseIdleConnections() }

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// lost is the error of an attempt without an answer.
type lost struct {
	cause error
	sent  bool // the server may have acted on the request
}

func (l *lost) Error() string { return l.cause.Error() }

func (c *caller) newRequest(ctx context.Context, request *prepared) (*http.Request, error) {
	made, err := http.NewRequestWithContext(ctx, request.operation.Method, c.target.base+request.path, request.reader())
	if err != nil {
		return nil, err
	}
	made.GetBody = nil // the rules of this package decide what is sent again
	made.ContentLength = int64(len(request.body))
	for name, value := range request.header {
		made.Header.Set(name, value)
	}
	made.Header.Set("User-Agent", "baton-go/"+generated.Version)
	if c.token != "" {
		made.Header.Set("Authorization", "Bearer "+c.token)
	}
	return made, nil
}

// open sends a request once and reads the head of its answer.
func (c *caller) open(ctx context.Context, request *prepared) (*http.Response, error) {
	sent := false
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = true }})
	made, err := c.newRequest(traced, request)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(made)
	if err != nil {
		return nil, &lost{cause: err, sent: sent}
	}
	return response, nil
}

func (c *caller) send(ctx context.Context, request *prepared) (*answer, error) {
	response, err := c.open(ctx, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := readAll(response.Body, answerBytesMax)
	if err != nil {
		return nil, &lost{cause: err, sent: true}
	}
	return &answer{status: response.StatusCode, header: response.Header, body: body}, nil
}

// backoff is the pause after an attempt, the first being 0: about 0.1, 0.4, 1.6 s and so on.
func backoff(attempt int) time.Duration {
	pause := math.Min(pauseMax.Seconds(), 0.1*math.Pow(4, math.Min(float64(attempt), 8)))
	return time.Duration(pause * (0.5 + mathrand.Float64()) * float64(time.Second))
}

func retryAfter(header http.Header) (time.Duration, bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if when, err := http.ParseTime(text); err == nil {
		return time.Until(when), true
	}
	return 0, false
}

func pauseFor(ctx context.Context, pause time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exchange sends a request until there is an answer that decides, as often as the rules allow.
func (c *caller) exchange(ctx context.Context, request *prepared) (*answer, error) {
	inDoubt := false // an earlier attempt may have been recorded
	for attempt := 0; ; attempt++ {
		pause := backoff(attempt)
		var failure *Unavailable
		found, err := c.send(ctx, request)
		var gone *lost
		switch {
		case errors.As(err, &gone):
			inDoubt = inDoubt || (gone.sent && request.operation.Records)
			failure = &Unavailable{Reason: "no answer of the server: " + gone.Error(), Cause: gone.cause}
		case err != nil:
			return nil, err
		case found.status != http.StatusTooManyRequests && found.status != http.StatusServiceUnavailable:
			return found, nil
		default:
			problem := readProblem(found)
			inDoubt = inDoubt || (problem != nil && problem.Outcome == "unknown")
			if problem != nil && problem.Record != nil && !inDoubt && attempt == c.retries {
				return found, nil // it was judged and refused, and that was recorded
			}
			failure = later(found, problem, "none")
			if named, ok := retryAfter(found.header); ok {
				pause = named
			}
		}
		failure.Outcome = "none"
		if inDoubt {
			failure.Outcome = "unknown"
		}
		if !request.mayRepeat() || attempt == c.retries || ctx.Err() != nil || pauseFor(ctx, pause) != nil {
			return nil, failure
		}
	}
}

// checkServer asks for the server's version before the first request.
func (c *caller) checkServer(ctx context.Context) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.known {
		return nil
	}
	request, err := prepare(&generated.Call{Operation: generated.ByID["version"], Path: generated.ByID["version"].Path})
	if err != nil {
		return err
	}
	found, err := c.exchange(ctx, request)
	if err != nil {
		return err
	}
	if err := checkVersion(found); err != nil {
		return err
	}
	c.known = true
	return nil
}

// Run makes one call; it is what the methods of Operations use.
func (c *caller) Run(ctx context.Context, call *generated.Call, out any) error {
	return c.runFor(ctx, call, out, c.timeout)
}

func (c *caller) runFor(ctx context.Context, call *generated.Call, out any, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := prepare(call)
	if err != nil {
		return err
	}
	if !unversioned[call.Operation.ID] {
		if err := c.checkServer(ctx); err != nil {
			return err
		}
	}
	found, err := c.exchange(ctx, request)
	if err != nil {
		return err
	}
	return interpret(request, found, out)
}

// newKey makes a random UUID.
func newKey() (string, error) {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return "", fmt.Errorf("baton: no randomness: %w", err)
	}
	bytes[6], bytes[8] = bytes[6]&0x0f|0x40, bytes[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:]), nil
}

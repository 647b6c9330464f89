// SPDX-License-Identifier: Apache-2.0

package baton

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var (
	unsuitable = regexp.MustCompile(`[\x00-\x20\x7f-\x{9f}]`)
	tokenForm  = regexp.MustCompile(`^[\x21-\x7e]+$`)
	keyForm    = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
)

// target is where a server is.
type target struct {
	base   string // scheme, authority and prefix of every path
	socket string // path of a Unix socket, or ""
	local  bool   // what is sent stays on this machine
}

func parseUnix(text string) (*target, error) {
	path := strings.TrimPrefix(text, "unix:")
	path = strings.TrimPrefix(path, "//")
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "#?") {
		return nil, errors.New("baton: a URL that begins with unix: goes on with the absolute path of a socket")
	}
	return &target{base: "http://localhost", socket: path, local: true}, nil
}

func isLocal(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || (address != nil && address.IsLoopback())
}

// parseTarget reads a URL. It is an error when a client does not use such a URL, or when the token would be readable on the way. A URL may hold a
// password by mistake, so no error repeats it.
func parseTarget(text, token string, insecure bool) (*target, error) {
	if unsuitable.MatchString(text) {
		return nil, errors.New("baton: a URL has no spaces and no control characters")
	}
	if token != "" && !tokenForm.MatchString(token) {
		return nil, errors.New("baton: a token is a text of visible ASCII characters")
	}
	if strings.HasPrefix(text, "unix:") {
		return parseUnix(text)
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("baton: the URL cannot be read")
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, errors.New("baton: a URL begins with http:, https: or unix:")
	}
	if parsed.User != nil || strings.ContainsAny(text, "#?@") || parsed.Hostname() == "" {
		return nil, errors.New("baton: a URL has a host, and neither a user nor a query nor a fragment; a token is given as Token")
	}
	if address, _, _ := strings.Cut(parsed.Hostname(), "%"); strings.HasPrefix(parsed.Host, "[") && net.ParseIP(address) == nil {
		return nil, errors.New("baton: what stands in brackets is not an address of IPv6")
	}
	if port := parsed.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return nil, errors.New("baton: a port is a number from 1 to 65535")
		}
	}
	local := isLocal(parsed.Hostname())
	if token != "" && parsed.Scheme == "http" && !local && !insecure {
		return nil, fmt.Errorf("baton: the token would go to %s unencrypted; use https:, or Insecure where the way there is trusted", parsed.Hostname())
	}
	base := parsed.Scheme + "://" + parsed.Host + strings.TrimRight(parsed.EscapedPath(), "/")
	return &target{base: base, local: local}, nil
}

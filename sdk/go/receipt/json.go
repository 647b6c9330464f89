// SPDX-License-Identifier: Apache-2.0

package receipt

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const depthMax = 128

type kind int

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// value is a JSON value as it is written.
type value struct {
	kind   kind
	text   string // of a number, as written; of a string, decoded
	truth  bool
	items  []*value
	names  []string // of members, in order
	member map[string]*value
}

func (v *value) get(name string) *value {
	if v == nil || v.kind != kindObject {
		return nil
	}
	return v.member[name]
}

// integer gives a number that is written as a whole number of the range of int64.
func (v *value) integer() (int64, bool) {
	if v == nil || v.kind != kindNumber || strings.ContainsAny(v.text, ".eE") {
		return 0, false
	}
	number, err := strconv.ParseInt(v.text, 10, 64)
	return number, err == nil
}

// jsonError has the code of the finding that a text which is not JSON gets.
type jsonError struct {
	code    string
	pointer string // of a repeated name
	at      int
}

func (e *jsonError) Error() string { return fmt.Sprintf("%s at byte %d", e.code, e.at) }

// parser reads JSON strictly: RFC 8259, UTF-8, no repeated names, a depth of 128 at most.
type parser struct {
	text []byte
	at   int
	path string // JSON Pointer to what is being read
}

func pointerPart(name string) string {
	return "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func parseJSON(text []byte) (*value, *jsonError) {
	p := &parser{text: text}
	if !utf8.Valid(text) {
		return nil, p.fail("JSON_UTF8")
	}
	p.skipSpace()
	found, err := p.parseValue(0)
	if err != nil {
		return nil, err
	}
	p.skipSpace()
	if p.at != len(p.text) {
		return nil, p.fail("JSON_SYNTAX")
	}
	return found, nil
}

func (p *parser) fail(code string) *jsonError { return &jsonError{code: code, at: p.at} }

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) parseValue(depth int) (*value, *jsonError) {
	switch c := p.peek(); {
	case c == '{' || c == '[':
		if depth == depthMax {
			return nil, p.fail("JSON_TOO_DEEP")
		}
		if c == '{' {
			return p.parseObject(depth + 1)
		}
		return p.parseArray(depth + 1)
	case c == '"':
		text, err := p.parseString()
		return &value{kind: kindString, text: text}, err
	case c == '-' || (c >= '0' && c <= '9'):
		return p.parseNumber()
	}
	for word, made := range map[string]value{"null": {kind: kindNull}, "true": {kind: kindBool, truth: true}, "false": {kind: kindBool}} {
		if strings.HasPrefix(string(p.text[p.at:min(len(p.text), p.at+5)]), word) {
			p.at += len(word)
			found := made
			return &found, nil
		}
	}
	return nil, p.fail("JSON_SYNTAX")
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func (p *parser) parseArray(depth int) (*value, *jsonError) {
	found := &value{kind: kindArray}
	p.at++
	for p.skipSpace(); p.peek() != ']'; p.skipSpace() {
		if len(found.items) > 0 {
			if p.peek() != ',' {
				return nil, p.fail("JSON_SYNTAX")
			}
			p.at++
			p.skipSpace()
		}
		outer := p.path
		p.path += pointerPart(strconv.Itoa(len(found.items)))
		item, err := p.parseValue(depth)
		p.path = outer
		if err != nil {
			return nil, err
		}
		found.items = append(found.items, item)
	}
	p.at++
	return found, nil
}

func (p *parser) parseObject(depth int) (*value, *jsonError) {
	found := &value{kind: kindObject, member: map[string]*value{}}
	p.at++
	for p.skipSpace(); p.peek() != '}'; p.skipSpace() {
		if len(found.names) > 0 {
			if p.peek() != ',' {
				return nil, p.fail("JSON_SYNTAX")
			}
			p.at++
			p.skipSpace()
		}
		if p.peek() != '"' {
			return nil, p.fail("JSON_SYNTAX")
		}
		begin := p.at
		name, err := p.parseString()
		if err != nil {
			return nil, err
		}
		p.skipSpace()
		if p.peek() != ':' {
			return nil, p.fail("JSON_SYNTAX")
		}
		p.at++
		p.skipSpace()
		outer := p.path
		p.path += pointerPart(name)
		member, err := p.parseValue(depth)
		p.path = outer
		if err != nil {
			return nil, err
		}
		if _, ok := found.member[name]; ok {
			return nil, &jsonError{"JSON_DUPLICATE_KEY", p.path + pointerPart(name), begin}
		}
		found.names = append(found.names, name)
		found.member[name] = member
	}
	p.at++
	return found, nil
}

func (p *parser) skipDigits() bool {
	begin := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > begin
}

func (p *parser) parseNumber() (*value, *jsonError) {
	begin := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else if !p.skipDigits() {
		return nil, p.fail("JSON_SYNTAX")
	}
	if p.peek() == '.' {
		p.at++
		if !p.skipDigits() {
			return nil, p.fail("JSON_SYNTAX")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.skipDigits() {
			return nil, p.fail("JSON_SYNTAX")
		}
	}
	return &value{kind: kindNumber, text: string(p.text[begin:p.at])}, nil
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) parseHex() (rune, bool) {
	if p.at+4 > len(p.text) {
		return 0, false
	}
	number, err := strconv.ParseUint(string(p.text[p.at:p.at+4]), 16, 32)
	if err != nil {
		return 0, false
	}
	p.at += 4
	return rune(number), true
}

// parseEscape reads what follows a backslash. A surrogate without its partner becomes three bytes that are not UTF-8, and is so found where it matters.
func (p *parser) parseEscape(out *strings.Builder) *jsonError {
	c := p.peek()
	p.at++
	if plain, ok := escapes[c]; ok {
		out.WriteByte(plain)
		return nil
	}
	if c != 'u' {
		return p.fail("JSON_SYNTAX")
	}
	unit, ok := p.parseHex()
	if !ok {
		return p.fail("JSON_SYNTAX")
	}
	if utf16.IsSurrogate(unit) {
		begin := p.at
		if unit < 0xdc00 && p.peek() == '\\' && p.at+1 < len(p.text) && p.text[p.at+1] == 'u' {
			p.at += 2
			second, ok := p.parseHex()
			if !ok {
				return p.fail("JSON_SYNTAX")
			}
			if joined := utf16.DecodeRune(unit, second); joined != utf8.RuneError {
				out.WriteRune(joined)
				return nil
			}
			p.at = begin
		}
		out.Write([]byte{0xe0 | byte(unit>>12), 0x80 | byte(unit>>6&0x3f), 0x80 | byte(unit&0x3f)})
		return nil
	}
	out.WriteRune(unit)
	return nil
}

func (p *parser) parseString() (string, *jsonError) {
	var out strings.Builder
	p.at++
	for {
		c := p.peek()
		switch {
		case p.at >= len(p.text) || c < 0x20:
			return "", p.fail("JSON_SYNTAX")
		case c == '"':
			p.at++
			return out.String(), nil
		case c == '\\':
			p.at++
			if err := p.parseEscape(&out); err != nil {
				return "", err
			}
		default:
			out.WriteByte(c)
			p.at++
		}
	}
}

// ---- RFC 8785 ----

// canonical writes a value in the form of RFC 8785. False: it has none.
func canonical(out *strings.Builder, v *value) bool {
	switch v.kind {
	case kindNull:
		out.WriteString("null")
	case kindBool:
		out.WriteString(strconv.FormatBool(v.truth))
	case kindNumber:
		return canonicalNumber(out, v.text)
	case kindString:
		return canonicalString(out, v.text)
	case kindArray:
		out.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				out.WriteByte(',')
			}
			if !canonical(out, item) {
				return false
			}
		}
		out.WriteByte(']')
	case kindObject:
		return canonicalObject(out, v)
	}
	return true
}

func canonicalObject(out *strings.Builder, v *value) bool {
	names := append([]string(nil), v.names...)
	sort.Slice(names, func(i, k int) bool { return lessUTF16(names[i], names[k]) })
	out.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			out.WriteByte(',')
		}
		if !canonicalString(out, name) {
			return false
		}
		out.WriteByte(':')
		if !canonical(out, v.member[name]) {
			return false
		}
	}
	out.WriteByte('}')
	return true
}

// lessUTF16 orders texts by their UTF-16 code units.
func lessUTF16(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := 0; i < len(left) && i < len(right); i++ {
		if left[i] != right[i] {
			return left[i] < right[i]
		}
	}
	return len(left) < len(right)
}

func canonicalString(out *strings.Builder, text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out.WriteByte('"')
	for _, letter := range text {
		if escape, ok := short[letter]; ok {
			out.WriteString(escape)
		} else if letter < 0x20 {
			fmt.Fprintf(out, `\u%04x`, letter)
		} else {
			out.WriteRune(letter)
		}
	}
	out.WriteByte('"')
	return true
}

// canonicalNumber writes a number as ECMAScript does.
func canonicalNumber(out *strings.Builder, text string) bool {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(number, 0) {
		return false
	}
	if number == 0 {
		out.WriteByte('0')
		return true
	}
	if number < 0 {
		out.WriteByte('-')
		number = -number
	}
	mantissa, exponentText, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	exponent, _ := strconv.Atoi(exponentText)
	point := exponent + 1 // digits before the decimal point
	switch {
	case len(digits) <= point && point <= 21:
		out.WriteString(digits + strings.Repeat("0", point-len(digits)))
	case point > 0 && point <= 21:
		out.WriteString(digits[:point] + "." + digits[point:])
	case point > -6 && point <= 0:
		out.WriteString("0." + strings.Repeat("0", -point) + digits)
	default:
		out.WriteString(digits[:1])
		if len(digits) > 1 {
			out.WriteString("." + digits[1:])
		}
		fmt.Fprintf(out, "e%+d", exponent)
	}
	return true
}

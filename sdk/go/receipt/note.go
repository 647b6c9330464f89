// SPDX-License-Identifier: Apache-2.0

package receipt

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	noteBytesMax = 64 << 10
	linesMax     = 64
	keyLog       = 1
	keyWitness   = 4
	dash         = "\u2014 "
)

var strictBase64 = base64.StdEncoding.Strict()

// decodeBase64 reads base64 with padding and without stray bits; line ends are not part of it.
func decodeBase64(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	data, err := strictBase64.DecodeString(text)
	return data, err == nil
}

// ---- Keys ----

// key is a vkey: it verifies what a log or a witness signed.
type key struct {
	text     string
	name     string
	hash     uint32
	verifier note.Verifier // of a log
	public   ed25519.PublicKey
}

func (k *key) id() string { return fmt.Sprintf("%s+%08x", k.name, k.hash) }

var keyName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._/-]{0,198}[A-Za-z0-9])?$`)

func nameIsValid(name string) bool {
	if !keyName.MatchString(name) {
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// The points of small order, without the sign bit: for them anyone can sign anything.
var smallPoints = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

// isWeak finds points of small order, and numbers that are not below 2^255 - 19 and so have another encoding.
func isWeak(public []byte) bool {
	point := append([]byte(nil), public...)
	point[31] &= 0x7f
	large := point[0] >= 0xed && point[31] == 0x7f && bytes.Count(point[1:31], []byte{0xff}) == 30
	for _, small := range smallPoints {
		large = large || hex.EncodeToString(point) == small
	}
	return large
}

// parseKey reads a vkey of a log or of a witness.
func parseKey(text string, algorithm byte) (*key, error) {
	name, rest, _ := strings.Cut(text, "+")
	id, encoded, _ := strings.Cut(rest, "+")
	data, ok := decodeBase64(encoded)
	if !nameIsValid(name) || len(id) != 8 || !ok || len(data) != 1+ed25519.PublicKeySize {
		return nil, errors.New("a vkey is written NAME+ID+BASE64")
	}
	if data[0] != algorithm {
		return nil, fmt.Errorf("the vkey is of type %d, not %d", data[0], algorithm)
	}
	hash := keyHash(name, data)
	if fmt.Sprintf("%08x", hash) != id {
		return nil, fmt.Errorf("the id of the vkey should be %08x: a part of it was changed", hash)
	}
	if isWeak(data[1:]) {
		return nil, errors.New("the vkey is one for which anyone can sign anything")
	}
	made := &key{text: text, name: name, hash: hash, public: data[1:]}
	if algorithm == keyLog {
		verifier, err := note.NewVerifier(text)
		if err != nil {
			return nil, err
		}
		made.verifier = verifier
	}
	return made, nil
}

func keyHash(name string, data []byte) uint32 {
	digest := sha256Of([]byte(name+"\n"), data)
	return binary.BigEndian.Uint32(digest[:4])
}

// ---- Checkpoints ----

type signature struct {
	name string
	hash uint32
	data []byte // after the id
}

type checkpoint struct {
	text   string
	origin string
	size   int64
	root   tlog.Hash
	lines  []signature
}

func hasControl(text string) bool {
	for _, letter := range text {
		if letter != '\n' && (letter < 0x20 || (letter >= 0x7f && letter < 0xa0)) {
			return true
		}
	}
	return false
}

// readCheckpoint reads a note strictly. The text says what is wrong with it; "" for nothing.
func readCheckpoint(text string) (*checkpoint, string) {
	if len(text) > noteBytesMax {
		return nil, "it is longer than 64 KiB"
	}
	if !utf8.ValidString(text) {
		return nil, "it is not UTF-8"
	}
	if hasControl(text) {
		return nil, "it holds a control character; lines end with a line feed alone"
	}
	split := strings.LastIndex(text, "\n\n")
	if split < 0 {
		return nil, "there is no empty line before the signatures"
	}
	if !strings.HasSuffix(text, "\n") {
		return nil, "it does not end with a line feed"
	}
	found := &checkpoint{text: text[:split+1]}
	if reason := found.readText(); reason != "" {
		return nil, reason
	}
	return found, found.readLines(text[split+2:])
}

func parseSize(text string) (int64, bool) {
	number, err := strconv.ParseUint(text, 10, 63)
	return int64(number), err == nil && strconv.FormatUint(number, 10) == text
}

func (c *checkpoint) readText() string {
	lines := strings.Split(strings.TrimSuffix(c.text, "\n"), "\n")
	for len(lines) < 3 {
		lines = append(lines, "")
	}
	size, sizeFits := parseSize(lines[1])
	root, rootFits := decodeBase64(lines[2])
	switch {
	case lines[0] == "":
		return "the first line, the origin, is empty"
	case !sizeFits:
		return "the second line is not a size in decimal"
	case !rootFits || len(root) != tlog.HashSize:
		return "the third line is not the base64 of a root of 32 bytes"
	}
	for _, line := range lines[3:] {
		if line == "" {
			return "an extension line is empty"
		}
	}
	c.origin, c.size = lines[0], size
	copy(c.root[:], root)
	return ""
}

func (c *checkpoint) readLines(text string) string {
	if text == "" {
		return "there is no signature line"
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if len(c.lines) == linesMax {
			return "there are more than 64 signature lines"
		}
		if !strings.HasPrefix(line, dash) {
			return "a signature line begins with a dash (U+2014) and a space"
		}
		name, encoded, _ := strings.Cut(line[len(dash):], " ")
		if name == "" || strings.ContainsRune(name, '+') || strings.IndexFunc(name, unicode.IsSpace) >= 0 {
			return "a signature line has no key name"
		}
		data, ok := decodeBase64(encoded)
		if !ok || len(data) <= 4 {
			return "a signature is not the base64 of a key id and a signature"
		}
		c.lines = append(c.lines, signature{name, binary.BigEndian.Uint32(data), data[4:]})
	}
	return ""
}

// judgeLog tells whether a key signed, and whether all its signatures fit.
func (c *checkpoint) judgeLog(k *key) (signed, valid bool) {
	valid = true
	for _, line := range c.lines {
		if line.name == k.name && line.hash == k.hash {
			signed = true
			valid = valid && len(line.data) == ed25519.SignatureSize && k.verifier.Verify([]byte(c.text), line.data)
		}
	}
	return signed, valid
}

// judgeWitness tells whether a witness cosigned, when, and whether all its cosignatures fit.
func (c *checkpoint) judgeWitness(k *key) (cosigned, valid bool, time uint64) {
	valid = true
	for _, line := range c.lines {
		if line.name != k.name || line.hash != k.hash {
			continue
		}
		fits := false
		var when uint64
		if len(line.data) == 8+ed25519.SignatureSize {
			when = binary.BigEndian.Uint64(line.data)
			message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", when, c.text)
			fits = ed25519.Verify(k.public, []byte(message), line.data[8:])
		}
		if !cosigned {
			time = when
		}
		cosigned, valid = true, valid && fits
	}
	return cosigned, valid, time
}

// SPDX-License-Identifier: Apache-2.0

// judge.go - COSE receipts whose signature is judged by go-cose of Veraison and whose path by merkle of transparency-dev.
//
// Reads one JSON object per line (see make.py), and answers each with a line: accepted, or refused and why.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/fxamacker/cbor/v2"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/veraison/go-cose"
)

const (
	treeLabel    = int64(395)
	proofsLabel  = int64(396)
	inclusion    = int64(-1)
	rfc9162      = int64(1)
	lineBytesMax = 1 << 20
)

type given struct {
	Receipt []byte `json:"receipt"`
	Entry   []byte `json:"entry"`
	Public  []byte `json:"public"`
}

type path struct {
	_      struct{} `cbor:",toarray"`
	Size   uint64
	Index  uint64
	Hashes [][]byte
}

func readPath(message *cose.Sign1Message) (path, error) {
	var found path
	if message.Headers.Protected[treeLabel] != rfc9162 {
		return found, errors.New("tree")
	}
	proofs, ok := message.Headers.Unprotected[proofsLabel].(map[any]any)
	if !ok {
		return found, errors.New("no proofs")
	}
	list, ok := proofs[inclusion].([]any)
	if !ok || len(list) != 1 {
		return found, errors.New("no inclusion proof")
	}
	encoded, ok := list[0].([]byte)
	if !ok {
		return found, errors.New("proof")
	}
	return found, cbor.Unmarshal(encoded, &found)
}

func judge(line []byte) error {
	var from given
	var message cose.Sign1Message
	if err := json.Unmarshal(line, &from); err != nil {
		return err
	}
	if err := message.UnmarshalCBOR(from.Receipt); err != nil {
		return err
	}
	if message.Payload != nil {
		return errors.New("payload")
	}
	found, err := readPath(&message)
	if err != nil {
		return err
	}
	leaf := rfc6962.DefaultHasher.HashLeaf(from.Entry)
	root, err := proof.RootFromInclusionProof(rfc6962.DefaultHasher, found.Index, found.Size, leaf, found.Hashes)
	if err != nil {
		return err
	}
	verifier, err := cose.NewVerifier(cose.AlgorithmEdDSA, ed25519.PublicKey(from.Public))
	if err != nil {
		return err
	}
	message.Payload = root
	return message.Verify(nil, verifier)
}

func versions() string {
	var names []string
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if strings.Contains(module.Path, "go-cose") || strings.Contains(module.Path, "merkle") {
			names = append(names, module.Path+" "+module.Version)
		}
	}
	return strings.Join(names, ", ")
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, lineBytesMax)
	fmt.Println(versions())
	for lines.Scan() {
		if err := judge(bytes.Clone(lines.Bytes())); err != nil {
			fmt.Println("refused:", strings.SplitN(err.Error(), "\n", 2)[0])
		} else {
			fmt.Println("accepted")
		}
	}
}

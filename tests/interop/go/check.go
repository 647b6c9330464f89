// SPDX-License-Identifier: Apache-2.0

// check verifies an exported log with packages that Baton's authors did not write: sumdb/note reads and
// judges the signed note, sumdb/tlog authenticates every tile against the root and checks proofs.
//
//	check TREE VKEY [RECEIPT...]
//
// It prints `ok SIZE ROOT`, one line for each receipt that holds, and fails at the first thing that is
// wrong. With BATON_SKIP_ROOT in the environment it trusts the tiles as they are, which a test uses to
// show that it would then miss what it must find.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func fail(format string, args ...interface{}) {
	fmt.Printf("refused: "+format+"\n", args...)
	os.Exit(1)
}

// tree is a checkpoint whose signature was verified.
type tree struct {
	size int64
	root tlog.Hash
}

func openNote(text []byte, vkey string) tree {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		fail("vkey: %v", err)
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		fail("note: %v", err)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		fail("checkpoint text")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		fail("size: %v", err)
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		fail("root: %v", err)
	}
	return tree{size, root}
}

// files reads tiles as tlog-tiles names them.
type files string

func (dir files) Height() int { return 8 }

func (dir files) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

func (dir files) path(tile tlog.Tile) string {
	return filepath.Join(string(dir), "tile", strings.TrimPrefix(tile.Path(), "tile/8/"))
}

func (dir files) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		data, err := os.ReadFile(dir.path(tile))
		if err != nil {
			return nil, err
		}
		if len(data) != tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s has %d bytes", dir.path(tile), len(data))
		}
		all = append(all, data)
	}
	return all, nil
}

// entries reads every bundle and returns the records in order.
func entries(dir string, size int64) [][]byte {
	var all [][]byte
	for first := int64(0); first < size; first += 256 {
		width := size - first
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: first / 256, W: int(width)}
		name := strings.Replace(files(dir).path(tile), "tile/0/", "tile/entries/", 1)
		data, err := os.ReadFile(name)
		if err != nil {
			fail("bundle: %v", err)
		}
		for i := int64(0); i < width; i++ {
			if len(data) < 2 || len(data)-2 < int(data[0])<<8|int(data[1]) {
				fail("bundle %s is cut", name)
			}
			length := int(data[0])<<8 | int(data[1])
			all = append(all, data[2:2+length])
			data = data[2+length:]
		}
		if len(data) != 0 {
			fail("bundle %s is too long", name)
		}
	}
	return all
}

// plain trusts the tiles: a checker that skips the root.
type plain struct{ dir files }

func (p plain) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, index := range indexes {
		level, n := tlog.SplitStoredHashIndex(index)
		if level != 0 {
			return nil, fmt.Errorf("only leaves")
		}
		matches, _ := filepath.Glob(p.dir.path(tlog.Tile{H: 8, L: 0, N: n / 256, W: 256}) + "*")
		for _, match := range matches {
			if parts, _ := filepath.Glob(match + "/*"); len(parts) > 0 {
				match = parts[0]
			}
			data, err := os.ReadFile(match)
			if err != nil {
				return nil, err
			}
			var hash tlog.Hash
			copy(hash[:], data[(n%256)*tlog.HashSize:])
			all = append(all, hash)
			break
		}
	}
	return all, nil
}

func checkTree(dir string, head tree) tlog.HashReader {
	if head.size == 0 {
		empty, _ := tlog.TreeHash(0, nil)
		if os.Getenv("BATON_SKIP_ROOT") == "" && empty != head.root && head.root.String() != "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" {
			fail("the root of the empty tree")
		}
		return nil
	}
	var reader tlog.HashReader = tlog.TileHashReader(tlog.Tree{N: head.size, Hash: head.root}, files(dir))
	if os.Getenv("BATON_SKIP_ROOT") != "" {
		reader = plain{files(dir)}
	} else if root, err := tlog.TreeHash(head.size, reader); err != nil || root != head.root {
		fail("root: %v %v", root, err)
	}
	var indexes []int64
	for i := int64(0); i < head.size; i++ {
		indexes = append(indexes, tlog.StoredHashIndex(0, i))
	}
	hashes, err := reader.ReadHashes(indexes)
	if err != nil {
		fail("tiles: %v", err)
	}
	for i, entry := range entries(dir, head.size) {
		if tlog.RecordHash(entry) != hashes[i] {
			fail("entry %d", i)
		}
	}
	return reader
}

// checkReceipt judges a tlog-proof, and compares it with the proof that tlog makes itself.
func checkReceipt(path, vkey string, reader tlog.HashReader) {
	data, err := os.ReadFile(path)
	if err != nil {
		fail("receipt: %v", err)
	}
	split := bytes.Index(data, []byte("\n\n"))
	scanner := bufio.NewScanner(bytes.NewReader(data[:split]))
	scanner.Buffer(nil, 1<<20)
	var entry []byte
	var index int64
	var proof tlog.RecordProof
	for scanner.Scan() {
		line := scanner.Text()
		switch {
		case strings.HasPrefix(line, "c2sp.org/"):
		case strings.HasPrefix(line, "extra "):
			entry, _ = base64.StdEncoding.DecodeString(line[len("extra "):])
		case strings.HasPrefix(line, "index "):
			index, _ = strconv.ParseInt(line[len("index "):], 10, 64)
		default:
			hash, err := tlog.ParseHash(line)
			if err != nil {
				fail("proof: %v", err)
			}
			proof = append(proof, hash)
		}
	}
	head := openNote(data[split+2:], vkey)
	if err := tlog.CheckRecord(proof, head.size, head.root, index, tlog.RecordHash(entry)); err != nil {
		fail("receipt %s: %v", path, err)
	}
	if reader != nil && os.Getenv("BATON_SKIP_ROOT") == "" {
		own, err := tlog.ProveRecord(head.size, index, reader)
		if err != nil || fmt.Sprint(own) != fmt.Sprint(proof) {
			fail("receipt %s has another proof than tlog's: %v", path, err)
		}
	}
	fmt.Printf("receipt %d of %d\n", index, head.size)
}

func main() {
	if len(os.Args) < 3 {
		fmt.Println("usage: check TREE VKEY [RECEIPT...]")
		os.Exit(2)
	}
	text, err := os.ReadFile(filepath.Join(os.Args[1], "checkpoint"))
	if err != nil {
		fail("checkpoint: %v", err)
	}
	head := openNote(text, os.Args[2])
	reader := checkTree(os.Args[1], head)
	fmt.Printf("ok %d %x\n", head.size, head.root[:])
	for _, receipt := range os.Args[3:] {
		checkReceipt(receipt, os.Args[2], reader)
	}
}

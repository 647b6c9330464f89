// SPDX-License-Identifier: Apache-2.0

// check verifies an exported log with packages that Baton's authors did not write: sumdb/note reads and
// judges the signed note, sumdb/tlog authenticates every tile against the root and checks proofs.
//
//	check TREE VKEY [RECEIPT | GROWTH.growth]...
//	check -flip STEP TREE VKEY
//
// It prints `ok SIZE ROOT`, one line for each receipt and each proof of growth that holds, and fails at
// the first thing that is wrong. With -flip it changes every STEP-th byte of the tree in turn, in memory,
// and prints `flipped N, unnoticed N`. With BATON_SKIP_ROOT in the environment it trusts the tiles as they are, which a test uses to
// show that it would then miss what it must find.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// refusal is what fail panics with, so that a flip can be judged and the next one tried.
type refusal string

func fail(format string, args ...interface{}) {
	panic(refusal(fmt.Sprintf("refused: "+format, args...)))
}

// changed is what a flip puts in the place of files.
type changed map[string][]byte

func (c changed) read(path string) ([]byte, error) {
	if data, ok := c[path]; ok {
		return data, nil
	}
	return os.ReadFile(path)
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
type files struct {
	dir     string
	changed changed
}

func (f files) Height() int { return 8 }

func (f files) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

func (f files) path(tile tlog.Tile) string {
	return filepath.Join(f.dir, "tile", strings.TrimPrefix(tile.Path(), "tile/8/"))
}

func (f files) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		data, err := f.changed.read(f.path(tile))
		if err != nil {
			return nil, err
		}
		if len(data) != tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s has %d bytes", f.path(tile), len(data))
		}
		all = append(all, data)
	}
	return all, nil
}

// entries reads every bundle and returns the records in order.
func entries(f files, size int64) [][]byte {
	var all [][]byte
	for first := int64(0); first < size; first += 256 {
		width := size - first
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: first / 256, W: int(width)}
		name := strings.Replace(f.path(tile), "tile/0/", "tile/entries/", 1)
		data, err := f.changed.read(name)
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

func checkTree(f files, head tree) tlog.HashReader {
	if head.size == 0 {
		empty, _ := tlog.TreeHash(0, nil)
		if os.Getenv("BATON_SKIP_ROOT") == "" && empty != head.root && head.root.String() != "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" {
			fail("the root of the empty tree")
		}
		return nil
	}
	var reader tlog.HashReader = tlog.TileHashReader(tlog.Tree{N: head.size, Hash: head.root}, f)
	if os.Getenv("BATON_SKIP_ROOT") != "" {
		reader = plain{f}
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
	for i, entry := range entries(f, head.size) {
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

// checkGrowth judges the body of a request to a witness, and compares it with tlog's own proof.
func checkGrowth(path, vkey string, reader tlog.HashReader) {
	data, err := os.ReadFile(path)
	if err != nil {
		fail("growth: %v", err)
	}
	split := bytes.Index(data, []byte("\n\n"))
	lines := strings.Split(string(data[:split]), "\n")
	old, err := strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64)
	if err != nil {
		fail("growth: %v", err)
	}
	var proof tlog.TreeProof
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			fail("growth: %v", err)
		}
		proof = append(proof, hash)
	}
	head := openNote(data[split+2:], vkey)
	if old == 0 || old == head.size {
		if len(proof) != 0 {
			fail("growth from %d to %d needs no proof", old, head.size)
		}
		fmt.Printf("growth %d to %d\n", old, head.size)
		return
	}
	oldRoot, err := tlog.TreeHash(old, reader)
	if err != nil {
		fail("growth: %v", err)
	}
	if err := tlog.CheckTree(proof, head.size, head.root, old, oldRoot); err != nil {
		fail("growth from %d to %d: %v", old, head.size, err)
	}
	own, err := tlog.ProveTree(head.size, old, reader)
	if err != nil || fmt.Sprint(own) != fmt.Sprint(proof) {
		fail("growth from %d to %d has another proof than tlog's: %v", old, head.size, err)
	}
	fmt.Printf("growth %d to %d\n", old, head.size)
}

func check(f files, vkey string) (tree, tlog.HashReader) {
	text, err := f.changed.read(filepath.Join(f.dir, "checkpoint"))
	if err != nil {
		fail("checkpoint: %v", err)
	}
	head := openNote(text, vkey)
	return head, checkTree(f, head)
}

// isRefused judges the tree with a file changed.
func isRefused(f files, vkey string) (refused bool) {
	defer func() {
		if why := recover(); why != nil {
			_, refused = why.(refusal)
			if !refused {
				panic(why)
			}
		}
	}()
	check(f, vkey)
	return false
}

// flip changes one byte after the other, on all processors at once.
func flip(step int, dir, vkey string) {
	contents := changed{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			contents[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || isRefused(files{dir, contents}, vkey) {
		fail("the tree is not whole before anything is changed: %v", err)
	}
	type place struct {
		path string
		at   int
	}
	var flipped, unnoticed int64
	var workers sync.WaitGroup
	places := make(chan place)
	for i := 0; i < runtime.NumCPU(); i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			own := changed{}
			for path, content := range contents {
				own[path] = append([]byte(nil), content...)
			}
			for p := range places {
				own[p.path][p.at] ^= 1 << (p.at % 8)
				atomic.AddInt64(&flipped, 1)
				if !isRefused(files{dir, own}, vkey) {
					atomic.AddInt64(&unnoticed, 1)
				}
				own[p.path][p.at] ^= 1 << (p.at % 8)
			}
		}()
	}
	for path, content := range contents {
		for at := len(path) % step; at < len(content); at += step {
			places <- place{path, at}
		}
	}
	close(places)
	workers.Wait()
	fmt.Printf("flipped %d, unnoticed %d\n", flipped, unnoticed)
}

func main() {
	defer func() {
		if why := recover(); why != nil {
			if text, ok := why.(refusal); ok {
				fmt.Println(string(text))
				os.Exit(1)
			}
			panic(why)
		}
	}()
	if len(os.Args) == 5 && os.Args[1] == "-flip" {
		step, err := strconv.Atoi(os.Args[2])
		if err != nil || step < 1 {
			fail("STEP is not a number")
		}
		flip(step, os.Args[3], os.Args[4])
		return
	}
	if len(os.Args) < 3 {
		fmt.Println("usage: check TREE VKEY [RECEIPT | GROWTH.growth]...")
		os.Exit(2)
	}
	head, reader := check(files{os.Args[1], nil}, os.Args[2])
	fmt.Printf("ok %d %x\n", head.size, head.root[:])
	for _, path := range os.Args[3:] {
		if strings.HasSuffix(path, ".growth") {
			checkGrowth(path, os.Args[2], reader)
		} else {
			checkReceipt(path, os.Args[2], reader)
		}
	}
}

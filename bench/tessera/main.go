// SPDX-License-Identifier: Apache-2.0

// Durable appends to a Tessera log on a POSIX file system: `tessera-appends FOLDER` prints entries a second.
//
// As many writers as bench_ledger.c has, each of which waits until its entry is integrated and synced. A batch is closed when all of them wait, or after MAX_AGE.
// Tessera signs a checkpoint once in a while, a ledger of Baton at each commit.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

const (
	writers    = 32
	run        = 3 * time.Second
	maxAge     = time.Millisecond
	entryBytes = 238 // of the smallest entry of a ledger
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "tessera-appends:", err)
		os.Exit(1)
	}
}

func appendUntil(ctx context.Context, appender *tessera.Appender, end time.Time, writer int) int64 {
	var count int64
	for ; time.Now().Before(end); count++ {
		entry := make([]byte, entryBytes)
		copy(entry, fmt.Sprintf("%d/%d", writer, count))
		_, err := appender.Add(ctx, tessera.NewEntry(entry))()
		check(err)
	}
	return count
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tessera-appends FOLDER")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	secret, _, err := note.GenerateKey(rand.Reader, "baton.example/bench")
	check(err)
	signer, err := note.NewSigner(secret)
	check(err)
	driver, err := posix.New(ctx, posix.Config{Path: os.Args[1]})
	check(err)
	options := tessera.NewAppendOptions().WithCheckpointSigner(signer).WithBatching(writers, maxAge)
	appender, shutdown, _, err := tessera.NewAppender(ctx, driver, options)
	check(err)
	var total atomic.Int64
	var group sync.WaitGroup
	begin := time.Now()
	for writer := 0; writer < writers; writer++ {
		group.Add(1)
		go func() {
			defer group.Done()
			total.Add(appendUntil(ctx, appender, begin.Add(run), writer))
		}()
	}
	group.Wait()
	fmt.Printf("%.0f\n", float64(total.Load())/time.Since(begin).Seconds())
	check(shutdown(ctx))
}

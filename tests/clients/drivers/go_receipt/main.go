// SPDX-License-Identifier: Apache-2.0

// go_receipt reads receipts with what they are verified with, one JSON object a line, and prints what package receipt finds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"baton.example/go/receipt"
)

type command struct {
	Receipt        []byte   `json:"receipt"`
	VKey           []string `json:"vkey"`
	Document       *[]byte  `json:"document"`
	Entry          *[]byte  `json:"entry"`
	WitnessKey     []string `json:"witness_key"`
	RequireWitness int      `json:"require_witness"`
	AnyVerdict     bool     `json:"any_verdict"`
}

func verify(line []byte) any {
	var c command
	if err := json.Unmarshal(line, &c); err != nil {
		panic(err)
	}
	options := receipt.Options{VKeys: c.VKey, WitnessKeys: c.WitnessKey, RequireWitness: c.RequireWitness, AnyVerdict: c.AnyVerdict}
	if c.Document != nil {
		options.Document = append([]byte{}, *c.Document...)
	}
	if c.Entry != nil {
		options.Entry = append([]byte{}, *c.Entry...)
	}
	result, err := receipt.VerifyWith(c.Receipt, options)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"accepted": result.Accepted(), "result": result}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		text, err := json.Marshal(verify(line))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}

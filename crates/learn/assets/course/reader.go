// A reader of portable PDBs: README.md has the exercises. `go run reader.go` runs it, without any module.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Answer is an object of JSON: Answer{"guid": "6ba7b811-9dad-11d1-80b4-00c04fd430c8"}.
type Answer map[string]any

var errStub = errors.New("not written yet")

func guid(data []byte) (Answer, error) {
	// Exercise 1: data[0] is the first byte.
	return nil, errStub
}

func rsds(data []byte) (Answer, error) { return nil, errStub }

func unsigned(data []byte) (Answer, error) { return nil, errStub }

func signed(data []byte) (Answer, error) { return nil, errStub }

func root(data []byte) (Answer, error) { return nil, errStub }

func msf(data []byte) (Answer, error) { return nil, errStub }

func pdb(data []byte) (Answer, error) { return nil, errStub }

func tables(data []byte) (Answer, error) { return nil, errStub }

func points(data []byte) (Answer, error) { return nil, errStub }

func layout(data []byte) (Answer, error) { return nil, errStub }

func documents(data []byte) (Answer, error) { return nil, errStub }

func methods(data []byte) (Answer, error) { return nil, errStub }

func frames(data []byte) (Answer, error) { return nil, errStub }

func bounds(data []byte) (Answer, error) { return nil, errStub }

func symbols(data []byte) (Answer, error) { return nil, errStub }

func mdb(data []byte) (Answer, error) { return nil, errStub }

func c13(data []byte) (Answer, error) { return nil, errStub }

func program(data []byte) (Answer, error) { return nil, errStub }

func addresses(data []byte) (Answer, error) { return nil, errStub }

var exercises = map[string]func([]byte) (Answer, error){
	"guid": guid, "rsds": rsds, "unsigned": unsigned, "signed": signed, "root": root, "msf": msf, "pdb": pdb,
	"tables": tables, "points": points, "layout": layout, "documents": documents, "methods": methods, "frames": frames, "bounds": bounds,
	"symbols": symbols, "mdb": mdb, "c13": c13, "program": program, "addresses": addresses,
}

// read answers a file; a panic, such as an index out of range, is an error, and its stack goes to standard error.
func read(exercise, file string) (answer Answer, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", file, reason, debug.Stack())
			err = fmt.Errorf("%v", reason)
		}
	}()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return exercises[exercise](data)
}

func main() {
	answers := map[string]Answer{}
	for _, file := range os.Args[1:] {
		exercise := filepath.Base(filepath.Dir(file))
		answer, err := read(exercise, file)
		if err != nil {
			answer = Answer{"error": err.Error()}
		}
		answers[exercise+"/"+strings.TrimSuffix(filepath.Base(file), ".bin")] = answer
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

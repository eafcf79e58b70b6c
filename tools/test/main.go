// SPDX-License-Identifier: MPL-2.0

// Command test runs go test, and shows what a person needs: a line for each package as soon as it has
// ended, the output of tests that failed, and one line at the end. After a failure, that line names the
// test, its seed, and the command that repeats it.
//
//	go -C tools/test run . [-dir MODULE] [-repeat COMMAND] -- ARGUMENTS...
//
// The arguments are those of go test, which runs in the root of the repository, or in a folder of it that is a
// module. COMMAND is what the last line shows instead of "go test".
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// silence is how long nothing is printed before a line says what is running.
const silence = 30 * time.Second

func main() {
	repeat := flag.String("repeat", "go test", "the command that the last line shows")
	dir := flag.String("dir", ".", "the folder of the module")
	flag.Parse()
	code, err := run(newReport(*repeat, *dir, os.Stdout), flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(r *report, arguments []string) (code int, err error) {
	command := exec.Command("go", append([]string{"test", "-json"}, arguments...)...)
	command.Dir, command.Stderr = filepath.Join("../..", r.dir), os.Stderr
	stream, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	events := make(chan event)
	go func() {
		defer close(events)
		for lines := bufio.NewReader(stream); ; {
			line, err := lines.ReadBytes('\n')
			if e := (event{}); json.Unmarshal(line, &e) == nil {
				events <- e
			} else if len(line) > 0 {
				events <- event{Action: "build-output", Output: string(line)}
			}
			if err != nil {
				return
			}
		}
	}()
	quiet := time.NewTicker(silence)
	defer quiet.Stop()
	for open := true; open; {
		var e event
		select {
		case e, open = <-events:
			if open && r.add(e) {
				quiet.Reset(silence)
			}
		case <-quiet.C:
			r.progress()
		}
	}
	failed := command.Wait() != nil
	if r.end(failed) {
		return 1, nil
	}
	return 0, nil
}

// Plays legal[0] by goroutines at the default GOMAXPROCS, pipes, sockets, and commands in sessions of their own.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type message struct {
	Type  string   `json:"type"`
	ID    int      `json:"id"`
	Legal []string `json:"legal"`
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func echoed(listener net.Listener, err error) {
	must(err)
	defer listener.Close()
	go func() {
		server, err := listener.Accept()
		must(err)
		fmt.Fprintln(server, "word")
		server.Close()
	}()
	client, err := net.Dial(listener.Addr().Network(), listener.Addr().String())
	must(err)
	word, err := bufio.NewReader(client).ReadString('\n')
	must(err)
	if word != "word\n" {
		log.Fatal(word)
	}
}

func prepare() {
	var total int64
	var all sync.WaitGroup
	var lock sync.Mutex
	for i := 0; i < 100; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			runtime.LockOSThread() // a thread each
			lock.Lock()
			defer lock.Unlock()
			atomic.AddInt64(&total, 1)
			time.Sleep(time.Microsecond)
		}()
	}
	all.Wait()
	if total != 100 {
		log.Fatal(total)
	}
	one, other := net.Pipe()
	go fmt.Fprintln(one, "word")
	_, err := bufio.NewReader(other).ReadString('\n')
	must(err)
	echoed(net.Listen("tcp", "127.0.0.1:0"))
	echoed(net.Listen("unix", "/tmp/socket"))
	sort := exec.Command("sort")
	sort.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	sort.Stdin = strings.NewReader("b\na\n")
	out, err := sort.Output()
	must(err)
	if string(out) != "a\nb\n" {
		log.Fatal(string(out))
	}
	rung := make(chan os.Signal, 1)
	signal.Notify(rung, syscall.SIGUSR1)
	must(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	<-rung
	for i := 0; i < 50; i++ {
		_ = make([]byte, 1<<20)
	}
	runtime.GC()
}

func main() {
	prepare()
	wanted, chosen := make(chan []string), make(chan string)
	ticks := time.NewTicker(5 * time.Millisecond)
	go func() {
		for {
			select {
			case <-ticks.C:
			case legal := <-wanted:
				go func() { chosen <- legal[0] }()
			}
		}
	}()
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked message
		if in.Decode(&asked) != nil {
			return
		}
		switch asked.Type {
		case "hello":
			must(out.Encode(map[string]any{"type": "ready", "name": "goroutines"}))
		case "request":
			wanted <- asked.Legal
			must(out.Encode(map[string]any{"type": "reply", "id": asked.ID, "action": <-chosen}))
		}
	}
}

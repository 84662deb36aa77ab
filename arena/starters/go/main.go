// Mybot is a bot for the card arena. It always plays its lowest legal card.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"math"
	"os"
	"strconv"
)

// A Message is a line of the referee: "hello", "request" or "end".
type Message struct {
	Type     string   `json:"type"`
	ID       int      `json:"id"`
	Decision string   `json:"decision"`
	Legal    []string `json:"legal"`
	View     View     `json:"view"`
}

// A View is what the seat may know: the fields of every game. Add those of yours, which SPEC.md lists.
type View struct {
	Seats  int      `json:"seats"`
	Seat   int      `json:"seat"`
	Leader int      `json:"leader"`
	Hand   []string `json:"hand"`
	Points []int    `json:"points"`
}

// Ready answers a hello.
type Ready struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Language string `json:"language"`
}

// A Reply answers a request.
type Reply struct {
	Type   string `json:"type"`
	ID     int    `json:"id"`
	Action string `json:"action"`
}

// ---- your idea -------------------------------------------------------------------------------------

// choose returns one of request.Legal.
func choose(request Message) string {
	lowest := request.Legal[0]
	for _, action := range request.Legal {
		if value(action) < value(lowest) {
			lowest = action
		}
	}
	return lowest
}

// value returns the number of a card: 7 for G7. Words such as "chip" come last.
func value(action string) int {
	number, err := strconv.Atoi(action[1:])
	if err != nil {
		return math.MaxInt
	}
	return number
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

func main() {
	log.SetFlags(0) // log writes to standard error: standard output belongs to the referee
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var message Message
		err := in.Decode(&message)
		if errors.Is(err, io.EOF) {
			return
		}
		switch {
		case err != nil:
		case message.Type == "hello":
			err = out.Encode(Ready{"ready", "mybot", "Go"})
		case message.Type == "request":
			err = out.Encode(Reply{"reply", message.ID, choose(message)})
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

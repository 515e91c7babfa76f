package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Messages of the client, by their first byte.
const (
	msgBind     = 'B'
	msgClose    = 'C'
	msgDescribe = 'D'
	msgExecute  = 'E'
	msgFunction = 'F'
	msgParse    = 'P'
	msgQuery    = 'Q'
	msgSync     = 'S'
)

// Messages of the server, and what ReadyForQuery says of the transaction block.
const (
	msgReady    = 'Z'
	msgCopyIn   = 'G'
	msgCopyBoth = 'W'

	readyInBlock = 'T'
	readyFailed  = 'E'
)

// What the first message of a connection may ask for instead of a session.
const (
	codeCancel = 80877102
	codeTLS    = 80877103
	codeGSS    = 80877104
)

// waits reports whether a message of the client has no effect before a later one.
func waits(kind byte) bool {
	switch kind {
	case msgParse, msgBind, msgDescribe, msgExecute, msgClose:
		return true
	}
	return false
}

// completes reports whether the server answers a message of the client with ReadyForQuery.
func completes(kind byte) bool { return kind == msgSync || kind == msgQuery || kind == msgFunction }

// invites reports whether a message of the server has the client send more, without which the request is never complete.
func invites(kind byte) bool { return kind == msgCopyIn || kind == msgCopyBoth }

const (
	headerSize = 5       // the type and the length
	maxFrame   = 1 << 30 // what the server allows
	maxStartup = 10000   // the same for the first message
)

// readFrame appends one message to buf: its type, its length and its body.
func readFrame(r *bufio.Reader, buf []byte) ([]byte, error) {
	header, err := r.Peek(headerSize)
	if err != nil {
		return buf, err
	}
	length := binary.BigEndian.Uint32(header[1:])
	if length < 4 || length > maxFrame {
		return buf, fmt.Errorf("a message of %d bytes", length)
	}
	return readFull(r, buf, 1+int(length))
}

// readStartup reads the first message of a connection, which has no type, and the code in it.
func readStartup(r *bufio.Reader) (message []byte, code uint32, err error) {
	header, err := r.Peek(8)
	if err != nil {
		return nil, 0, err
	}
	length := binary.BigEndian.Uint32(header)
	if length < 8 || length > maxStartup {
		return nil, 0, fmt.Errorf("a first message of %d bytes", length)
	}
	code = binary.BigEndian.Uint32(header[4:])
	message, err = readFull(r, nil, int(length))
	return message, code, err
}

func readFull(r *bufio.Reader, buf []byte, n int) ([]byte, error) {
	start := len(buf)
	buf = append(buf, make([]byte, n)...)
	_, err := io.ReadFull(r, buf[start:])
	return buf, err
}

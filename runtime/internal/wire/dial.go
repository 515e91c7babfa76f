package wire

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// dial connects to the server, in the ways that its connection string allows, by TLS where it says so.
func dial(ctx context.Context, config *pgconn.Config) (net.Conn, error) {
	ways := []*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}
	ways = append(ways, config.Fallbacks...)
	var errs []error
	for _, way := range ways {
		conn, err := dialWay(ctx, config, way)
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func dialWay(ctx context.Context, config *pgconn.Config, way *pgconn.FallbackConfig) (net.Conn, error) {
	network, address := pgconn.NetworkAddress(way.Host, way.Port)
	conn, err := config.DialFunc(ctx, network, address)
	if err != nil || way.TLSConfig == nil {
		return conn, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	secure, err := startTLS(ctx, conn, way.TLSConfig)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

func startTLS(ctx context.Context, conn net.Conn, config *tls.Config) (net.Conn, error) {
	if _, err := conn.Write(binary.BigEndian.AppendUint32([]byte{0, 0, 0, 8}, codeTLS)); err != nil {
		return nil, err
	}
	var answer [1]byte
	if _, err := conn.Read(answer[:]); err != nil {
		return nil, err
	}
	if answer[0] != 'S' {
		return nil, fmt.Errorf("the server answers %q to the request for TLS", answer)
	}
	secure := tls.Client(conn, config)
	return secure, secure.HandshakeContext(ctx)
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, errorCodes } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { failureBody } from './respond.ts';

/** Above what our own checks allow, so that they answer, with the credential looked at first; this is the last resort. */
const headerBytesMax = 49_152;

/** About 150 MB while they are idle. More are hung up on at once: they would take the memory of those that are answered. */
const clientsMax = 10_000;

/**
 * What Node would answer by itself, before there is a request to speak of: in the envelope too, and always with the end
 * of the connection, because what follows on it cannot be trusted. `answering` are the answers that are under way.
 */
export function answerBelowTheRequest(server: Server, answering: Iterable<ServerResponse>) {
  Object.assign(server, { maxHeaderSize: headerBytesMax, requireHostHeader: false });
  server.maxConnections = clientsMax;
  server.maxHeadersCount = 0;
  server.headersTimeout = 15_000;
  // A large file over a slow line; one that stands still is given up long before.
  server.requestTimeout = 60 * 60_000;
  server.keepAliveTimeout = 65_000;

  // Answered when the body is wanted, not before the request was looked at.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('connect', (_req, socket) => end(socket, new ApiError('VALIDATION_ERROR', 'This is not a proxy.')));

  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket) => {
    // Nobody may be told a fault of something else: what was read whole and is still being answered has its own outcome.
    const another = [...answering].some((res) => res.req.socket === socket && (res.headersSent || res.req.complete));
    if (!socket.writable || error.code === 'ECONNRESET' || another) return void socket.destroy();
    end(socket, refusalOf(error));
  });
}

function refusalOf({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const isTarget = /^[A-Z]+ \S+$/.test(rawPacket?.subarray(0, 8_300).toString('latin1') ?? '');
    return isTarget
      ? new ApiError('URI_TOO_LONG', 'The path and query are longer than 8192 bytes.')
      : new ApiError('HEADERS_TOO_LARGE', 'The headers are larger than 16384 bytes.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('VALIDATION_ERROR', 'The request did not arrive in time.');
  return new ApiError('VALIDATION_ERROR', 'This is not a well-formed HTTP/1.1 request.');
}

/** For the client to read why. */
const lingerMs = 2_000;

const reasons: Record<number, string> = { 400: 'Bad Request', 414: 'URI Too Long', 431: 'Request Header Fields Too Large' };

function end(socket: Duplex, error: ApiError) {
  const { status } = errorCodes[error.code];
  const requestId = newId('request');
  const body = failureBody(error, requestId);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reasons[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${body.length}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      `X-Request-Id: ${requestId}`,
      '',
      body.toString(),
    ].join('\r\n'),
  );
  // A client that does not hang up in turn is hung up on.
  const late = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(late));
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, errorCodes } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { failureBody } from './answer.ts';

/** Above what our own checks allow, so that they answer, with the credential looked at first; this is the last resort. */
const headerBytesMax = 65_536;

/**
 * What Node would answer by itself, before there is a request to speak of: in the envelope too, and always with the end
 * of the connection, because what follows on it cannot be trusted.
 */
export function answerBelowTheRequest(server: Server) {
  Object.assign(server, { maxHeaderSize: headerBytesMax, requireHostHeader: false });
  server.maxHeadersCount = 0;
  server.headersTimeout = 15_000;
  server.requestTimeout = 300_000;
  server.keepAliveTimeout = 65_000;

  const answering = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: number) => answering.set(socket, (answering.get(socket) ?? 0) + change);
  server.prependListener('request', (req, res) => {
    count(req.socket, 1);
    res.once('close', () => count(req.socket, -1));
  });

  // Answered when the body is wanted, not before the request was looked at.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('connect', (_req, socket) => end(socket, new ApiError('VALIDATION_ERROR', 'This is not a proxy.')));

  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket) => {
    // In the middle of another answer on this connection nothing can be said any more.
    if (!socket.writable || error.code === 'ECONNRESET' || (answering.get(socket) ?? 0) > 0) return void socket.destroy();
    end(socket, refusalOf(error));
  });
}

function refusalOf({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const line = rawPacket?.subarray(0, 8_300).includes('\r\n') === false;
    return line
      ? new ApiError('URI_TOO_LONG', 'The path and query are longer than 8192 bytes.')
      : new ApiError('HEADERS_TOO_LARGE', 'The headers are larger than 16384 bytes.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('VALIDATION_ERROR', 'The request did not arrive in time.');
  return new ApiError('VALIDATION_ERROR', 'This is not a well-formed HTTP/1.1 request.');
}

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
      'Connection: close',
      `X-Request-Id: ${requestId}`,
      '',
      body.toString(),
    ].join('\r\n'),
  );
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, errorCodes } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { failureBody } from './respond.ts';
import type { Site } from './site.ts';

/**
 * Handles the errors that Node would respond to itself, before a request has been parsed. These responses use the envelope
 * too and always end the connection, because what follows on it cannot be trusted. `inFlight`: the in-flight responses.
 */
export function handleNodeHttpErrors(server: Server, inFlight: Iterable<ServerResponse>, site: Site) {
  const end = (socket: Duplex, error: ApiError) => endWith(socket, error, site);

  // `check-target` rejects a request without a Host, with the envelope.
  Object.assign(server, { requireHostHeader: false });

  // 100 Continue is sent when the body is needed, after the request has been checked.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('connect', (_req, socket) => end(socket, new ApiError('VALIDATION_ERROR', 'CONNECT is not supported; this is not a proxy.')));

  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket) => {
    // The fault belongs to a later request on this connection; an in-flight response must not be mixed with this error.
    const another = [...inFlight].some((res) => res.req.socket === socket && (res.headersSent || res.req.complete));
    if (!socket.writable || error.code === 'ECONNRESET' || another) return void socket.destroy();
    end(socket, refusalOf(error));
  });
}

function refusalOf({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const isTarget = /^[A-Z]+ \S+$/.test(rawPacket?.subarray(0, 8_300).toString('latin1') ?? '');
    return isTarget
      ? new ApiError('URI_TOO_LONG', 'The path and query are longer than the maximum of 8192 bytes.')
      : new ApiError('HEADERS_TOO_LARGE', 'The headers are longer than the maximum of 16384 bytes.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('VALIDATION_ERROR', 'The request did not arrive in time.');
  return new ApiError('VALIDATION_ERROR', 'This is not a well-formed HTTP/1.1 request.');
}

/** Time for the client to read the response. */
const lingerMs = 2_000;

const reasons: Record<number, string> = { 400: 'Bad Request', 414: 'URI Too Long', 431: 'Request Header Fields Too Large' };

function endWith(socket: Duplex, error: ApiError, { publicUrl, headers }: Site) {
  const { status } = errorCodes[error.code];
  const requestId = newId('request');
  const body = failureBody(error, requestId, publicUrl);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reasons[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${body.length}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      `X-Request-Id: ${requestId}`,
      '',
      body.toString(),
    ].join('\r\n'),
  );
  // Destroy the connection if the client does not close it.
  const late = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(late));
}

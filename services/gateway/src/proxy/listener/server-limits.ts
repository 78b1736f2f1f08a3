import type { Server } from 'node:http';

/** Node's limit, as a last resort. Higher than our own, so that our checks respond, after authentication. */
const maxHeaderBytes = 49_152;

/** About 150 MB of idle connections. More are closed immediately, to save the memory for requests. */
const maxClients = 10_000;

/** Limits of connections and of the time for a request, before it reaches a policy. */
export function setServerLimits(server: Server) {
  Object.assign(server, { maxHeaderSize: maxHeaderBytes });
  server.maxConnections = maxClients;
  server.maxHeadersCount = 0;
  server.headersTimeout = 15_000;
  // Enough for a large file over a slow line; stalled uploads are aborted much earlier.
  server.requestTimeout = 60 * 60_000;
  server.keepAliveTimeout = 65_000;
}

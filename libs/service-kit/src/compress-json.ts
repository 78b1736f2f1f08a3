import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

const minBytes = 1_024;

/** Compresses JSON responses of 1 KiB and more with brotli or gzip, if the client accepts one. Must be called before the routes are added. */
export function compressJson(app: FastifyInstance) {
  // Called, not registered: a registered plugin would see routes only after the service has added its own.
  compress(
    app,
    { globalDecompression: false, encodings: ['br', 'gzip'], threshold: minBytes, customTypes: /^application\/json(;|$)/ },
    (error) => {
      if (error) throw error;
    },
  );
}

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { depthOf } from '@mp/service-kit/accept-json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Loose, membersOf } from './loose-values.ts';
import { SegmentError } from './segment-error.ts';

/** As Segment documents them: of a request, and of one call. */
export const maxBodyBytes = 500 * 1_024;
export const maxCallBytes = 32 * 1_024;

/** The gateway forwards this much, so that a larger body gets Segment's error. */
const maxReadBytes = 1_048_576;

/** No program nests this deep, and writing or comparing deeper values could overflow the stack. */
const maxDepth = 500;

const inflate = promisify(gunzip);

/** Reads bodies of any content type as JSON, because browsers send text/plain. Decompression ends at the largest body. */
export function readBodies(app: FastifyInstance) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxReadBytes }, (request: FastifyRequest, bytes: Buffer) =>
    parse(request, bytes),
  );
}

async function parse({ headers }: FastifyRequest, bytes: Buffer): Promise<Loose> {
  const json = await decompressed(headers['content-encoding']?.trim().toLowerCase(), bytes);
  if (json.length > maxBodyBytes) throw tooLarge();
  const text = json.toString();
  try {
    if (depthOf(text) > maxDepth) throw new SegmentError(`The body is nested more than ${maxDepth} levels deep.`);
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return membersOf(body);
  } catch (error) {
    if (error instanceof SegmentError) throw error;
  }
  throw new SegmentError('The body is not a JSON object.');
}

async function decompressed(encoding: string | undefined, bytes: Buffer): Promise<Buffer> {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return bytes;
  if (encoding !== 'gzip') throw new SegmentError('Send the body uncompressed or with Content-Encoding: gzip.');
  return inflate(bytes, { maxOutputLength: maxBodyBytes }).catch((error: unknown) => {
    throw error instanceof RangeError ? tooLarge() : new SegmentError('The body is not valid gzip.');
  });
}

const tooLarge = () => new SegmentError('A request must be at most 500 kB.');

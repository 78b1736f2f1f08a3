import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { SourceError } from './errors.ts';

const maxAttempts = 6;
const timeoutMs = 120_000;
const maxWaitMs = 10 * 60_000;
const maxBytes = 128 * 1024 * 1024;

type Options = {
  title: string;
  url: string;
  headers: Record<string, string>;
  send?: typeof fetch;
  pause?: (ms: number) => Promise<unknown>;
};

export type Source = ReturnType<typeof createSource>;

/** Seconds or a date; undefined if the header is neither. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxWaitMs);
}

/** The text of a response, unless it is unreasonably large. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SourceError(`A response is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads from another system. Waits as it asks, and tries again after errors that pass. */
export function createSource({ title, url, headers, send = fetch, pause = wait }: Options) {
  const seen = new Set<string>();
  const base = url.replace(/\/+$/, '');

  /** `path` may be a whole URL of the same origin: the key goes nowhere else. */
  function target(path: string): string {
    const whole = path.startsWith('/') ? base + path : path;
    if (!URL.canParse(whole) || new URL(whole).origin !== new URL(base).origin)
      throw new SourceError(`${title} refers to ${path.slice(0, 200)}, which is not at ${base}.`);
    return whole;
  }

  async function attempt(address: string): Promise<{ text: string } | { retry: string; afterMs?: number | undefined }> {
    try {
      const response = await send(address, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      const afterMs = retryAfterMs(response.headers.get('retry-after'));
      if (response.status === 429 || response.status >= 500) {
        await response.body?.cancel();
        return { retry: `HTTP ${response.status}`, afterMs };
      }
      const text = await textOf(response);
      if (response.status === 401 || response.status === 403)
        throw new SourceError(
          `${title} rejects the key (HTTP ${response.status}) for ${new URL(address).pathname}. Check the key and its permissions.`,
        );
      if (!response.ok) throw new SourceError(`${title} responds with HTTP ${response.status} to ${address}: ${text.slice(0, 300)}`);
      JSON.parse(text);
      return { text };
    } catch (error) {
      if (error instanceof SourceError) throw error;
      // A connection that fails, a body that ends early, or one that is not JSON.
      return { retry: error instanceof Error ? error.message : String(error) };
    }
  }

  async function read(path: string): Promise<string> {
    const address = target(path);
    for (let tried = 1; ; tried += 1) {
      const result = await attempt(address);
      if ('text' in result) return result.text;
      if (tried === maxAttempts)
        throw new SourceError(`${title} does not respond: ${result.retry}, ${maxAttempts} times. Start the import again to resume.`);
      await pause(result.afterMs ?? 500 * 2 ** tried);
    }
  }

  function parsed<Shape extends z.ZodType>(text: string, shape: Shape, path: string): z.output<Shape> {
    const { data, error } = shape.safeParse(JSON.parse(text));
    if (error)
      throw new SourceError(
        `${title} responds to ${path} in a form that is not expected: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`,
      );
    return data;
  }

  return {
    get: async <Shape extends z.ZodType>(path: string, shape: Shape) => parsed(await read(path), shape, path),

    /** As `get`, for a page with items: one that comes twice would come forever. */
    async page<Shape extends z.ZodType>(path: string, shape: Shape) {
      const text = await read(path);
      const print = createHash('sha1')
        .update(path.split('?', 1)[0] ?? '')
        .update(text)
        .digest('base64');
      if (seen.has(print)) throw new SourceError(`${title} returns the same page twice at ${path}.`);
      seen.add(print);
      return parsed(text, shape, path);
    },
  };
}

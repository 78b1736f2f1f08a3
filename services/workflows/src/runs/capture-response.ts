import { pointed } from '../workflows/json-pointer.ts';
import type { Step } from '../workflows/step.ts';

/** The captured values of one response, as JSON. */
const maxCapturedBytes = 2 * 1024;

/** The values that a `webhook` step keeps of a response. Values that are missing or do not fit are omitted. */
export function captureResponse({ capture = {} }: Step & { type: 'webhook' }, said: string): Record<string, unknown> {
  const body = parsed(said);
  let room = maxCapturedBytes;
  return Object.fromEntries(
    Object.entries(capture).flatMap(([name, pointer]) => {
      const value = pointed(body, pointer);
      const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify({ [name]: value }));
      if (value === undefined || bytes > room) return [];
      room -= bytes;
      return [[name, value] as const];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { constants, openAsBlob } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import type { Flag } from './command-description.ts';
import { UsageError } from './usage-error.ts';

const explain = (error: unknown) => (error instanceof Error ? error.message : String(error));

export const isStandardInput = (value: string) => value === '-' || value === '@-';

/** The content of `@file`, or of standard input for `-` and `@-`; any other text is itself, and `@@` stands for `@`. */
export async function contentOf(value: string): Promise<string> {
  if (isStandardInput(value)) return text(process.stdin);
  if (value.startsWith('@@')) return value.slice(1);
  if (!value.startsWith('@')) return value;
  return readFile(value.slice(1), 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read the file: ${explain(error)}`);
  });
}

/** A file to upload. On disk it is streamed. */
export async function fileOf(value: string): Promise<Blob> {
  if (isStandardInput(value)) return new Blob([await buffer(process.stdin)]);
  if (!value.startsWith('@')) return new Blob([value]);
  const path = value.slice(1);
  try {
    // Its error names the file and the reason.
    await access(path, constants.R_OK);
    return await openAsBlob(path);
  } catch (error) {
    throw new UsageError(`Cannot read the file: ${explain(error)}`);
  }
}

export function parseJson(content: string, name: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON (${explain(error)}). Pass JSON, @file.json, or - for standard input.`);
  }
}

/** The value of a flag as the API takes it. */
export async function flagValue({ flag, type }: Flag, given: string | true): Promise<unknown> {
  if (type === 'boolean') {
    if (given === true || given === 'true') return true;
    if (given === 'false') return false;
    throw new UsageError(`--${flag} must be true or false, not "${given}".`);
  }
  const content = await contentOf(String(given));
  if (type === 'number') {
    if (content.trim() === '' || Number.isNaN(Number(content))) throw new UsageError(`--${flag} must be a number, not "${content}".`);
    return Number(content);
  }
  if (type === 'json') return parseJson(content, `--${flag}`);
  if (type !== 'list') return content;
  return content.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
}

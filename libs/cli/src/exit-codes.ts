import { ApiError, ConnectionError } from '@marketing-platform/sdk';
import { CommanderError } from 'commander';
import { NotLoggedInError, UsageError } from './usage-error.ts';

/** Stable: scripts depend on them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  limited: 6,
  unavailable: 7,
  rowsFailed: 8,
} as const;

export const exitCodesText = `Exit codes:
  0 success   1 another failure   2 wrong usage or invalid input   3 not logged in or not allowed
  4 not found   5 conflict   6 rate limit or quota   7 platform unavailable
  8 an import ended, but some of its rows failed`;

const byStatus: Record<number, number> = {
  400: exitCodes.usage,
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
  412: exitCodes.conflict,
  422: exitCodes.conflict,
  429: exitCodes.limited,
};

export function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof NotLoggedInError) return exitCodes.notAllowed;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ConnectionError) return exitCodes.unavailable;
  if (error instanceof ApiError) return byStatus[error.status] ?? (error.status >= 500 ? exitCodes.unavailable : exitCodes.failed);
  return exitCodes.failed;
}

/** What failed, each detail on a line, and the ID to quote. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const details = error.details
    .filter(({ path, message }) => ![message, `${path}: ${message}`].includes(error.message))
    .map(({ path, message }) => `  ${path ? `${path}: ` : ''}${message}`);
  const last = `  ${error.code}${error.requestId ? ` · request ${error.requestId}` : ''}`;
  return [error.message, ...details, last].join('\n');
}

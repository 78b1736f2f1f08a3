import type { GetFromSns } from './ses.ts';

const timeoutMs = 5_000;
const maxCharacters = 100_000;

/** Gets a URL that has been checked to be one of Amazon SNS. */
export const getFromSns: GetFromSns = async (url) => {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`Amazon SNS responded with ${response.status}.`);
  return (await response.text()).slice(0, maxCharacters);
};

import { isbot } from 'isbot';

/** Programs that look at what mails contain before a person does, beside those that `isbot` knows. */
const mailScanners =
  /barracuda|proofpoint|mimecast|symantec|fireeye|trellix|ironport|sophos|forcepoint|safelinks|microsoft office existence discovery|scanner/i;

/**
 * For images, where `isbot` knows too many: mail programs and the proxies of mailbox providers load them for a person who
 * reads the mail.
 */
const imageFetchers =
  /bot\b|bot\/|crawl|spider|preview|prefetch|headlesschrome|facebookexternalhit|whatsapp|python|go-http-client|curl\/|wget\/|axios\/|okhttp|node-fetch|^java\/|apache-httpclient/i;

/** Apple Mail Privacy Protection names itself by nothing but this. */
const appleProxy = /^mozilla\/5\.0$/i;

/** No person is that fast after the mail left. */
const tooSoonMs = 2_000;

/** A client that follows every link of a message within this time reads none of them. */
export const allLinksMs = 5_000;

export type Fetch = {
  method: string;
  userAgent: string;
  /** When the mail was handed over; null when it was not. */
  handedAt: Date | null;
  at: Date;
};

/** Why this was a machine, or null when it looks like a person. */
export function machineVerdict({ method, userAgent, handedAt, at }: Fetch, kind: 'opened' | 'clicked'): string | null {
  if (method === 'HEAD') return 'head_request';
  const known = kind === 'clicked' ? isbot(userAgent) : imageFetchers.test(userAgent) || appleProxy.test(userAgent.trim());
  if (known || mailScanners.test(userAgent)) return 'known_program';
  if (kind === 'clicked' && (handedAt === null || at.getTime() - handedAt.getTime() < tooSoonMs)) return 'too_soon';
  return null;
}

/** Whether these links, followed within `allLinksMs`, are all the message has. */
export const areAllLinks = (followed: ReadonlySet<number>, linkCount: number) => linkCount > 1 && followed.size >= linkCount;

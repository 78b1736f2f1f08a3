import { isbot } from 'isbot';

/** Programs that scan emails before a person reads them, in addition to those that `isbot` knows. */
const mailScanners =
  /barracuda|proofpoint|mimecast|symantec|fireeye|trellix|ironport|sophos|forcepoint|safelinks|microsoft office existence discovery|scanner/i;

/**
 * Programs that load the tracking image without a reader. `isbot` would match too much here: mail clients and the image
 * proxies of mailbox providers load it for a person who reads the email.
 */
const imageFetchers =
  /bot\b|bot\/|crawl|spider|preview|prefetch|headlesschrome|facebookexternalhit|whatsapp|python|go-http-client|curl\/|wget\/|axios\/|okhttp|node-fetch|^java\/|apache-httpclient/i;

/** The user agent of Apple Mail Privacy Protection. */
const appleProxy = /^mozilla\/5\.0$/i;

/** A click this soon after sending is not by a person. */
const tooSoonMs = 2_000;

/** A client that follows every link of an email within this time is a scanner. */
export const allLinksMs = 5_000;

export type Fetch = {
  method: string;
  userAgent: string;
  /** The latest time at which the mail server accepted the email; null if it was never handed over. */
  deliveredFrom: Date | null;
  at: Date;
};

/** Returns why the request counts as automated, or null if it looks like a person's. */
export function machineReason({ method, userAgent, deliveredFrom, at }: Fetch, kind: 'opened' | 'clicked'): string | null {
  if (method === 'HEAD') return 'head_request';
  const known = kind === 'clicked' ? isbot(userAgent) : imageFetchers.test(userAgent) || appleProxy.test(userAgent.trim());
  if (known || mailScanners.test(userAgent)) return 'known_program';
  if (kind === 'clicked' && (deliveredFrom === null || at.getTime() - deliveredFrom.getTime() < tooSoonMs)) return 'too_soon';
  return null;
}

/** Whether the links followed within `allLinksMs` are all links of the email. */
export const areAllLinks = (followed: ReadonlySet<number>, linkCount: number) => linkCount > 1 && followed.size >= linkCount;

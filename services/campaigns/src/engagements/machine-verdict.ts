/** Programs that fetch what mails contain before or instead of a person. */
const machines =
  /bot\b|bot\/|crawl|spider|preview|prefetch|scanner|headlesschrome|barracuda|proofpoint|mimecast|symantec|fireeye|microsoft office existence discovery|python-requests|go-http-client|facebookexternalhit|whatsapp/i;

/** Apple Mail Privacy Protection names itself by nothing but this. */
const appleProxy = /^mozilla\/5\.0$/i;

/** No person is that fast after the mail left. */
const tooSoonMs = 2_000;

/** Whoever follows every link of a message within this time reads none of them. */
export const allLinksMs = 5_000;

export type Fetch = {
  method: string;
  userAgent: string;
  /** Null while the mail server has not answered yet. */
  sentAt: Date | null;
  at: Date;
};

/** Why this was a machine, or null when it looks like a person. */
export function machineVerdict({ method, userAgent, sentAt, at }: Fetch, kind: 'opened' | 'clicked'): string | null {
  if (method === 'HEAD') return 'head_request';
  if (machines.test(userAgent)) return 'known_program';
  if (kind === 'opened' && appleProxy.test(userAgent.trim())) return 'known_program';
  if (kind === 'clicked' && (sentAt === null || at.getTime() - sentAt.getTime() < tooSoonMs)) return 'too_soon';
  return null;
}

/** Whether these links, followed within `allLinksMs`, are all the message has. */
export const areAllLinks = (followed: ReadonlySet<number>, linkCount: number) => linkCount > 1 && followed.size >= linkCount;

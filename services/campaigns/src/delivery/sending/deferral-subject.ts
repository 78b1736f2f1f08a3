/** What a temporary rejection is about: everything that is sent to its domain, this email alone, or one of both. */
export type DeferralSubject = 'domain' | 'email' | 'unknown';

type Deferral = { response: string; isClosing?: boolean; isTimeout?: boolean };

/** Greylisting rejects the first attempt of each email, under many codes. */
const greylisting = /gr[ea]y[\s_-]?list/i;

/** About the mailbox or the address (RFC 3463 §3.2, §3.3), except the address of the sender. */
const aboutMailbox = /\b4\.(?:1\.(?!7\b|8\b)|2\.)\d{1,3}\b/;

/** About the receiving system or the network (§3.4, §3.5). */
const aboutSystem = /\b4\.[34]\.\d{1,3}\b/;

/** About the policy of the receiver (§3.8). */
const aboutPolicy = /\b4\.7\.(\d{1,3})\b/;

/**
 * From here on, the codes of a policy name what it holds against the sender: authentication and reverse DNS (RFC 7372), a flood of
 * emails (Gmail: 4.7.28), the rate or the reputation of its addresses (Exchange Online and Outlook.com: 4.7.500 to 4.7.699).
 */
const firstNamedPolicy = 20;

/** Names a rate, a block, or what the receiver holds against the sender. Below 4.7.20, greylisting has the same codes, such as 4.7.1. */
const aboutSender = new RegExp(
  `\\b(?:${[
    'rates?|rate-?limit\\w*|throttl\\w*|too (?:many|much|fast|quickly)|slow down|volume|frequency|flood\\w*|busy|overload\\w*',
    'reputation|complaints?|unsolicited|spam\\w*|suspicious|abus\\w*|block\\w*|(?:black|deny)[ -]?list\\w*|banned|denied|dnsbl|rbl|tss?\\d\\d',
    'client host|helo|sender (?:address|domain)|hostname|reverse|ptr|spf|dkim|dmarc|(?:un)?authenticat\\w*',
  ].join('|')})\\b`,
  'i',
);

export function deferralSubject({ response, isClosing = false, isTimeout = false }: Deferral): DeferralSubject {
  if (greylisting.test(response)) return 'email';
  if (isClosing || isTimeout) return 'domain';
  if (aboutMailbox.test(response)) return 'email';
  const [, policy] = aboutPolicy.exec(response) ?? [];
  if (aboutSystem.test(response) || Number(policy) >= firstNamedPolicy || aboutSender.test(response)) return 'domain';
  return policy === undefined ? 'unknown' : 'email';
}

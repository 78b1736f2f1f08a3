import type { Channel, Consent, ConsentChange } from './consent.ts';

/** What the form holds: text as it was typed. */
export type ConsentDraft = {
  channel: Channel;
  topic: string;
  /** Empty forgets what is known. */
  status: Consent['status'] | '';
  method: Consent['method'];
  source: string;
  text: string;
  ip: string;
};

/** The change, and the path under which the API speaks of it. */
export function consentChange({ channel, topic, status, method, source, text, ip }: ConsentDraft): { change: ConsentChange; path: string } {
  const evidence = Object.fromEntries(
    Object.entries({ source, text, ip }).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])),
  );
  const consent = status === '' ? null : { status, method, ...(Object.keys(evidence).length > 0 && { evidence }) };
  const about = topic.trim();
  return about === ''
    ? { change: { [channel]: consent }, path: `/${channel}` }
    : { change: { topics: { [about]: { [channel]: consent } } }, path: `/topics/${about}/${channel}` };
}

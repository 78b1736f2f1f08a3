import type { Channel, Consent, ConsentChange } from './consent.ts';

/** The state of the form, as typed. */
export type ConsentDraft = {
  channel: Channel;
  topic: string;
  /** Empty: clears the recorded consent. */
  status: Consent['status'] | '';
  method: Consent['method'];
  source: string;
  text: string;
  ip: string;
};

/** The request body and the JSON pointer that the API uses for it in error details. */
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

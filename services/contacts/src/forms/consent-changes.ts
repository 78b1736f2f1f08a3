import { consentInForce } from '@mp/contracts/consent-in-force';
import type { Consent, Contact } from '@mp/contracts/contact';
import { type ConsentBody, type ConsentsBody, maxTopics } from '../consent/consent.ts';
import { advance, type OptIn, type OptInEvent, optInOf, recordedAfter } from './opt-in-states.ts';
import { type OptInDocument, type Unit, unitsOf } from './opt-ins-store.ts';

/** The consent of somebody whom no contact represents yet. */
export const noConsent: Contact['consent'] = { email: null, sms: null };

/** The open requests of a contact whose links go to its address. */
export const openAt = (requests: readonly OptInDocument[], address: string): OptInDocument[] =>
  requests.filter(({ state, address: of }) => state === 'open' && of === address);

const isSame = (one: Unit, other: Unit) => one.channel === other.channel && one.topic === other.topic;

/** Where the opt-in of one topic or channel stands. */
function optInFor(unit: Unit, consent: Contact['consent'], open: readonly OptInDocument[], isSuppressed: boolean): OptIn {
  const waiting = open.filter(({ consents }) => unitsOf(consents).some((one) => isSame(one, unit)));
  return optInOf({ consent: consentInForce(consent, unit.channel, unit.topic), open: waiting.map(({ _id }) => _id), isSuppressed });
}

type Happening = {
  event: OptInEvent;
  /** The request that the event is about. */
  request: string;
  consent: Contact['consent'];
  open: readonly OptInDocument[];
  isSuppressed: boolean;
};

type Proof = Pick<ConsentBody, 'evidence'> & { method: Consent['method'] };

/** What an event changes in the consent of a contact, and whether it asks for a confirmation; `isDone` if it changed or awaits anything. */
export type ConsentChanges = { body: ConsentsBody; needsConfirmation: boolean; isDone: boolean };

/**
 * Applies an event to every topic and channel of a request, except topics for which the contact has no room: an error would tell that the
 * address is known. `proofOf` has the evidence of each.
 */
export function consentChanges(units: readonly Unit[], happening: Happening, proofOf: (unit: Unit) => Proof): ConsentChanges {
  const body: ConsentsBody = {};
  const topics = new Map<string, Partial<Record<Unit['channel'], ConsentBody | null>>>();
  let needsConfirmation = false;
  let isDone = false;
  const known = new Set(Object.keys(happening.consent.topics ?? {}));
  for (const unit of units) {
    if (unit.topic !== null && !known.has(unit.topic) && known.size >= maxTopics) continue;
    if (unit.topic !== null) known.add(unit.topic);
    const before = optInFor(unit, happening.consent, happening.open, happening.isSuppressed);
    const after = advance(before, happening.event, happening.request);
    needsConfirmation ||= after.needsConfirmation;
    isDone ||= after.state === 'subscribed';
    const recorded = recordedAfter(before.state, after.state);
    if (recorded === undefined) continue;
    const change = recorded === null ? null : { status: recorded, ...proofOf(unit) };
    if (unit.topic === null) body[unit.channel] = change;
    else topics.set(unit.topic, { ...topics.get(unit.topic), [unit.channel]: change });
  }
  return { body: topics.size > 0 ? { ...body, topics: Object.fromEntries(topics) } : body, needsConfirmation, isDone };
}

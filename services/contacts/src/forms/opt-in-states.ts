/**
 * The states of a contact's consent to one topic, or to a whole channel:
 *
 * - `none`: nothing was agreed to.
 * - `pending`: a form asked for it, and a confirmation is awaited.
 * - `subscribed`: emails may be sent. No other state allows any but confirmations.
 * - `unsubscribed`: it was withdrawn.
 * - `returning`: withdrawn, and a form has asked for it since. The withdrawal stays on record until it is confirmed.
 * - `suppressed`: the address bounced, complained or is suppressed. What was agreed to before is kept beside it.
 */
export const optInStates = ['none', 'pending', 'subscribed', 'unsubscribed', 'returning', 'suppressed'] as const;
export type OptInState = (typeof optInStates)[number];

/** `submit_directly` is a submission of a form without double opt-in. */
export const optInEvents = [
  'submit',
  'submit_directly',
  'confirm',
  'expire',
  'unsubscribe',
  'suppress',
  'resubscribe',
  'change_email',
  'merge',
  'delete',
  'erase',
] as const;
export type OptInEvent = (typeof optInEvents)[number];

/** `needsConfirmation`: a confirmation email is due. */
type Step = OptInState | { to: OptInState; needsConfirmation: true };

const pending = { to: 'pending', needsConfirmation: true } as const;
const returning = { to: 'returning', needsConfirmation: true } as const;

/**
 * What each event does in each state. A confirmation or expiry counts only for a request that is open (`advance`). A link goes to an
 * address, so it is void for ever once the contact has another one; consent itself moves with the contact. A merge keeps the state here;
 * which of two consents the survivor has is a rule of merges. If the survivor has another address, a change of email follows, as it does
 * when a deleted contact is restored.
 */
const steps: Readonly<Record<OptInState, Readonly<Record<OptInEvent, Step>>>> = {
  none: {
    submit: pending,
    submit_directly: 'subscribed',
    confirm: 'none',
    expire: 'none',
    unsubscribe: 'unsubscribed',
    suppress: 'suppressed',
    resubscribe: 'subscribed',
    change_email: 'none',
    merge: 'none',
    delete: 'none',
    erase: 'none',
  },
  pending: {
    submit: pending,
    submit_directly: 'subscribed',
    confirm: 'subscribed',
    expire: 'none',
    // The link of the earlier request stays valid: whoever uses it after unsubscribing has changed their mind.
    unsubscribe: 'returning',
    suppress: 'suppressed',
    resubscribe: 'subscribed',
    change_email: 'none',
    merge: 'pending',
    delete: 'none',
    erase: 'none',
  },
  subscribed: {
    submit: 'subscribed',
    submit_directly: 'subscribed',
    confirm: 'subscribed',
    expire: 'subscribed',
    unsubscribe: 'unsubscribed',
    suppress: 'suppressed',
    resubscribe: 'subscribed',
    change_email: 'subscribed',
    merge: 'subscribed',
    delete: 'none',
    erase: 'none',
  },
  unsubscribed: {
    submit: returning,
    // Anybody can submit an address, so what its owner withdrew only its owner gives again.
    submit_directly: returning,
    confirm: 'unsubscribed',
    expire: 'unsubscribed',
    unsubscribe: 'unsubscribed',
    suppress: 'suppressed',
    resubscribe: 'subscribed',
    change_email: 'unsubscribed',
    merge: 'unsubscribed',
    delete: 'none',
    erase: 'none',
  },
  returning: {
    submit: returning,
    submit_directly: returning,
    confirm: 'subscribed',
    expire: 'unsubscribed',
    unsubscribe: 'returning',
    suppress: 'suppressed',
    resubscribe: 'subscribed',
    change_email: 'unsubscribed',
    merge: 'returning',
    delete: 'none',
    erase: 'none',
  },
  suppressed: {
    submit: 'suppressed',
    submit_directly: 'suppressed',
    confirm: 'suppressed',
    expire: 'suppressed',
    unsubscribe: 'suppressed',
    suppress: 'suppressed',
    resubscribe: 'suppressed',
    // Or what was agreed to before, which is kept beside the suppression.
    change_email: 'none',
    merge: 'suppressed',
    delete: 'none',
    erase: 'none',
  },
};

/** A state with the requests whose confirmation is awaited, by ID. */
export type OptIn = { state: OptInState; open: readonly string[] };

/** Where it goes, and whether a confirmation email is due. */
export type Advanced = OptIn & { needsConfirmation: boolean };

/** The events that end every request: their links are void. */
const ending: readonly OptInEvent[] = ['change_email', 'delete', 'erase'];

/**
 * The state after an event. A submission opens a request, or repeats it; a confirmation or expiry closes the request that it names, and
 * does nothing if that is not open. Every other event ignores `request`.
 */
export function advance({ state, open }: OptIn, event: OptInEvent, request = ''): Advanced {
  const unchanged = { state, open, needsConfirmation: false };
  const isOpen = open.includes(request);
  const others = open.filter((one) => one !== request);
  if (event === 'confirm' && (!isOpen || state === 'suppressed')) return unchanged;
  if (event === 'expire' && (!isOpen || others.length > 0)) return { ...unchanged, open: others };
  const step = steps[state][event];
  const [to, needsConfirmation] = typeof step === 'string' ? [step, false] : [step.to, step.needsConfirmation];
  const openAfter = needsConfirmation
    ? [...others, request]
    : event === 'confirm' || event === 'expire'
      ? others
      : ending.includes(event)
        ? []
        : open;
  // Another request of a subscriber may still be open.
  return { state: to === 'unsubscribed' && openAfter.length > 0 ? 'returning' : to, open: openAfter, needsConfirmation };
}

type Recorded = {
  /** The consent that counts for the topic or the channel. */
  consent: 'subscribed' | 'pending' | 'unsubscribed' | null;
  open: readonly string[];
  isSuppressed: boolean;
};

/** The state that follows from what is recorded. A pending consent that no form awaits, such as of an import, is none here. */
export function optInOf({ consent, open, isSuppressed }: Recorded): OptIn {
  if (isSuppressed) return { state: 'suppressed', open };
  if (consent === 'subscribed') return { state: 'subscribed', open };
  if (consent === 'unsubscribed') return { state: open.length > 0 ? 'returning' : 'unsubscribed', open };
  return { state: open.length > 0 ? 'pending' : 'none', open };
}

/** The consent that the step records: a status, null to clear it, or undefined if it stays as it is. */
export function recordedAfter(before: OptInState, after: OptInState): 'subscribed' | 'pending' | null | undefined {
  if (before === after || after === 'suppressed') return undefined;
  if (after === 'subscribed' || after === 'pending') return after;
  return before === 'pending' && after === 'none' ? null : undefined;
}

import type { Contact } from '@mp/contracts/contact';
import { maxKeptBytes } from '@mp/guarded-requests/guarded-request';
import type { AccountId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { contactScope } from '@mp/templates/fields';
import type { RenderedMessage } from '@mp/templates/message';
import type { Templates } from '@mp/templates/templates';
import { frequencyCap } from '../runs/frequency-cap.ts';
import type { ContactChange, Effect, Input, Occurred, Run } from '../runs/run.ts';
import type { FetchTemplate } from '../workflows/fetch-template.ts';
import { templatesOf } from '../workflows/message-of-step.ts';
import { changedContact } from './changed-contact.ts';
import type { Subject } from './rule-holds.ts';

/** The result of an effect: the next input of the run, the message as it would be sent, and what then happens to the contact. */
export type Performed = { input: Input; isDone: boolean; message?: RenderedMessage; occurred?: Occurred };

/** Performs the effects of a simulated run, and keeps the contact as the run changes it. */
export type SimulatedEffects = {
  perform: (effect: Effect, run: Pick<Run, 'step' | 'data' | 'responses'>, at: Date) => Promise<Performed>;
  /** The contact with the changes so far; undefined when the simulation has no particular contact. */
  contact: () => Contact | undefined;
  /** Changes the copy of the contact. Returns whether contacts would accept the change. */
  change: (change: ContactChange, at: Date) => boolean;
};

type Options = {
  accountId: AccountId;
  /** Undefined when the simulation has no particular contact. */
  contact: Contact | undefined;
  templates: Pick<Templates, 'render'>;
  fetchTemplate: FetchTemplate;
  /** Whether the contact matches a rule at that time. */
  holds: (rule: Rule, subject: Subject, at: Date) => Promise<boolean>;
  /** The branches that the caller has decided, by step id; null for `else`. */
  branches: Readonly<Record<string, number | null>>;
  /** Until when the frequency cap forbids the email of a step. */
  cappedUntil: ReadonlyMap<string, Date>;
  /** The steps whose effect is refused or whose webhook fails. */
  refused: ReadonlySet<string>;
  /** The responses of webhooks that the caller has given, by step id. */
  responses: Readonly<Record<string, unknown>>;
};

/** As in a preview: no field has a value. */
const noContact = { tags: [], address: {}, attributes: {} };

const unsubscribeUrl = 'https://example.com/unsubscribe';

const cannotRender = (why: string) => `The message cannot be rendered for this contact: ${why}`;
const refusedText = 'Refused in this simulation.';

/** Nothing leaves the process: changes apply to a copy of the contact, messages are rendered, webhooks are recorded. */
export function createSimulatedEffects({
  accountId,
  contact: given,
  templates,
  fetchTemplate,
  holds,
  branches,
  cappedUntil,
  refused,
  responses,
}: Options): SimulatedEffects {
  let contact = given;
  const members = new Map<string, boolean>();

  const completed = (key: string, refusal: string | null, fault = false): Input & { type: 'effect_completed' } => ({
    type: 'effect_completed',
    key,
    status: refusal === null ? 'done' : 'refused',
    reason: refusal,
    revision: null,
    fault,
  });

  async function taken({ rules }: Effect & { type: 'ask' }, stepId: string, at: Date): Promise<number | null> {
    const decided = Object.hasOwn(branches, stepId) ? branches[stepId] : undefined;
    if (decided !== undefined) return decided ?? -1;
    if (!contact) return null;
    for (const { index, rule } of rules) if (await holds(rule, { contact, members }, at)) return index;
    return null;
  }

  function capped({ key, category }: Effect & { type: 'send' }, until: Date | undefined, at: Date): Performed | undefined {
    if (category === 'transactional' || !until || until <= at) return undefined;
    return { input: { ...completed(key, frequencyCap), retryAt: until.toISOString() }, isDone: false };
  }

  async function send(
    { key, message: requested, category }: Effect & { type: 'send' },
    read: Pick<Run, 'data' | 'responses'>,
  ): Promise<Performed> {
    const { template_id } = requested;
    const template = template_id === undefined ? undefined : await fetchTemplate(accountId, template_id);
    if (template === null) return { input: completed(key, cannotRender('The template no longer exists.'), true), isDone: false };
    const templatesOfStep = templatesOf(requested, template?.content ?? undefined);
    const subject = contact ? contactScope(contact) : noContact;
    const scope = { contact: subject, campaign: { name: '' }, unsubscribe_url: unsubscribeUrl, data: read.data, responses: read.responses };
    const message = await templates.render({ accountId, templates: templatesOfStep, scope, unsubscribe: category !== 'transactional' });
    const [problem] = message.problems;
    const refusal = problem ? cannotRender(`${problem.path}: ${problem.message}`) : null;
    return { input: completed(key, refusal, problem !== undefined), isDone: refusal === null, message };
  }

  /** Adds the contact to a segment or removes it, which happens to the contact only if it was not so before. */
  async function member({ key, change: { segmentId, to } }: Effect & { type: 'member' }, at: Date): Promise<Performed> {
    const done = { input: completed(key, null), isDone: true };
    if (!contact) return done;
    const isInside = await holds({ segment: segmentId, op: 'in' }, { contact, members }, at);
    members.set(segmentId, to === 'inside');
    if (isInside === (to === 'inside')) return done;
    return { ...done, occurred: { type: to === 'inside' ? 'segment_entered' : 'segment_left', segment_id: segmentId } };
  }

  return {
    contact: () => contact,

    change(change, at) {
      const changed = contact && changedContact(contact, change, at);
      if (changed?.contact) contact = changed.contact;
      return changed?.contact !== undefined;
    },

    async perform(effect, run, at) {
      const { key } = effect;
      const stepId = run.step ?? '';
      const isRefused = refused.has(stepId);
      switch (effect.type) {
        case 'ask':
          return { input: { type: 'answered', key, taken: await taken(effect, stepId, at), revision: 0 }, isDone: true };
        case 'look_up':
          return { input: { type: 'looked_up', key, contact: contact ?? null, revision: 0 }, isDone: true };
        case 'start':
        case 'track':
        case 'notify':
          return { input: completed(key, isRefused ? refusedText : null), isDone: !isRefused };
        case 'member':
          return isRefused ? { input: completed(key, refusedText), isDone: false } : member(effect, at);
        case 'webhook': {
          const detail = isRefused ? refusedText : 'Not called in a simulation.';
          const outcome = { ok: !isRefused, retry: false, status: null, detail, said: saidOf(responses[stepId]) };
          return { input: { type: 'webhook_answered', key, outcome }, isDone: !isRefused };
        }
        case 'send':
          if (isRefused) return { input: completed(key, refusedText), isDone: false };
          return capped(effect, cappedUntil.get(stepId), at) ?? send(effect, run);
        case 'contact': {
          const changed = isRefused || !contact ? undefined : changedContact(contact, effect.change, at);
          const refusal = isRefused ? refusedText : (changed?.refusal ?? null);
          if (changed?.contact) contact = changed.contact;
          return { input: completed(key, refusal), isDone: refusal === null };
        }
      }
    },
  };
}

/** As much of a response as a live run keeps. */
const saidOf = (response: unknown) =>
  Buffer.from(JSON.stringify(response) ?? '')
    .subarray(0, maxKeptBytes)
    .toString();

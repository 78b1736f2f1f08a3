import type { TestContext } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import type { EventType } from '@mp/contracts/event';
import { CampaignEffectCompleted } from '@mp/contracts/events/campaigns';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { AccountChanged, NotifyEffectCompleted } from '@mp/contracts/events/platform';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { ContactEffectRequested, NotifyEffectRequested, SendEffectRequested } from '@mp/contracts/events/workflows';
import { CampaignCoupons, CampaignTemplate } from '@mp/contracts/requests/campaigns';
import { AttributeTypesOf, ContactsFind, ContactsPage } from '@mp/contracts/requests/contacts';
import { RequestCharged, UsersExist } from '@mp/contracts/requests/gateway';
import { positionRequests } from '@mp/contracts/requests/positions';
import {
  RuleEvaluated,
  SegmentMemberChange,
  SegmentMembersCount,
  SegmentMembersPage,
  SegmentsCaughtUp,
  SegmentsExist,
} from '@mp/contracts/requests/segments';
import { streams } from '@mp/contracts/streams';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { aContact } from '@mp/test-kit/a-contact';
import type { Client } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import type { z } from 'zod';
import { buildApp } from '../src/app.ts';
import { noReports, replyToReports } from './fake-reports.ts';
import { webhookKeys } from './webhook-keys.ts';

export const config = { NODE_ENV: 'test', WEBHOOK_KEYS: webhookKeys, WEBHOOK_ALLOW_PRIVATE: false };

/** The service for `inject` only: without background work, and without replies from other services. */
export async function quietService(t: TestContext) {
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config));
  return { app, parts };
}

/** A contact in the projection of the service. */
export async function knownContact(parts: Parts, accountId: AccountId, email: string | null = null): Promise<ContactId> {
  const id = newId('contact');
  await parts.mongo.db
    .collection<{ _id: string }>('contacts')
    .insertOne({ _id: id, account_id: accountId, email_key: email, revision: 1 } as { _id: string });
  return id;
}

/** `count` contacts in the projection of the service. */
export async function knownContacts(parts: Parts, accountId: AccountId, count: number): Promise<ContactId[]> {
  const ids = Array.from({ length: count }, () => newId('contact'));
  const rows = ids.map((_id) => ({ _id, account_id: accountId, email_key: null, revision: 1 }));
  await parts.mongo.db.collection<{ _id: string }>('contacts').insertMany(rows);
  return ids;
}

/** A run that waits in a long delay. */
export async function startedRun(parts: Parts, client: Client) {
  const { data: workflow } = await client.post('/v2/workflows', sleeper);
  const contactId = await knownContact(parts, client.accountId);
  const { data } = await client.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId });
  return { workflow, contactId, runId: String(data.runs[0].run_id) };
}

export const sleeper = {
  name: 'Sleeper',
  trigger: { type: 'manual' },
  steps: [
    { id: 'wait', type: 'delay', for: 'P1D', next: 'tag' },
    { id: 'tag', type: 'add_tag', tag: 'awake' },
  ],
};

export const smallest = {
  ...{ name: 'Welcome', trigger: { type: 'manual' } },
  steps: [
    { id: 'wait', type: 'delay', for: 'PT1S', next: 'tag' },
    { id: 'tag', type: 'add_tag', tag: 'welcomed' },
  ],
};

export const mail = { type: 'send', subject: 'Hi {{ contact.first_name }}', from: { email: 'news@example.com' }, html: '<p>Hi</p>' };

const publishers = ['contacts', 'leadpulse', 'campaigns', 'segments'] as const;
type Publishing = (typeof publishers)[number];

type Effect =
  | z.output<typeof ContactEffectRequested.data>
  | z.output<typeof NotifyEffectRequested.data>
  | z.output<typeof SendEffectRequested.data>;
type RuleRequest = z.output<typeof RuleEvaluated.request>;
type Content = NonNullable<NonNullable<z.output<typeof CampaignTemplate.reply>['template']>['content']>;
type MemberChange = z.output<typeof SegmentMemberChange.request>;
type Outcome = { status: 'done' | 'refused'; reason?: string; detail?: string; retry_at?: string } | 'silence';

/** Fakes of the other services over the real broker. By default contacts and campaigns apply every effect, once per key. */
export async function fakeServices(t: TestContext, clock = () => new Date()) {
  const { broker } = await testParts(t, 'fakeServices');
  broker.start();
  await broker.connected();
  const performed = new Map<string, Effect>();
  const requests: string[] = [];
  const requestedPositions: { publisher: Publishing; accountId: AccountId }[] = [];
  const play = {
    performed,
    /** The key of each request, including repeated ones. */
    requests,
    /** The publishers whose position was requested. */
    positionsAsked: requestedPositions,
    /** Publishers that have not published everything that they confirmed. */
    withoutPosition: new Set<Publishing>(),
    outcome: (_: Effect): Outcome => ({ status: 'done' }),
    rule: (_: RuleRequest) => ({ known: true, matches: false }),
    /** Why segments rejects adding or removing a contact; undefined while it is unavailable. */
    refusal: (_: MemberChange): string | null | undefined => null,
    /** The changes of members, by effect key. */
    changedMembers: new Map<string, MemberChange>(),
    contacts: new Map<ContactId, Partial<Contact> & { id: ContactId; email: string }>(),
    missingSegments: new Set<string>(),
    missingUsers: new Set<string>(),
    /** What the gateway charges for a request to an inbound URL; undefined while it is unavailable. */
    charge: (_: z.output<typeof RequestCharged.request>): z.input<typeof RequestCharged.reply> | undefined => ({
      headers: {},
      refused: null,
    }),
    caughtUp: (_: { account_id: AccountId }): z.output<typeof SegmentsCaughtUp.reply> => ({
      state: 'caught_up',
      as_of: clock().toISOString(),
    }),
    dynamicSegments: new Set<string>(),
    /** The contents of templates, by id. */
    templates: new Map<string, Content>(),
    beforeTemplate: async (): Promise<unknown> => undefined,
    /** The current versions of templates that have changed, by id. */
    templateVersions: new Map<string, number>(),
    coupons: new Map<string, z.output<typeof CampaignCoupons.reply>['counted'][number]>(),
    ...noReports(clock),
    /** The attributes that contacts have had, in every account. */
    attributes: new Set<string>(),
    /** Members by segment id. */
    members: new Map<string, string[]>(),
    /** When a contact entered a segment, by `segment contact`. */
    enteredAt: new Map<string, string>(),
    /** Survivors by the id of the merged contact. */
    merged: new Map<string, string>(),

    async publish<Data extends z.ZodType>(
      event: EventType<Data>,
      accountId: AccountId,
      data: z.input<Data>,
      envelope: Partial<Envelope> = {},
    ) {
      const whole: Envelope = {
        id: newId('event'),
        type: event.type,
        version: event.version,
        time: clock().toISOString(),
        account_id: accountId,
        correlation_id: 'req_12345678',
        causation_id: null,
        producer: 'test',
        data: event.data.parse(data),
        ...envelope,
      };
      await broker.publish(event.subject, JSON.stringify(whole), envelope.id ?? whole.id);
      return whole;
    },

    /** Suspends an account, or ends its suspension. */
    setStatus: (accountId: AccountId, status: 'active' | 'suspended', revision: number) =>
      play.publish(AccountChanged, accountId, { account_id: accountId, status, revision }),

    enterSegment: (accountId: AccountId, segmentId: string, contactId: string, envelope: Partial<Envelope> = {}) =>
      play.publish(
        MembershipEntered,
        accountId,
        {
          segment_id: segmentId,
          segment_name: 'Berlin',
          contact_id: contactId,
          sequence: 1,
          at: play.enteredAt.get(`${segmentId} ${contactId}`) ?? clock().toISOString(),
          cause: 'contact',
        },
        envelope,
      ),
  };

  const response = (type: EventType, completed: (effect: Effect, outcome: Exclude<Outcome, 'silence'>) => [EventType, object]) =>
    broker.listen(type.subject, (payload) => {
      const { account_id, correlation_id, data } = payload as Envelope;
      const effect = type.data.parse(data) as Effect;
      requests.push(effect.effect_key);
      const outcome = play.outcome(effect);
      if (outcome === 'silence') return;
      if (outcome.status === 'done') performed.set(effect.effect_key, effect);
      play
        .publish(...([...splice(completed(effect, outcome), account_id), { correlation_id }] as Parameters<typeof play.publish>))
        .catch(unlessOver);
    });
  /** A test may end while its last effects are applied. */
  const unlessOver = (error: unknown) => {
    const isOver =
      error instanceof Error && (/^(Draining|Closed)ConnectionError$/.test(error.name) || error.message === 'connection closed');
    if (!isOver) throw error;
  };
  const splice = ([event, data]: [EventType, object], accountId: AccountId) => [event, accountId, data] as const;
  const named = ({ effect_key, run_id }: Effect, { status, reason = null }: { status: string; reason?: string | null }) => ({
    effect_key,
    run_id,
    status,
    reason,
  });

  await response(ContactEffectRequested, (effect, outcome) => [ContactEffectCompleted, { ...named(effect, outcome), revision: 7 }]);
  await response(SendEffectRequested, (effect, outcome) => [
    CampaignEffectCompleted,
    {
      ...named(effect, outcome),
      recipient_id: null,
      ...(outcome.detail && { detail: outcome.detail }),
      ...(outcome.retry_at && { retry_at: outcome.retry_at }),
    },
  ]);
  await response(NotifyEffectRequested, (effect, outcome) => [NotifyEffectCompleted, named(effect, outcome)]);
  await broker.reply(RuleEvaluated, async (request) => play.rule(request));
  for (const publisher of publishers) {
    await broker.ensureStream(streams[publisher]);
    await broker.reply(positionRequests[publisher], async ({ account_id }) => {
      requestedPositions.push({ publisher, accountId: account_id });
      const isKnown = !play.withoutPosition.has(publisher);
      return isKnown ? { position: await broker.position(streams[publisher]), mark: null } : { position: null, mark: 'first' };
    });
  }
  await broker.reply(SegmentsCaughtUp, async (request) => play.caughtUp(request));
  await broker.reply(CampaignTemplate, async ({ template_id }) => {
    await play.beforeTemplate();
    const content = play.templates.get(template_id);
    return { template: content ? { version: play.templateVersions.get(template_id) ?? 1, content } : null };
  });
  await broker.reply(AttributeTypesOf, async ({ keys }) => ({
    types: Object.fromEntries(keys.flatMap((key) => (play.attributes.has(key) ? [[key, 'string' as const]] : []))),
  }));
  await replyToReports(broker, play);
  const couponOf = (name: string) => play.coupons.get(name) ?? [];
  await broker.reply(CampaignCoupons, async ({ count }) => ({ names: [...play.coupons.keys()], counted: count.flatMap(couponOf) }));
  await broker.reply(SegmentMemberChange, async (request) => {
    requests.push(request.effect_key);
    const refused = play.refusal(request);
    if (refused === undefined) throw new ApiError('SERVICE_UNAVAILABLE', 'Unavailable.');
    if (refused === null && !play.changedMembers.has(request.effect_key)) play.changedMembers.set(request.effect_key, request);
    return { refused };
  });
  await broker.reply(SegmentsExist, async ({ segment_ids }) => ({
    missing: segment_ids.filter((id) => play.missingSegments.has(id)),
    dynamic: segment_ids.filter((id) => play.dynamicSegments.has(id)),
  }));
  await broker.reply(UsersExist, async ({ user_ids }) => ({ missing: user_ids.filter((id) => play.missingUsers.has(id)) }));
  await broker.reply(RequestCharged, async (request) => {
    const charge = play.charge(request);
    if (!charge) throw new ApiError('SERVICE_UNAVAILABLE', 'Unavailable.');
    return charge;
  });
  await broker.reply(SegmentMembersPage, async ({ segment_ids, after, limit }) => {
    const ids = segment_ids.flatMap((id) => play.members.get(id) ?? []).filter((id) => after === null || id > after);
    const page = ids.sort().slice(0, limit);
    const [segmentId] = segment_ids;
    const entered_at = page.map((id) => play.enteredAt.get(`${segmentId} ${id}`) ?? new Date(0).toISOString());
    return { contact_ids: page, entered_at, next: ids.length > limit ? (page.at(-1) ?? null) : null };
  });
  await broker.reply(SegmentMembersCount, async ({ segment_id }) => ({ members: play.members.get(segment_id)?.length ?? 0 }));
  await broker.reply(ContactsPage, async ({ after, limit }) => {
    const all = [...play.contacts.values()].filter(({ id }) => after === null || id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = all.slice(0, limit);
    return { contacts: page.map(contactOf), next: all.length > limit ? (page.at(-1)?.id ?? null) : null };
  });
  await broker.reply(ContactsFind, async ({ ids, emails }) => {
    const merged = ids.flatMap((id) => ({ id, into: play.merged.get(id) ?? '' })).filter(({ into }) => into !== '');
    const meant = new Set([...ids, ...merged.map(({ into }) => into)]);
    const found = [...play.contacts.values()].filter(({ id, email }) => meant.has(id) || emails.includes(email));
    return { contacts: found.map(contactOf), merged };
  });
  return play;
}

type Envelope = {
  id: string;
  type: string;
  version: number;
  time: string;
  account_id: AccountId;
  correlation_id: string;
  causation_id: string | null;
  producer: string;
  data: unknown;
};

export const contactOf = (members: Partial<Contact> & { id: ContactId; email: string }) => aContact(members);

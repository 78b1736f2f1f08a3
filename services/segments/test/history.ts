import type { Contact } from '@mp/contracts/contact';
import { type ContactId, newId } from '@mp/ids';
import { type CampaignActivity, campaignActivityName, formActivityName } from '@mp/rules/activity';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Client } from '@mp/test-kit/client';
import type { NewActivity } from '../src/activities/activity.ts';
import type { Done } from '../src/activities/apply-activity.ts';
import type { Segments } from '../src/build-segments.ts';
import { contactWith, livingIn, origin } from './contacts.ts';
import { type Definition, expectedMembers } from './expected-members.ts';
import { ruleOf } from './history-rules.ts';
import type { Step } from './history-steps.ts';

/** Consent for one topic. */
function consenting(subscribed: boolean): Contact['consent'] {
  const email = { status: subscribed ? 'subscribed' : 'unsubscribed', method: 'form', source: null, at: begin.toISOString() } as const;
  return { ...contactWith().consent, topics: { news: { email, sms: null } } };
}

/** Refunds and two currencies, so that sums change either way. */
const orderValue = (total: number) => ({ amount: total - 5, currency: total % 3 === 0 ? 'USD' : 'EUR' });

/** What an event stores of its context. */
const contextOf = (total: number) => ({
  'page.path': total % 2 === 0 ? '/shop/cart' : '/blog',
  'context.country': total % 3 === 0 ? 'AT' : 'DE',
  'device.type': total % 4 === 0 ? 'desktop' : 'mobile',
  ...(total % 5 > 0 && { 'utm.source': 'news' }),
});

export const begin = new Date('2026-05-01T00:00:00.000Z');
const hourMs = 3_600_000;

/** A merge, with the lists that the merged contact was in. */
type Merge = { number: number; contact: Contact; into: number; intoId: string; lists: string[] };

/** Runs steps in one account on several replicas, and computes the expected result. */
export function createHistory(parts: Parts, replicas: readonly { client: Client; built: Segments }[], setClock: (now: Date) => void) {
  const accountId = replicas[0]?.client.accountId ?? newId('account');
  const living = new Map<number, Contact>();
  const done = new Map<string, Map<string, NewActivity>>();
  const segmentIds: string[] = [];
  /** The expected members of static segments, which are edited one after the other. */
  const lists = new Map<string, Set<string>>();
  /** For a contact that entered a list by a merge, the merged contact. */
  const entered = new Map<string, string>();
  const mergedInto = new Map<ContactId, ContactId>();
  const merges: Merge[] = [];
  const messages: { contactId: ContactId; activity: NewActivity; kind: CampaignActivity }[] = [];
  let reclassifications = 0;
  let edits: Promise<void> = Promise.resolve();
  let now = begin;
  let turn = 0;
  setClock(now);

  const replica = () => {
    turn += 1;
    const one = replicas[turn % replicas.length];
    if (!one) throw new Error('A history needs a replica.');
    return one;
  };
  const inTransaction = (work: (tx: Parameters<Parameters<Parts['mongo']['transaction']>[1]>[0]) => Promise<void>) =>
    parts.mongo.transaction(origin(), work, { limitMs: 30_000 });

  /** Delivers the events of one contact twice, in reverse order and concurrently. */
  async function deliver(states: readonly Contact[]) {
    await Promise.all(
      [...states].reverse().map((contact) => inTransaction((tx) => replica().built.contacts.apply(tx, accountId, [contact]))),
    );
  }

  async function act(number: number, activity: NewActivity, deliveries: number, touchedIn: Done['touchedIn'], kind?: CampaignActivity) {
    const contactId = living.get(number)?.id;
    if (contactId === undefined) return;
    const own = done.get(contactId) ?? new Map<string, NewActivity>();
    done.set(contactId, own.set(activity.id, activity));
    if (kind) messages.push({ contactId, activity, kind });
    const publish = () =>
      inTransaction((tx) => replica().built.applyActivities(tx, accountId, 'activity', [{ contactId, activity, touchedIn }]));
    await Promise.all(Array.from({ length: deliveries }, publish));
  }

  /** Corrects whether a machine opened or clicked; it may arrive before the activity, and of two the later one applies. */
  async function reclassify(which: number, machine: boolean) {
    const message = messages[which % messages.length];
    if (!message) return;
    const { contactId, activity, kind } = message;
    const corrected = { ...activity, machine };
    done.get(contactId)?.set(activity.id, corrected);
    reclassifications += 1;
    const reclassification = { ...corrected, reclassifiedAt: new Date(begin.getTime() + reclassifications) };
    const publish = () =>
      inTransaction((tx) =>
        replica().built.applyReclassification(tx, accountId, {
          contactId,
          reclassification,
          touchedIn: (index) => index.touchedByCampaign(kind, 'campaign_1'),
        }),
      );
    await Promise.all([publish(), publish()]);
  }

  async function edit(listId: string | undefined, number: number, add: boolean) {
    const contact = living.get(number);
    if (listId === undefined || !contact) return;
    const body = { contacts: [{ id: contact.id }] };
    const { status } = await replica().client.call(add ? 'POST' : 'DELETE', `/v2/segments/${listId}/contacts`, body);
    if (status !== 200) return;
    if (add) lists.get(listId)?.add(contact.id);
    else {
      lists.get(listId)?.delete(contact.id);
      entered.delete(`${listId} ${contact.id}`);
    }
  }

  async function merge(number: number, into: number) {
    const [contact, survivor] = [living.get(number), living.get(into)];
    if (!contact || !survivor || contact.id === survivor.id) return;
    living.delete(number);
    const own = [...lists].filter(([, members]) => members.delete(contact.id)).map(([id]) => id);
    for (const id of own) {
      const members = lists.get(id);
      if (members?.has(survivor.id)) continue;
      members?.add(survivor.id);
      entered.set(`${id} ${survivor.id}`, contact.id);
    }
    merges.push({ number, contact, into, intoId: survivor.id, lists: own });
    mergedInto.set(contact.id, survivor.id);
    await inTransaction((tx) =>
      replica().built.contacts.applyDeletion(tx, accountId, {
        contactId: contact.id,
        revision: contact.revision + 1,
        mergedInto: survivor.id,
      }),
    );
  }

  async function unmerge() {
    const last = merges.at(-1);
    if (!last || living.get(last.into)?.id !== last.intoId || living.has(last.number)) return;
    merges.pop();
    const contact = { ...last.contact, revision: last.contact.revision + 2 };
    living.set(last.number, contact);
    mergedInto.delete(contact.id);
    for (const id of last.lists) {
      const members = lists.get(id);
      if (!members?.has(last.intoId)) continue;
      members.add(contact.id);
      if (entered.get(`${id} ${last.intoId}`) === contact.id) members.delete(last.intoId);
    }
    await inTransaction((tx) => replica().built.contacts.apply(tx, accountId, [contact]));
  }

  async function happen(one: Step) {
    switch (one.do) {
      case 'change': {
        const before = living.get(one.who);
        const after: Contact = {
          ...(before ?? contactWith({ created_at: now.toISOString(), revision: 0 })),
          ...livingIn(one.city),
          tags: one.tags,
          consent: consenting(one.tags.includes('new')),
          attributes: one.plan === null ? {} : { plan: one.plan },
        };
        const first = { ...after, tags: [], revision: after.revision + 1 };
        const second = { ...after, revision: after.revision + 2 };
        living.set(one.who, second);
        return deliver([first, second, second]);
      }
      case 'remove': {
        const contact = living.get(one.who);
        if (!contact) return;
        living.delete(one.who);
        await inTransaction((tx) =>
          replica().built.contacts.applyDeletion(tx, accountId, { contactId: contact.id, revision: contact.revision + 1 }),
        );
        return deliver([contact]);
      }
      case 'act': {
        const time = new Date(now.getTime() - one.hoursAgo * hourMs);
        const activity = {
          id: newId('activity'),
          name: one.name,
          time,
          properties: { total: one.total, ...contextOf(one.total) },
          value: orderValue(one.total),
          machine: false,
        };
        return act(one.who, activity, one.deliveries, (index) => index.touchedByEvent(one.name));
      }
      case 'message': {
        const time = new Date(now.getTime() - one.hoursAgo * hourMs);
        const properties = { campaign_id: 'campaign_1' };
        const activity = { id: newId('event'), name: campaignActivityName(one.activity), time, properties, machine: one.machine };
        return act(one.who, activity, 2, (index) => index.touchedByCampaign(one.activity, 'campaign_1'), one.activity);
      }
      case 'form': {
        const time = new Date(now.getTime() - one.hoursAgo * hourMs);
        const activity = {
          id: newId('event'),
          name: formActivityName(one.activity),
          time,
          properties: { form_id: one.form },
          machine: false,
        };
        return act(one.who, activity, 2, (index) => index.touchedByForm(one.activity, one.form));
      }
      case 'reclassify':
        return reclassify(one.which, one.machine);
      case 'define': {
        const definition = ruleOf(one.rule, segmentIds[one.named % segmentIds.length]);
        const { data } = await replica().client.post('/v2/segments', { name: newId('segment'), definition });
        if (data) segmentIds.push(data.id);
        return;
      }
      case 'redefine': {
        const id = segmentIds[one.which % segmentIds.length];
        // Rejected if it would make a cycle, or if the segment was deleted.
        if (id)
          await replica().client.put(`/v2/segments/${id}`, { definition: ruleOf(one.rule, segmentIds[one.named % segmentIds.length]) });
        return;
      }
      case 'merge':
        edits = edits.then(() => merge(one.who, one.into));
        return edits;
      case 'unmerge':
        edits = edits.then(unmerge);
        return edits;
      case 'list': {
        const { data } = await replica().client.post('/v2/segments', { name: newId('segment'), kind: 'static' });
        if (!data) return;
        segmentIds.push(data.id);
        lists.set(data.id, new Set());
        return;
      }
      case 'edit': {
        edits = edits.then(() => edit([...lists.keys()][one.which % lists.size], one.who, one.add));
        return edits;
      }
      case 'drop': {
        const id = segmentIds[one.which % segmentIds.length];
        if (id) await replica().client.delete(`/v2/segments/${id}`);
        return;
      }
      case 'wait': {
        now = new Date(Math.max(now.getTime(), now.getTime() + one.hours * hourMs));
        setClock(now);
        while ((await replica().built.timer.settleDue()) > 0);
        return;
      }
      case 'backfill':
        await replica().built.runner.serveOne();
    }
  }

  return {
    accountId,
    happen,
    now: () => now,
    /** Lets a little time pass, so that later changes have later times. */
    tick() {
      now = new Date(now.getTime() + 2);
      setClock(now);
    },
    contacts: () => [...living.values()],

    /** The expected members of each segment now. */
    recomputed: (definitions: readonly Definition[]) =>
      expectedMembers(definitions, {
        contacts: living.values(),
        isListed: (segmentId, contactId) => lists.get(segmentId)?.has(contactId) ?? false,
        activitiesOf,
        now,
      }),
  };

  function activitiesOf(contactId: ContactId, name: string): NewActivity[] {
    const merged = [...mergedInto].filter(([, into]) => into === contactId).flatMap(([id]) => activitiesOf(id, name));
    const own = [...merged, ...(done.get(contactId)?.values() ?? [])].filter((activity) => activity.name === name && !activity.machine);
    return own.sort((a, b) => b.time.getTime() - a.time.getTime());
  }
}

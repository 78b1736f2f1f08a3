import type { ApiError } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import type { FastifyRequest } from 'fastify';
import type { CountryOf } from '../countries/country-file.ts';
import { admitEvent } from '../events/admit-event.ts';
import { type Event, excludedNetwork, isRejection, type Receipt, type Rejection } from '../events/event.ts';
import { bytesOf } from '../events/event-body.ts';
import type { Stored } from '../events/events-store.ts';
import { isExcluded } from '../events/excluded-networks.ts';
import { eventOrRejection } from '../events/track-results.ts';
import type { WriteBuffer } from '../events/write-buffer.ts';
import { ofSite } from '../ingest/ingest-events.ts';
import type { LinkTokensStore } from '../ingest/link-tokens-store.ts';
import type { SaltsStore } from '../ingest/salts-store.ts';
import type { SiteLimits } from '../ingest/site-limits.ts';
import type { LeadpulseSettings } from '../settings/settings.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { IdentitySecrets } from '../sites/identity-secret.ts';
import { identityIn } from '../sites/identity-token.ts';
import type { StoredSite } from '../sites/site.ts';
import type { SitesStore } from '../sites/sites-store.ts';
import type { CallSource } from './call-source.ts';
import { eventOfCall, type Named, typeOf } from './event-of-call.ts';
import { type Loose, membersOf, textOf } from './loose-values.ts';
import { maxCallBytes } from './read-body.ts';
import type { NewSegmentCall, SegmentCallsStore } from './segment-calls-store.ts';

type Deps = {
  writeBuffer: WriteBuffer;
  limits: SiteLimits;
  sites: Pick<SitesStore, 'noteUnstored'>;
  salts: SaltsStore;
  linkTokens: LinkTokensStore;
  secrets: IdentitySecrets;
  settings: Pick<SettingsStore, 'cached'>;
  segmentCalls: Pick<SegmentCallsStore, 'note'>;
  countryOf: CountryOf;
};

/** What a call became, before it is stored. */
type Outcome = { call: Loose; event: Event | Rejection; notes: readonly string[] };

/** What the browser that sent a call says of itself, and the account's settings for it. */
type Page = { site: StoredSite; address: string; userAgent: string; isInternal: boolean; now: Date };

export type ProcessCalls = ReturnType<typeof createProcessCalls>;

/** Stores the events of calls, and records what became of each call. */
export function createProcessCalls({ writeBuffer, limits, sites, salts, linkTokens, secrets, settings, segmentCalls, countryOf }: Deps) {
  /** Whom the token of a page's call names. A token of a link identifies one visitor, and says nothing else of its contact. */
  async function tokenOf(call: Loose, visitor: string, { site, now }: Page): Promise<{ token?: Named; isOfLink?: true; note?: string }> {
    const { token } = membersOf(call.context);
    if (token === undefined) return {};
    const identity = await identityIn(token, secrets.unseal(site.id, site.sealed_secret) ?? '', now.getTime());
    if (typeof identity === 'string') return { note: `context.token: ${identity}` };
    if (!identity.once) return { token: identity.identity };
    const isUnused = await linkTokens.use(site.account_id, identity.once, visitor);
    return isUnused
      ? { token: identity.identity, isOfLink: true }
      : { note: 'context.token: this link has already identified another visitor' };
  }

  async function ofPage(page: Page, type: Parameters<typeof eventOfCall>[0], call: Loose, traits: LeadpulseSettings['segment_traits']) {
    if (page.isInternal) return excludedNetwork('/');
    const visitor_id =
      textOf(call.anonymousId, 256) ?? (await salts.visitorOf(page.site.id, page.address, page.userAgent, page.now.getTime()));
    const { token, isOfLink = false, note } = await tokenOf(call, visitor_id, page);
    const made = eventOfCall(type, call, { isServer: false, token, writesContacts: !isOfLink, traits });
    if ('code' in made) return made;
    const seen = { ...membersOf(made.body.context), user_agent: page.userAgent.slice(0, 1_024), ip: page.address };
    return { ...made, body: { ...made.body, visitor_id, context: seen }, notes: [...made.notes, ...(note ? [note] : [])] };
  }

  async function outcomeOf(source: CallSource, sent: Loose, { chosen, receipt, page, backfill, shared }: Setting): Promise<Outcome> {
    const call: Loose = { ...sent, sentAt: shared.sentAt ?? sent.sentAt, context: { ...shared.context, ...readContext(sent.context) } };
    const reject = (event: Rejection): Outcome => ({ call, event, notes: [] });
    const type = typeOf(call.type);
    if (!type)
      return reject({ code: 'invalid_type', path: '/type', message: 'type must be identify, track, page, screen, group or alias.' });
    if (bytesOf(sent) + shared.bytes > maxCallBytes)
      return reject({ code: 'too_big', path: '/', message: 'A call must be at most 32 kB.' });
    const traits = chosen.segment_traits;
    const made =
      source.kind === 'api_key'
        ? eventOfCall(type, call, { isServer: true, token: undefined, writesContacts: source.writesContacts, traits })
        : page
          ? await ofPage(page, type, call, traits)
          : excludedNetwork('/');
    if ('code' in made) return reject(made);
    const event = eventOrRejection(source.accountId, { ...made.body, ...(backfill && { backfill }) }, receipt);
    const own = source.kind === 'site' ? ofSite(source.site, event) : event;
    const admitted = admitEvent(isRejection(own) || !made.person ? own : { ...own, person: made.person }, chosen);
    return { call, event: admitted, notes: made.notes };
  }

  function record(source: CallSource, now: Date, outcomes: readonly Outcome[], stored: readonly Stored[]) {
    let next = 0;
    const calls = outcomes.map(({ call, event, notes }): NewSegmentCall => {
      const shown = { ...shownOf(call), source: { type: source.kind, id: source.id } };
      if (isRejection(event))
        return { ...shown, status: 'dropped', code: event.code, reason: event.message.slice(0, 300), notes: [], event_id: null };
      const { status, id } = stored[next++] ?? { status: 'accepted', id: event.id };
      return { ...shown, status, code: null, reason: null, notes: status === 'accepted' ? [...notes] : [], event_id: id };
    });
    segmentCalls.note(source.accountId, now, calls);
  }

  return {
    /** Resolves once every event that can be taken is stored. Throws RATE_LIMITED or QUOTA_EXCEEDED if a site exceeds its limits. */
    async take(request: FastifyRequest, source: CallSource, calls: readonly Loose[], { backfill, shared: { context, sentAt } }: Shared) {
      const now = new Date();
      const shared = { context: readContext(context), bytes: context === undefined ? 0 : bytesOf(context), sentAt };
      const chosen = await settings.cached(source.accountId);
      const [address, userAgent] = [addressOf(request), request.headers['user-agent'] ?? ''];
      const isInternal = source.kind === 'site' && isExcluded(address, chosen);
      const page = source.kind === 'site' ? { site: source.site, address, userAgent, isInternal, now } : undefined;
      const receipt = {
        now,
        maxDays: chosen.retention_days,
        countryOf,
        ...(!page && { isExcluded: (ip: string) => isExcluded(ip, chosen) }),
      };
      const outcomes: Outcome[] = [];
      for (const call of calls) outcomes.push(await outcomeOf(source, call, { chosen, receipt, page, backfill, shared }));
      const good = outcomes.flatMap(({ event }) => (isRejection(event) ? [] : [{ event }]));
      if (source.kind === 'site' && isInternal)
        await sites
          .noteUnstored(source.accountId, source.id, { excluded_events: calls.length })
          .catch((err: unknown) => request.log.warn({ err }, 'cannot count the excluded or dropped events of a site'));
      if (source.kind === 'site' && good.length > 0) await limits.enforce(source.site, good.length, now.getTime());
      const stored = good.length > 0 ? await writeBuffer.store(good) : [];
      if (source.kind === 'site' && good.length > 0) await limits.note(source.site, now.getTime());
      record(source, now, outcomes, stored);
    },

    /** Records a request that was refused as a whole. */
    refuse({ accountId, kind, id }: CallSource, { code, message }: ApiError) {
      const shown = { type: 'batch', event: null, message_id: null, library: null, source: { type: kind, id } } as const;
      const refused = { status: 'dropped', code: code.toLowerCase(), reason: message, event_id: null } as const;
      segmentCalls.note(accountId, new Date(), [{ ...shown, ...refused, notes: [] }]);
    },
  };
}

/** What a batch says of all of its calls, as it was sent. */
type Shared = { backfill: boolean; shared: { context?: unknown; sentAt?: unknown } };

type Setting = {
  chosen: LeadpulseSettings;
  receipt: Receipt;
  page: Page | undefined;
  backfill: boolean;
  shared: { context: Loose; bytes: number; sentAt: unknown };
};

const contextMembers = ['page', 'campaign', 'screen', 'ip', 'userAgent', 'locale', 'timezone', 'library', 'token'];

/** The members of a context that are read, whatever else it has: that of a batch is merged into each of its calls. */
const readContext = (context: unknown): Loose => {
  const members = membersOf(context);
  return Object.fromEntries(contextMembers.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]));
};

/** What the debugger shows of a call, whatever becomes of it. */
const shownOf = (call: Loose) => ({
  type: typeOf(call.type) ?? ('unknown' as const),
  event: textOf(call.event, 100) ?? null,
  message_id: textOf(call.messageId, 200) ?? null,
  library: libraryOf(call),
});

/** The library of a call, such as `analytics-node 3.1.0`. */
function libraryOf(call: Loose): string | null {
  const { name, version } = membersOf(membersOf(call.context).library);
  return [textOf(name, 60), textOf(version, 40)].filter((part) => part !== undefined).join(' ') || null;
}

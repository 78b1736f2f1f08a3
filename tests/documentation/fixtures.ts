import assert from 'node:assert/strict';
import { eventually } from '@mp/test-kit/eventually';
import type { Client } from '../client.ts';
import type { Contract, Json } from '../contract.ts';

const json = 'application/json';

/** `type` is the media type of a body that is a file; `headers` are those of a signed-in user. */
export type OperationRequest = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Json;
  type?: string;
  headers?: Record<string, string>;
};
/** `media` is the media type of a response that is a file. */
export type RecordedOperation = Omit<OperationRequest, 'headers'> & { status: number; media?: string; answer: Json };

/** Calls an operation; the test of retries replaces it to call each write several times. */
export type Call = (operation: Contract['operations'][number], request: Parameters<Client['call']>) => ReturnType<Client['call']>;

/**
 * Calls operations by id, as documented; each must succeed. Records the first call of each operation, status and media
 * type.
 */
export function createRecorder(contract: Contract, client: Client, call: Call = (_, request) => client.call(...request)) {
  const recorded = new Map<string, RecordedOperation[]>();

  async function record(id: string, { params = {}, query = {}, body, type, headers: own = {} }: OperationRequest = {}): Promise<Json> {
    const operation = contract.operations.find((candidate) => candidate.id === id);
    assert.ok(operation, `no operation ${id} in the document`);
    const path = operation.template.replaceAll(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? `no ${name}`));
    const search = new URLSearchParams(query).toString();
    const {
      status,
      text,
      headers,
      body: response,
      data,
    } = await call(operation, [
      operation.method,
      search === '' ? path : `${path}?${search}`,
      body,
      { ...own, ...(type !== undefined && { 'content-type': type }) },
    ]);
    assert.ok(status < 300, `${id} → ${status} ${JSON.stringify(response)}`);
    const media = headers.get('content-type')?.split(';', 1)[0] ?? json;
    const others = recorded.get(id) ?? [];
    if (!others.some((other) => other.status === status && (other.media ?? json) === media && other.type === type))
      recorded.set(id, [
        ...others,
        {
          ...(Object.keys(params).length > 0 && { params }),
          ...(search !== '' && { query }),
          ...(body !== undefined && { body }),
          ...(type !== undefined && { type }),
          status,
          ...(media !== json && { media }),
          // A file is shown as its text.
          answer: response ?? text,
        },
      ]);
    return data;
  }
  return { recorded, record };
}

export type RecordOperation = ReturnType<typeof createRecorder>['record'];

/** The documented request and response types of an operation that have no example. */
export function missingExamples({ id, operation }: Contract['operations'][number], recorded: readonly RecordedOperation[]): string[] {
  const takes = Object.keys(operation.requestBody?.content ?? {}).filter((type) => type !== json);
  const responses = Object.entries<{ content?: object }>(operation.responses).flatMap(([status, { content = {} }]) =>
    Number(status) < 300 ? Object.keys(content).map((media) => ({ status: Number(status), media })) : [],
  );
  return [
    ...(recorded.length === 0 ? [id] : []),
    ...takes.filter((type) => !recorded.some((one) => one.type === type)).map((type) => `${id} with ${type}`),
    ...responses
      .filter(({ status, media }) => !recorded.some((one) => one.status === status && (one.media ?? json) === media))
      .map(({ status, media }) => `${id} returning ${status} ${media}`),
  ];
}

const from = { email: 'news@example.com', name: 'Example News' };
/** The IDs of existing resources, by collection. */
export type Things = Record<string, string>;

/** The parameters of a path to the resource of a collection. */
export const of = (fixtures: Things, collection: string) => ({ params: { id: fixtures[collection] ?? '' } });

export const definition = { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] };

/** Creates one resource of each kind. Returns ids by collection or parameter name. `suffix` makes unique values differ. */
export async function createFixtures(record: RecordOperation, suffix = ''): Promise<Record<string, string>> {
  const address = (name: string) => `${name}${suffix}@example.com`;
  const contact = await record('createContact', {
    body: {
      email: address('ada'),
      first_name: 'Ada',
      last_name: 'Lovelace',
      address: { city: 'Berlin', country: 'DE' },
      tags: ['newsletter'],
      attributes: { plan: 'pro', seats: 5 },
      consent: { email: { status: 'subscribed', method: 'form' } },
    },
  });
  const other = await record('createContact', { body: { email: address('grace') } });
  const merged = await record('mergeContacts', { params: { id: contact.id }, body: { source_id: other.id } });
  const { items: merges } = await record('listMerges', { params: { id: contact.id } });
  const segment = await record('createSegment', { body: { name: `Berlin${suffix}`, definition } });
  const campaign = await record('createCampaign', {
    body: {
      name: `Spring news${suffix}`,
      subject: 'Hello {{ contact.first_name }}',
      from,
      html: '<p>Hello {{ contact.first_name }}, <a href="https://example.com/spring">spring is here</a>.</p>',
      audience: { include: [segment.id] },
    },
  });
  const template = await record('createTemplate', {
    body: {
      name: `Receipt${suffix}`,
      subject: 'Your order {{ data.order }}',
      mjml: '<mjml><mj-body><mj-section><mj-column><mj-text>Thank you, {{ contact.first_name }}.</mj-text></mj-column></mj-section></mj-body></mjml>',
    },
  });
  const coupon = await record('createCoupon', {
    body: {
      name: `spring${suffix.replaceAll(/\W/g, '_')}`,
      description: '10 % off',
      expires_at: '2040-06-01T00:00:00Z',
      codes: ['SPRING-7KQ2M9XA', 'SPRING-P4TW8RNC'],
    },
  });
  const form = await record('createForm', {
    body: {
      name: `Newsletter${suffix}`,
      fields: [
        { field: 'email', type: 'email', label: { en: 'Email' }, required: true },
        { field: 'first_name', type: 'text', label: { en: 'First name' } },
      ],
      consents: [{ key: 'news', channel: 'email', topics: ['newsletter'], text: { en: 'Yes, send me the newsletter once a month.' } }],
      sender: { email: 'news@example.com', name: 'Example' },
      tags: ['newsletter'],
    },
  });
  await record('trackEvents', {
    body: {
      event: '$pageview',
      visitor_id: `visitor-1${suffix}`,
      email: address('ada'),
      context: { page: { url: 'https://example.com/pricing', title: 'Pricing' } },
    },
  });
  const workflow = await record('createWorkflow', {
    body: {
      name: `Welcome${suffix}`,
      trigger: { type: 'manual' },
      steps: [
        { id: 'wait', type: 'delay', for: 'P1D', next: 'tag' },
        { id: 'tag', type: 'add_tag', tag: 'welcomed' },
      ],
    },
  });
  const { runs } = await known(() => record('triggerWorkflow', { params: { id: workflow.id }, body: { contact_id: contact.id } }));
  const visitor = await eventually(async () => (await record('listVisitors')).items[0]);
  const suppression = await record('addSuppression', { body: { email: address('gone'), reason: 'manual', note: 'Asked by phone.' } });
  const imported = await record('createImport', {
    query: { match_on: 'email' },
    type: 'text/csv',
    body: `email,first_name,city\n${address('alan')},Alan,London\nalan at example.com,Alan,London\n`,
  });
  const exported = await record('createExport', { body: { format: 'csv' } });
  const key = await record('createApiKey', { body: { name: 'Reports', permission: 'read_only', scopes: ['contacts:read'] } });
  const client = await record('createOauthClient', { body: { name: 'Shop', permission: 'read_write' } });
  const user = await record('inviteUser', { body: { email: address('mary'), name: 'Mary', role: 'editor' } });
  const webhook = await record('createWebhook', {
    body: { url: 'https://hooks.example.com/events', events: ['campaign.completed', 'message.bounced'], description: 'CRM' },
  });
  // Nothing responds at this address, so the delivery fails.
  const delivery = await record('testWebhook', { params: { id: webhook.id }, body: { type: 'contact.created' } });
  return {
    contacts: contact.id,
    contact_id: contact.id,
    merge_id: merges[0]?.id ?? merged.id,
    segments: segment.id,
    campaigns: campaign.id,
    templates: template.id,
    coupons: coupon.id,
    forms: form.id,
    visitors: visitor.id,
    workflows: workflow.id,
    runs: runs[0].run_id,
    run_id: runs[0].run_id,
    suppressions: suppression.id,
    imports: imported.id,
    exports: exported.id,
    'api-keys': key.id,
    'oauth-clients': client.id,
    users: user.id,
    webhooks: webhook.id,
    deliveries: delivery.id,
  };
}

/** Retries until the event of a contact has reached the other service. */
export const known = (attempt: () => Promise<Json>) =>
  eventually(() =>
    attempt().catch((error: Error) => {
      if (/ 404 | 400 /.test(error.message)) return undefined;
      throw error;
    }),
  );

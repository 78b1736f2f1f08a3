import { errorCodes } from '@mp/contracts/errors';
import type { EventType } from '@mp/contracts/event';
import { eventTypes } from '@mp/contracts/events/all';
import { streams } from '@mp/contracts/streams';
import { commonEnv, readEnv } from '@mp/service-kit/env';
import type { App, Parts } from '@mp/service-kit/parts';
import { createParts } from '@mp/service-kit/parts';
import { z } from 'zod';
import { natsUsers } from '../deploy/nats/users.ts';
import { buildApp as buildCampaigns } from '../services/campaigns/src/app.ts';
import { campaignsEnv } from '../services/campaigns/src/env.ts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { contactsEnv } from '../services/contacts/src/env.ts';
import { buildApp as buildGateway } from '../services/gateway/src/app.ts';
import { oauthDocument } from '../services/gateway/src/documentation/oauth-paths.ts';
import { gatewayEnv } from '../services/gateway/src/env.ts';
import { committedExamples } from '../services/gateway/src/proxy/routes/generated-config.ts';
import { mergeOpenapi } from '../services/gateway/src/proxy/routes/merge-openapi.ts';
import { routesFrom } from '../services/gateway/src/proxy/routes/routes-from.ts';
import { buildSettingsApp } from '../services/gateway/src/settings/app.ts';
import { buildApp as buildLeadpulse } from '../services/leadpulse/src/app.ts';
import { leadpulseEnv } from '../services/leadpulse/src/env.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';
import { segmentsEnv } from '../services/segments/src/env.ts';
import { buildApp as buildWorkflows } from '../services/workflows/src/app.ts';
import { workflowsEnv } from '../services/workflows/src/env.ts';

const environments = {
  gateway: gatewayEnv,
  contacts: contactsEnv,
  segments: segmentsEnv,
  campaigns: campaignsEnv,
  leadpulse: leadpulseEnv,
  workflows: workflowsEnv,
};

/** Every document that is made from the code, by its path from the root. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const documents = await openapiDocuments();
  return new Map([
    ['docs/errors.md', errorsPage()],
    ['docs/events.md', eventsPage()],
    ['docs/config.md', configPage()],
    ['deploy/nats/users.conf', natsUsers(builtServices().map(({ name, service }) => ({ name, consumers: service.consumers })))],
    ['services/gateway/config/openapi.json', json(mergeOpenapi(documents, committedExamples(), oauthDocument))],
    ['services/gateway/config/routes.json', json(routesFrom(documents))],
  ]);
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const made = (from: string) => `<!-- Made by \`npm run generate\` from ${from}. -->\n`;

function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, meaning }]) => [String(status), `\`${code}\``, meaning]);
  return `# Errors\n\n${made('libs/contracts/src/errors.ts')}\nEvery failure under \`/v2\` is \`{"success": false, "error": {"code", "message", "details"?, "request_id"}}\`. Codes are stable, messages may change.\n\n${table(['status', 'code', 'when'], rows)}\n`;
}

function eventsPage(): string {
  const streamOf = ({ subject }: EventType) =>
    Object.values(streams).find((stream) => subject.startsWith(stream.subject.slice(0, -1)))?.name ?? '';
  const sections = eventTypes.map((event) => {
    const schema = z.toJSONSchema(event.data, { io: 'output', reused: 'inline', unrepresentable: 'any' });
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [
      `\`${name}\``,
      typeof member === 'object' ? typeName(member) : '',
      typeof member === 'object' ? (member.description ?? '') : '',
    ]);
    return `## ${event.subject}\n\n${event.meaning} Stream \`${streamOf(event)}\`; example: [\`${event.subject}.json\`](../libs/contracts/src/events/examples/${event.subject}.json).\n\n${table(['member of `data`', 'type', 'meaning'], members)}\n`;
  });
  return `# Events\n\n${made('libs/contracts/src/events')}\nAround \`data\` every event carries \`id\`, \`type\`, \`version\`, \`time\`, \`account_id\`, \`correlation_id\`, \`causation_id\` and \`producer\`. Delivery is at least once and not in order: consumers keep the ids they have seen and guard by revision or sequence.\n\n${sections.join('\n')}`;
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

function typeName(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => (typeof option === 'object' ? typeName(option) : '')).join(' or ');
  if (schema.type === 'array' && typeof schema.items === 'object' && !Array.isArray(schema.items))
    return `list of ${typeName(schema.items)}`;
  return schema.format ? `${schema.type} (${schema.format})` : String(schema.title ?? schema.type ?? 'any');
}

function configPage(): string {
  const variables = new Map<string, { schema: z.ZodType; usedBy: string[] }>();
  for (const [service, environment] of Object.entries(environments)) {
    for (const [name, schema] of Object.entries(environment)) {
      const own = `${name}${name === 'PORT' ? ` (${service})` : ''}`;
      variables.set(own, { schema, usedBy: [...(variables.get(own)?.usedBy ?? []), service] });
    }
  }
  const all = Object.keys(environments).length;
  const rows = [...variables].map(([name, { schema, usedBy }]) => {
    const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const fallback = schema.safeParse(undefined);
    const standard = fallback.success ? (String(fallback.data ?? '') === '' ? 'none' : `\`${String(fallback.data)}\``) : '**needed**';
    return [
      `\`${name}\``,
      standard,
      usedBy.length === all ? 'all' : usedBy.join(', '),
      `${schema.meta()?.description ?? described.description ?? ''}${schema.meta()?.secret ? ' Secret.' : ''}`,
    ];
  });
  return `# Configuration\n\n${made("each service's src/env.ts")}\nVariables of the environment; a service that lacks one prints all that is missing and exits with 1. \`npm start\` sets what is needed for development.\n\n${table(['variable', 'default', 'read by', 'meaning'], rows)}\n`;
}

const secret = `none:${Buffer.alloc(32).toString('base64url')}`;
const nowhere = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  MONGODB_URL: 'mongodb://127.0.0.1:1',
  NATS_URL: 'nats://127.0.0.1:1',
  CONTEXT_KEYS: secret,
  CURSOR_KEYS: secret,
  LINK_KEYS: secret,
  WEBHOOK_KEYS: secret,
};

/** Every service as it runs, built but not started: nothing connects. */
export function builtServices(): { name: string; service: App }[] {
  const parts = (name: string) => createParts({ ...readEnv(commonEnv, nowhere), name });
  const gateway = { host: '127.0.0.1', port: 0, publicUrl: 'http://localhost', services: {}, trustedProxies: [] };
  return [
    { name: 'gateway', service: buildGateway(parts('gateway'), gateway) },
    { name: 'contacts', service: buildContacts(parts('contacts')) },
    { name: 'segments', service: buildSegments(parts('segments')) },
    { name: 'campaigns', service: buildCampaigns(parts('campaigns'), readEnv(campaignsEnv, nowhere)) },
    { name: 'leadpulse', service: buildLeadpulse(parts('leadpulse')) },
    { name: 'workflows', service: buildWorkflows(parts('workflows'), readEnv(workflowsEnv, nowhere)) },
  ];
}

/** Each service's OpenAPI document. The services are built but not started: nothing connects. */
async function openapiDocuments() {
  const describe = async (name: string, buildApp: (parts: Parts) => App) => {
    const { app } = buildApp(createParts({ ...readEnv(commonEnv, nowhere), name }));
    await app.ready();
    return app.swagger();
  };
  return {
    gateway: await describe('gateway', buildSettingsApp),
    contacts: await describe('contacts', buildContacts),
    segments: await describe('segments', buildSegments),
    campaigns: await describe('campaigns', (parts) => buildCampaigns(parts, readEnv(campaignsEnv, nowhere))),
    leadpulse: await describe('leadpulse', buildLeadpulse),
    workflows: await describe('workflows', (parts) => buildWorkflows(parts, readEnv(workflowsEnv, nowhere))),
  };
}

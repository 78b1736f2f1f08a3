import type { Scope } from '@marketing-platform/sdk';

/** All scopes by area, in the order of the navigation, each with a name and what it allows. */
export const scopeAreas: readonly { area: string; scopes: readonly { scope: Scope; name: string; means: string }[] }[] = [
  {
    area: 'Contacts',
    scopes: [
      { scope: 'contacts:read', name: 'Read contacts', means: 'See contacts, their timeline, consent, imports and forms.' },
      { scope: 'contacts:write', name: 'Change contacts', means: 'Create, update, import, merge and delete contacts, and change forms.' },
      { scope: 'contacts:export', name: 'Export contacts', means: 'Start exports and download their files.' },
      { scope: 'contacts:erase', name: 'Erase contacts', means: 'Remove a person from every service, permanently.' },
    ],
  },
  {
    area: 'Segments',
    scopes: [
      { scope: 'segments:read', name: 'Read segments', means: 'See segments and their members.' },
      { scope: 'segments:write', name: 'Change segments', means: 'Create, update, archive and delete segments.' },
    ],
  },
  {
    area: 'Campaigns',
    scopes: [
      { scope: 'campaigns:read', name: 'Read campaigns', means: 'See campaigns, templates, coupons and reports.' },
      {
        scope: 'campaigns:write',
        name: 'Change campaigns',
        means: 'Create and update campaigns, templates, coupons and sending settings.',
      },
      { scope: 'campaigns:send', name: 'Send campaigns', means: 'Send, schedule, pause and cancel campaigns, and send messages.' },
    ],
  },
  {
    area: 'LeadPulse',
    scopes: [
      { scope: 'leadpulse:read', name: 'Read visits', means: 'See visitors, goals, funnels and reports.' },
      { scope: 'leadpulse:write', name: 'Track visits', means: 'Track events, and change websites, goals and reports.' },
    ],
  },
  {
    area: 'Workflows',
    scopes: [
      { scope: 'workflows:read', name: 'Read workflows', means: 'See workflows and their runs.' },
      { scope: 'workflows:write', name: 'Change workflows', means: 'Create, update and pause workflows, and manage their runs.' },
      { scope: 'workflows:activate', name: 'Activate workflows', means: 'Activate workflows, and change what active ones do.' },
    ],
  },
  {
    area: 'Webhooks',
    scopes: [
      { scope: 'webhooks:read', name: 'Read webhooks', means: 'See webhooks and their deliveries.' },
      { scope: 'webhooks:write', name: 'Change webhooks', means: 'Decide where the data of the account is sent.' },
    ],
  },
  {
    area: 'Settings',
    scopes: [
      { scope: 'settings:read', name: 'Read settings', means: 'See the account, its users, keys and audit log.' },
      { scope: 'settings:write', name: 'Change settings', means: 'Change the account, its users, roles and single sign-on.' },
      { scope: 'settings:keys', name: 'Manage API keys', means: 'Create, change, rotate and revoke API keys and OAuth clients.' },
    ],
  },
];

const names = new Map<string, string>(scopeAreas.flatMap(({ scopes }) => scopes.map(({ scope, name }) => [scope, name] as const)));

export const scopeName = (scope: Scope) => names.get(scope) ?? scope;

export const isScope = (text: string): text is Scope => names.has(text);

import { type Scope, scopes } from '@mp/contracts/permissions';

const verbs: Record<string, string> = {
  read: 'Read',
  write: 'Change',
  send: 'Send',
  export: 'Export',
  erase: 'Erase',
  activate: 'Activate',
  keys: 'Manage API keys and OAuth clients in',
};

const meaningOf = (scope: Scope) => {
  const [noun = '', verb = ''] = scope.split(':');
  return `${verbs[verb] ?? verb} ${noun === 'leadpulse' ? 'LeadPulse' : noun}.`;
};

const scopeMeanings = Object.fromEntries(scopes.map((scope) => [scope, meaningOf(scope)]));

/**
 * How a caller authenticates. Both `bearer` and `access_token` are sent as `Authorization: Bearer …`. Generated TypeScript
 * applies the schemes in the order of their names; the last one wins. OAuth schemes omit `Bearer`, so `bearer` must win.
 */
export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an OAuth 2.0 access token.' },
  access_token: {
    type: 'oauth2',
    description:
      'The client credentials of an OAuth client created under Settings (RFC 6749 §4.4), or the grant of a user (§4.1, with PKCE).',
    flows: {
      clientCredentials: { tokenUrl: '/oauth/token', scopes: scopeMeanings },
      authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token', scopes: scopeMeanings },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'The ID and secret of an OAuth client, for `/oauth/*` only.' },
};

export const securityOf = (scope: Scope | null) => [{ bearer: [] }, { access_token: scope === null ? [] : [scope] }];

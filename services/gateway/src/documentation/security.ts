import { type Scope, scopes } from '@mp/contracts/permissions';

const verbs: Record<string, string> = { read: 'Read', write: 'Change', send: 'Send' };

const meaningOf = (scope: Scope) => {
  const [noun = '', verb = ''] = scope.split(':');
  return `${verbs[verb] ?? verb} ${noun === 'leadpulse' ? 'LeadPulse' : noun}.`;
};

/**
 * How a caller authenticates. Both `bearer` and `access_token` are sent as `Authorization: Bearer …`. Generated TypeScript
 * applies the schemes in the order of their names; the last one wins. OAuth schemes omit `Bearer`, so `bearer` must win.
 */
export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an OAuth 2.0 access token.' },
  access_token: {
    type: 'oauth2',
    description: 'Client credentials (RFC 6749 §4.4) of an OAuth client created under Settings.',
    flows: {
      clientCredentials: { tokenUrl: '/oauth/token', scopes: Object.fromEntries(scopes.map((scope) => [scope, meaningOf(scope)])) },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'The ID and secret of an OAuth client, for `/oauth/*` only.' },
};

export const securityOf = (scope: Scope | null) => [{ bearer: [] }, { access_token: scope === null ? [] : [scope] }];

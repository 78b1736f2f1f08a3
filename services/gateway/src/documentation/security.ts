import { type Scope, scopes } from '@mp/contracts/permissions';

const verbs: Record<string, string> = { read: 'Read', write: 'Change', send: 'Send' };

const meaningOf = (scope: Scope) => {
  const [noun = '', verb = ''] = scope.split(':');
  return `${verbs[verb] ?? verb} ${noun === 'leadpulse' ? 'LeadPulse' : noun}.`;
};

/**
 * How a caller shows who it is; both are sent as `Authorization: Bearer …`. Generated TypeScript tries each in the order of
 * these names, the last one wins, and of an OAuth scheme it leaves out `Bearer`: so `bearer` comes last.
 */
export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an OAuth 2.0 access token.' },
  access_token: {
    type: 'oauth2',
    description: 'Client credentials of an OAuth client that was made under Settings (RFC 6749 §4.4).',
    flows: {
      clientCredentials: { tokenUrl: '/oauth/token', scopes: Object.fromEntries(scopes.map((scope) => [scope, meaningOf(scope)])) },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'The id and the secret of an OAuth client, at `/oauth/*` only.' },
};

export const securityOf = (scope: Scope | null) => [{ bearer: [] }, { access_token: scope === null ? [] : [scope] }];

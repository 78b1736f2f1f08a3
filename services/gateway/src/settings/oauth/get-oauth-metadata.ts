import { scopes as everyScope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import { GrantType, type OauthMetadata } from './oauth-shapes.ts';

/** The addresses and capabilities of the token endpoints (RFC 8414). */
export function getOauthMetadata(app: Server, { publicUrl }: { publicUrl: string }) {
  app.get('/.well-known/oauth-authorization-server', { schema: { hide: true } }, async (_, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(metadataOf(publicUrl)),
  );
}

function metadataOf(publicUrl: string): OauthMetadata {
  const methods: OauthMetadata['token_endpoint_auth_methods_supported'] = ['client_secret_basic', 'client_secret_post', 'none'];
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    grant_types_supported: [...GrantType.options],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: [...everyScope],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    service_documentation: `${publicUrl}/reference`,
  };
}

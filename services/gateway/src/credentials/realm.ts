/** The realm in every `WWW-Authenticate` header (RFC 9110 §11.5). */
export const realm = 'marketing-platform';

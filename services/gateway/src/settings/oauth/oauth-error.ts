import type { OauthErrorCode } from './oauth-shapes.ts';

type Extras = { status?: number; retryAfter?: number };

/** Characters that RFC 6749 §5.2 does not allow in an error_description. */
const notAllowed = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g;

/** An error in the format of RFC 6749 §5.2, which OAuth clients expect instead of the API's format. */
export class OauthError extends Error {
  readonly code: OauthErrorCode;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(code: OauthErrorCode, description: string, { status = 400, retryAfter }: Extras = {}) {
    super(description.replaceAll(notAllowed, '?'));
    this.name = 'OauthError';
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

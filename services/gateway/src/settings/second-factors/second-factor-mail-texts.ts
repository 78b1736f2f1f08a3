import type { Mail } from '../users/mailer.ts';

/** What the owner of a second factor is told by email. The detail is the name of the factor, or the number of codes left. */
const events = {
  totp_added: ['An authenticator app was added', (name) => `The authenticator app "${name}" was added to your account.`],
  passkey_added: ['A passkey was added', (name) => `The passkey "${name}" was added to your account.`],
  removed: ['A second factor was removed', (name) => `"${name}" was removed from your account, and your other sessions were ended.`],
  reset: [
    'Your second factors were removed',
    () => 'The operator of the platform removed all your second factors and recovery codes, and ended your sessions.',
  ],
  recovery_codes_replaced: ['Your recovery codes were replaced', () => 'You have new recovery codes. Earlier ones no longer work.'],
  recovery_code_used: ['A recovery code was used', (left) => `A recovery code was used in your account. Codes left: ${left}.`],
} as const satisfies Record<string, readonly [subject: string, text: (detail: string) => string]>;

export type FactorEvent = keyof typeof events;

export function factorMail(to: string, event: FactorEvent, detail = ''): Mail {
  const [subject, text] = events[event];
  return {
    to,
    subject,
    text: `${text(detail)}

If this was you, there is nothing to do. If not, set a new password, which ends all other sessions, and tell your administrator.
`,
  };
}

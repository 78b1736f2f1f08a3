import type { Mail } from './mailer.ts';

export const forgottenMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Sign in and set a new password',
  text: `We received a request to reset your password.

Use this link within one hour to sign in and set a new password. It works once:
${url}

If you did not request this, ignore this email. Your password stays the same.
`,
});

export const invitationMail = (to: string, account: string, url: string): Mail => ({
  to,
  subject: `You are invited to ${account}`,
  text: `You are invited to the marketing platform of ${account}.

Use this link within seven days to sign in and set a password. It works once:
${url}
`,
});

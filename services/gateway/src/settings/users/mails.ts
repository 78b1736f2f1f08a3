import type { Mail } from './mailer.ts';

export const forgottenMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Sign in and set a new password',
  text: `Somebody, hopefully you, asked for a new password.

This link signs you in once, within an hour. Set a new password then:
${url}

If it was not you, do nothing: your password stays as it is.
`,
});

export const invitationMail = (to: string, account: string, url: string): Mail => ({
  to,
  subject: `You are invited to ${account}`,
  text: `You are invited to the marketing platform of ${account}.

This link signs you in once, within seven days. Set a password then:
${url}
`,
});

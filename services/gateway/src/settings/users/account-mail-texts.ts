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

type SignedInFrom = { at: Date; address: string; user_agent: string };

const stopIt = 'If this was not you, set a new password, which ends all other sessions, and tell your administrator.';

export const newSignInMail = (to: string, { at, address, user_agent }: SignedInFrom): Mail => ({
  to,
  subject: 'New sign-in to your account',
  text: `Somebody signed in with this email address from a browser or network that we have not seen before.

Time: ${at.toISOString()}
IP address: ${address}
Browser: ${user_agent.replaceAll(/\s+/g, ' ').slice(0, 200) || 'unknown'}

If this was you, there is nothing to do. ${stopIt}
`,
});

export const linkedMail = (to: string, provider: string): Mail => ({
  to,
  subject: 'Single sign-on was set up for you',
  text: `An identity of the identity provider "${provider}" was linked to you. Whoever has it can now sign in as you, without your password and
your second factor.

If this was you, there is nothing to do. If not, tell the owner of your account.
`,
});

export const passwordChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your password was changed',
  text: `The password of this email address was changed, and all other sessions were ended.

${stopIt}
`,
});

export const confirmEmailMail = (to: string, url: string): Mail => ({
  to,
  subject: 'Confirm your new email address',
  text: `Somebody wants to sign in to the marketing platform with this email address.

Use this link within 24 hours to confirm it. It works once:
${url}

If you did not request this, ignore this email. Nothing changes.
`,
});

export const emailChangedMail = (to: string, email: string): Mail => ({
  to,
  subject: 'Your email address was changed',
  text: `You now sign in with ${email}. This address no longer works.

If this was not you, tell your administrator.
`,
});

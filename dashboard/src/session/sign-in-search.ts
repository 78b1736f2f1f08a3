/** Why a sign-in with an identity provider failed. */
const failures = ['expired', 'refused', 'unavailable', 'unverified_email', 'not_allowed', 'no_role'] as const;
export type SignInFailure = (typeof failures)[number];

type SignInSearch = { ended?: true; choose?: true; confirm?: true; to?: string; failed?: SignInFailure; provider?: string };

/** A path. Browsers drop tabs and line breaks in URLs, so `/\t/example.com` would be another site. */
const isOfDashboard = (to: string) => /^\/(?![/\\])\P{Cc}*$/u.test(to);

/** The search parameters of the sign-in page. With `choose` or `confirm`, an account must be chosen or a second factor proven after an identity provider. `to` is the page of the dashboard to open then; a link to another site is ignored. */
export const signInSearch = ({ ended, choose, confirm, to, failed, provider }: Record<string, unknown>): SignInSearch => ({
  ...(ended ? { ended: true } : {}),
  ...(choose ? { choose: true } : {}),
  ...(confirm ? { confirm: true } : {}),
  ...failures.filter((one) => one === failed).map((one) => ({ failed: one }))[0],
  ...(typeof provider === 'string' && /^(?:idp_[a-z0-9]{26}|[a-z0-9][a-z0-9-]{0,39})$/.test(provider) && { provider }),
  ...(typeof to === 'string' && isOfDashboard(to) && { to }),
});

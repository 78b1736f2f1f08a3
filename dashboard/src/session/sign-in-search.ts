type SignInSearch = { ended?: true; to?: string };

/** The search parameters of the sign-in page. `to` is the page of the dashboard to open then; a link to another site is ignored. */
export const signInSearch = ({ ended, to }: Record<string, unknown>): SignInSearch => ({
  ...(ended ? { ended: true } : {}),
  ...(typeof to === 'string' && /^\/(?![/\\])/.test(to) && { to }),
});

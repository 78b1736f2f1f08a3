import { RequestFailed } from '../api/errors.ts';
import { useBrand } from '../brand/brand.ts';
import { useDryRun } from '../campaigns/campaigns.ts';
import { useSenders } from '../sending/senders.ts';
import { type Check, checksOf } from './checks.ts';
import type { Sendable } from './email-preview.tsx';
import { useBrokenLinks } from './links.ts';

/** Whether emails from this address are signed: undefined until it is known, or if there is no address yet. */
function useIsVerified(email: string): boolean | undefined {
  const domain = email.split('@')[1]?.toLowerCase();
  const { data } = useSenders();
  if (!data || !domain) return undefined;
  return data.some((sender) => sender.domain === domain && sender.status === 'verified');
}

type Checked = {
  /** The email as it was written, with its Liquid. */
  content: Sendable;
  fromEmail: string;
  /** The rendered email, whose links are checked; undefined while nobody looks at the checks. */
  preview: string | undefined;
  /** What the preview failed with. */
  error: Error | null;
  /** The campaign, if it is saved as it is shown: only then is its audience known. */
  savedId: string | undefined;
};

export function useChecks({ content, fromEmail, preview, error, savedId }: Checked): Check[] {
  const { data: brand } = useBrand();
  const isVerified = useIsVerified(fromEmail);
  const { data: dryRun } = useDryRun(savedId ?? '', savedId !== undefined && error === null);
  const problems = error instanceof RequestFailed && error.details.length > 0 ? error.details : error ? [error] : [];
  return checksOf({
    ...{ content, fromEmail, isVerified },
    postalAddress: brand?.postal_address ?? null,
    problems: problems.map(({ message = '' }) => message),
    brokenLinks: useBrokenLinks(preview ?? ''),
    missing: dryRun?.missing_fields ?? [],
    rendered: dryRun?.rendered ?? 0,
  });
}

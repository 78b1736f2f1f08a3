import { invalid } from '@mp/contracts/errors';
import { urlProblem } from '@mp/guarded-requests/url-problem';

/** Throws VALIDATION_ERROR for a URL that is not public or not encrypted. `allowPrivate` allows both, for development. */
export function checkUrl(url: string, { allowPrivate }: { allowPrivate: boolean }) {
  const isPlain = !allowPrivate && URL.parse(url)?.protocol === 'http:';
  const problem = isPlain
    ? 'expected an https:// URL, because deliveries contain personal data; for development, use mp webhooks listen or WEBHOOK_ALLOW_PRIVATE=true'
    : urlProblem(url, { allowPrivate });
  if (problem) throw invalid('/url', 'invalid_url', `url: ${problem}.`);
}

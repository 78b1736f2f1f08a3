import { ShownOnce } from '../secrets/shown-once.tsx';
import type { CreatedWebhook } from './webhooks.ts';

/** Shows the secret of a webhook once. */
export const WebhookSecret = ({ webhook: { secret, url }, onStored }: { webhook: CreatedWebhook; onStored: () => void }) => (
  <ShownOnce
    secret={secret}
    label="Signing secret"
    copy="Copy secret"
    warning={
      <>
        This is the only time the signing secret of <strong>{url}</strong> is shown. Store it in your receiver, which needs it to verify
        every request, with any Standard Webhooks library.
      </>
    }
    line={`export WEBHOOK_SECRET=${secret}`}
    lineDoes="Set it in the receiver's environment"
    onStored={onStored}
  />
);

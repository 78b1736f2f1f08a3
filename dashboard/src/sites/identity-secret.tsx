import type { ReactNode } from 'react';
import { ShownOnce } from '../secrets/shown-once.tsx';

type Props = { secret: string; children?: ReactNode; onStored: () => void };

/** The identity secret of a website, which is shown once. */
export const IdentitySecret = ({ secret, children, onStored }: Props) => (
  <ShownOnce
    secret={secret}
    label="Identity secret"
    copy="Copy secret"
    warning="If your visitors sign in, your server needs this secret to identify them. This is the only time it is shown."
    line={`export LEADPULSE_IDENTITY_SECRET=${secret}`}
    lineDoes="Set it in the environment of your server"
    onStored={onStored}
  >
    {children}
  </ShownOnce>
);

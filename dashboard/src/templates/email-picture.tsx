import { useMemo } from 'react';
import type { Brand } from '../brand/brand.ts';
import { designToHtml } from '../email-design/design-to-html.ts';
import { designOfStarter, type Starter } from '../email-design/starters.ts';
import { MailFrame } from '../email-frame/email-frame.tsx';
import classes from './email-picture.module.css';

/** Merge tags as a reader sees them: their fallback, or an example. */
const filled = (html: string) => html.replaceAll(/\{\{[^}]*?(?:default:\s*["']([^"']*)["'])?\s*\}\}/g, (_, fallback = 'Ada') => fallback);

/** The email of a starter, in the colors of the brand, small. */
export function EmailPicture({ starter, brand }: { starter: Pick<Starter, 'content'>; brand: Brand }) {
  const html = useMemo(() => filled(designToHtml(designOfStarter(starter, brand))), [starter, brand]);
  return (
    <div className={classes.paper}>
      <div className={classes.email}>
        <MailFrame title="Preview" html={html} />
      </div>
    </div>
  );
}

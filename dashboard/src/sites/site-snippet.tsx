import { Text } from '@mantine/core';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ShownOnce } from '../secrets/shown-once.tsx';
import type { SiteWithSecret } from './sites.ts';

/** The snippet for the pages of a site, and its identity secret, which is shown once. */
export const SiteSnippet = ({ site, onStored }: { site: SiteWithSecret; onStored: () => void }) => (
  <ShownOnce
    secret={site.identity_secret}
    label="Identity secret"
    copy="Copy secret"
    warning="If your visitors sign in, your server needs this secret to say who they are. This is the only time it is shown."
    line={`export LEADPULSE_IDENTITY_SECRET=${site.identity_secret}`}
    lineDoes="Set it in the environment of your server"
    onStored={onStored}
  >
    <Text size="sm">Paste this into the HTML of every page, before &lt;/head&gt;. Page views are counted from then on.</Text>
    <CommandLine label="Snippet">{snippetOf(site)}</CommandLine>
  </ShownOnce>
);

const snippetOf = ({ publishable_key, snippet: { path, integrity } }: SiteWithSecret) =>
  `<script src="${window.location.origin}${path}" integrity="${integrity}" crossorigin data-key="${publishable_key}"></script>`;

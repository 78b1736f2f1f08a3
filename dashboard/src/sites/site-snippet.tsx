import { Alert, Group, Loader, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ShownOnce } from '../secrets/shown-once.tsx';
import { type SiteWithSecret, useFirstEvent } from './sites.ts';

/** The snippet for the pages of a site, and its identity secret, which is shown once. */
export const SiteSnippet = ({ site, onStored }: { site: SiteWithSecret; onStored: () => void }) => (
  <ShownOnce
    secret={site.identity_secret}
    label="Identity secret"
    copy="Copy secret"
    warning="If your visitors sign in, your server needs this secret to identify them. This is the only time it is shown."
    line={`export LEADPULSE_IDENTITY_SECRET=${site.identity_secret}`}
    lineDoes="Set it in the environment of your server"
    onStored={onStored}
  >
    <Text size="sm">Paste this into the HTML of every page, before &lt;/head&gt;. Page views are counted from then on.</Text>
    <CommandLine label="Snippet">{snippetOf(site)}</CommandLine>
    <FirstEvent id={site.id} />
  </ShownOnce>
);

function FirstEvent({ id }: { id: string }) {
  const firstEvent = useFirstEvent(id);
  return firstEvent === undefined ? (
    <Group gap="xs" role="status">
      <Loader size="xs" aria-hidden />
      <Text size="sm" c="dimmed">
        Waiting for the first event. Open one of your pages with the snippet.
      </Text>
    </Group>
  ) : (
    <Alert color="green" variant="light" role="status" icon={<IconCheck aria-hidden />}>
      We have seen your first event.
    </Alert>
  );
}

const snippetOf = ({ publishable_key, snippet: { path, integrity } }: SiteWithSecret) =>
  `<script src="${window.location.origin}${path}" integrity="${integrity}" crossorigin data-key="${publishable_key}"></script>`;

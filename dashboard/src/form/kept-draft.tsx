import { Alert, Button, Group, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { currentSession } from '../session/session-query.ts';
import { draftKey, readDraft, removeDraft, writeDraft } from '../session/stored-draft.ts';
import { RelativeTime } from '../time/relative-time.tsx';

/** How a form keeps what is typed, and what it does if another user saves in the meantime. */
export type Draft<Values> = {
  /** Identifies the form within the account, such as `campaign <id>`. Without a name nothing is kept, as for data of contacts. */
  name?: string;
  /** Puts values into the form; only its fields by default. */
  fill?: (values: Values) => void;
  /** The values in a form in which versions can be compared; unchanged by default. */
  comparable?: (values: Values) => object;
  /** The name of what has an ID, where two versions are compared. */
  named?: (id: string) => string;
  /** For a resource that exists. */
  stored?: Stored<Values>;
};

type Stored<Values> = {
  /** The revision that the edits are based on. */
  revision: number;
  onRevision: (revision: number) => void;
  /** The resource as it is now. */
  current: () => Promise<{ values: Values; revision: number }>;
};

type Props<Values> = {
  form: UseFormReturnType<Values>;
  /** Where the draft is stored. */
  at: string;
  draft: Draft<Values>;
  saving: { isPending: boolean; error: Error | null };
};

const typingMs = 500;

/** Where a form with this name keeps its draft: for the user who opened it, even if another one signs in meanwhile. */
export function useDraftKey(name: string | undefined): string | undefined {
  const queries = useQueryClient();
  const [owner] = useState(() => currentSession(queries));
  return owner && name !== undefined ? draftKey(owner, name) : undefined;
}

/** Stores what is typed until it is saved or discarded, and offers it when the form is opened again. */
export function KeptDraft<Values extends object>({ form, at, draft: { fill = form.setValues, stored }, saving }: Props<Values>) {
  const queries = useQueryClient();
  const [found, setFound] = useState(() => readDraft(at, form.getInitialValues()));
  const { values } = form;
  const isDirty = form.isDirty();
  const { isPending, error } = saving;
  const sent = useRef<Values>(undefined);
  const saved = useRef<Values>(undefined);
  const wasPending = useRef(false);
  const wasDirty = useRef(false);

  const keep = useEffectEvent(() => {
    if (isDirty && values !== saved.current) writeDraft(at, { values, at: new Date().toISOString(), revision: stored?.revision ?? null });
  });

  useEffect(() => {
    // If the session has ended, saving leads to the sign-in page, and the draft is all that is left.
    if (isPending && !wasPending.current) {
      sent.current = values;
      keep();
    }
    if (wasPending.current && !isPending && !error) {
      saved.current = sent.current;
      // What was typed while it was saved is kept until it is saved, too.
      if (values === sent.current) removeDraft(at);
    }
    wasPending.current = isPending;
  }, [isPending, error, values, at]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every edit starts the wait again.
  useEffect(() => {
    if (!isDirty) {
      if (wasDirty.current) removeDraft(at);
      wasDirty.current = false;
      return;
    }
    wasDirty.current = true;
    if (isPending) return;
    const timer = setTimeout(() => keep(), typingMs);
    return () => clearTimeout(timer);
  }, [values, isDirty, isPending, at]);

  useEffect(() => {
    const flush = () => keep();
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      // A form that is left while it saves has been saved, or the page would have asked, unless the session has ended.
      if (wasPending.current && currentSession(queries)) removeDraft(at);
    };
  }, [at, queries]);

  if (!found) return null;
  const restore = () => {
    fill(found.values);
    // Saving compares with what the edits were based on.
    if (found.revision !== null) stored?.onRevision(found.revision);
    setFound(undefined);
  };
  const discard = () => {
    if (!isDirty) removeDraft(at);
    setFound(undefined);
  };
  return (
    <Alert color="blue" mb="lg" title="You have unsaved changes" role="note">
      <Group gap="sm" justify="space-between">
        <Text size="sm">
          Last edited in this browser <RelativeTime at={found.at} />.
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={discard}>
            Discard
          </Button>
          <Button size="xs" onClick={restore}>
            Restore
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}

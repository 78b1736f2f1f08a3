import type { Import } from '@marketing-platform/sdk';
import { batchesOf, filesOf } from '@mp/move-in/archive';
import { type Plan, planOf } from '@mp/move-in/plan';
import type { Written } from '@mp/move-in/state';
import { createWriter } from '@mp/move-in/write-plan';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api.ts';
import { createApiTarget } from './api-target.ts';
import { archives, type System } from './archives.ts';
import { identityOf, readProgress, removeProgress, type Stored, writeProgress } from './stored-progress.ts';

type Chosen = { system: System; file: File; plan: Plan; started_at: string; written: Written; isContinued: boolean };

export type MoveIn =
  | { stage: 'choose'; error?: Error }
  | { stage: 'reading'; file: File }
  | ({ stage: 'ready' } & Chosen)
  | ({ stage: 'writing'; rowsRead: number } & Chosen)
  | ({ stage: 'failed'; error: Error } & Chosen)
  | ({ stage: 'done' } & Chosen);

const errorOf = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

async function planFrom(system: System, file: File): Promise<Plan> {
  const archive = archives[system];
  const bytes = new Uint8Array(await file.arrayBuffer());
  return planOf(
    archive,
    (async function* () {
      for (const { records } of batchesOf(archive.recordsIn(filesOf(file.name, bytes)), null)) yield* records;
    })(),
  );
}

/**
 * Reads the export of another system in the browser, and imports it as the signed-in user. Every step is stored under `key`: with the
 * same file, an import that was interrupted resumes.
 */
export function useMoveIn(key: string) {
  const api = useApi();
  const queries = useQueryClient();
  const [state, setState] = useState<MoveIn>({ stage: 'choose' });
  const latest = useRef<File | null>(null);
  /** An import stops with its page: it cannot be followed from another one. */
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const [interrupted, setInterrupted] = useState<Stored | undefined>(() => readProgress(key));

  async function choose(system: System, file: File | null) {
    latest.current = file;
    if (!file) return setState({ stage: 'choose' });
    setState({ stage: 'reading', file });
    try {
      const plan = await planFrom(system, file);
      if (latest.current !== file) return;
      const before = readProgress(key);
      const isContinued = before?.identity === identityOf(system, file);
      const { started_at, written } =
        isContinued && before ? before : { started_at: new Date().toISOString(), written: { steps: {}, errors: [] } };
      setState({ stage: 'ready', system, file, plan, started_at, written, isContinued });
    } catch (thrown) {
      if (latest.current === file) setState({ stage: 'choose', error: errorOf(thrown) });
    }
  }

  async function write({ system, file, plan, started_at, written }: Chosen) {
    const chosen = { system, file, plan, started_at, written, isContinued: false };
    const identity = identityOf(system, file);
    const show = (rowsRead = 0) => {
      if (isGone.current) throw new Error('The page of the import was left.');
      setState({ stage: 'writing', ...chosen, written: structuredClone(written), rowsRead });
    };
    const save = () => {
      writeProgress(key, { system, file: file.name, identity, started_at, written });
      show();
    };
    const target = createApiTarget(api, ({ rows }: Import) => show(rows.read));
    try {
      save();
      await createWriter(target, { state: written, save })(plan);
      removeProgress(key);
      setInterrupted(undefined);
      setState({ stage: 'done', ...chosen });
    } catch (thrown) {
      setState({ stage: 'failed', ...chosen, error: errorOf(thrown) });
    }
    await queries.invalidateQueries();
  }

  return {
    ...{ state, interrupted, choose, write },
    /** Starts over next time. */
    forget() {
      removeProgress(key);
      setInterrupted(undefined);
    },
  };
}

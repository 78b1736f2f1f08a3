import type { Import } from '@marketing-platform/sdk';
import type { MovedSuppression } from './records.ts';

export type NewSuppression = Omit<MovedSuppression, 'kind' | 'email'> & { email?: string; domain?: string };
export type SuppressionResults = {
  results: { index: number; error?: { message: string } | undefined }[];
  counts: { created: number; unchanged: number; error: number };
};

export type ImportQuery = {
  start_workflows: 'false';
  default_consent: 'pending';
  match_on?: 'any';
  add_to_segment_id?: string;
};

export type NewTemplate = { name: string; html: string; subject?: string };

export type Tracked = { results: { status: 'accepted' | 'duplicate' | 'rejected'; message?: string | undefined }[] };
/** Takes up to 1,000 events of at most 1 MiB. */
export type Track = (events: readonly object[]) => Promise<Tracked>;

/** The account that everything is written to, by its public API: from the command line with a key, in the dashboard as its user. */
export type Target = {
  suppress: (suppressions: readonly NewSuppression[]) => Promise<SuppressionResults>;
  createImport: (file: Blob, query: ImportQuery, idempotencyKey: string) => Promise<Import>;
  getImport: (id: string) => Promise<Import>;
  /** Resolves when the import has ended. */
  followImport: (job: Import) => Promise<Import>;
  /** The rows with errors, as CSV. */
  importErrors: (id: string) => Promise<string>;
  findStaticSegment: (name: string) => Promise<string | undefined>;
  createStaticSegment: (name: string, idempotencyKey: string) => Promise<string>;
  templateNames: () => Promise<string[]>;
  /** Undefined if it was created, or why the platform rejects it. */
  createTemplate: (template: NewTemplate) => Promise<string | undefined>;
};

import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from './error-alert.tsx';

type Props<Data> = {
  /** The resource, such as "the contact". */
  of: string;
  query: { data: Data | undefined; error: Error | null; refetch: () => Promise<unknown> };
  children: (data: Data) => ReactNode;
};

/** A resource in every state: loading, failed, or loaded. What was loaded stays when loading it again fails. */
export function Loaded<Data>({ of, query: { data, error, refetch }, children }: Props<Data>) {
  return (
    <>
      {error && <ErrorAlert error={error} title={`Couldn't load ${of}`} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton height={320} role="status" aria-label={`Loading ${of}`} />}
      {data !== undefined && children(data)}
    </>
  );
}

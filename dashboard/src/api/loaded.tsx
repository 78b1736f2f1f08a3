import { type ReactNode, useDeferredValue } from 'react';
import { ErrorAlert } from './error-alert.tsx';
import { Outline, type Shape } from './outline.tsx';

type Props<Data> = {
  /** The resource, such as "the contact". */
  of: string;
  /** What the page will look like. */
  shape?: Shape;
  query: { data: Data | undefined; error: Error | null; refetch: () => Promise<unknown> };
  children: (data: Data) => ReactNode;
};

/** A resource in every state: loading, failed, or loaded. What was loaded stays when loading it again fails. */
export function Loaded<Data>({ of, shape = 'panels', query: { data: latest, error, refetch }, children }: Props<Data>) {
  // What arrives first is rendered in pieces, so that the page stays responsive.
  const isShown = useDeferredValue(latest !== undefined);
  const data = isShown ? latest : undefined;
  return (
    <>
      {error && <ErrorAlert error={error} title={`Couldn't load ${of}`} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Outline of={of} shape={shape} />}
      {data !== undefined && children(data)}
    </>
  );
}

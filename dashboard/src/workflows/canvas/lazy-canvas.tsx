import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ErrorAlert } from '../../api/error-alert.tsx';
import { Outline } from '../../api/outline.tsx';
import type { CanvasProps } from './canvas.tsx';

export const loadCanvas = () => import('./canvas.tsx').then(({ Canvas }) => ({ default: Canvas }));

const Loaded = lazy(loadCanvas);

/** The canvas, which is loaded when it is first shown. What cannot be drawn does not take the page with it. */
export const Canvas = (props: CanvasProps) => (
  <CatchBoundary
    getResetKey={() => JSON.stringify(props.definition)}
    errorComponent={({ error }) => (
      <ErrorAlert error={error instanceof Error ? error : new Error(String(error))} title="Couldn't draw the workflow" />
    )}
  >
    <Suspense fallback={<Outline of="the canvas" shape="steps" />}>
      <Loaded {...props} />
    </Suspense>
  </CatchBoundary>
);

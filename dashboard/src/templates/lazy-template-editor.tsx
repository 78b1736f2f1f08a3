import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import type { TemplateEditorProps } from './template-editor.tsx';

const Loaded = lazy(() => import('./template-editor.tsx'));

/** The editor of a template, which is loaded when it is first shown. If it can't be loaded, the page around it stays. */
export const TemplateEditor = (props: TemplateEditorProps) => (
  <CatchBoundary
    getResetKey={() => props.id ?? ''}
    errorComponent={({ error }) => (
      <ErrorAlert error={error instanceof Error ? error : new Error(String(error))} title="Couldn't open the editor" />
    )}
  >
    <Suspense fallback={<Outline of="the editor" shape="form" />}>
      <Loaded {...props} />
    </Suspense>
  </CatchBoundary>
);

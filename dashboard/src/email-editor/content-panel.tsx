import { Alert, Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, use, useState } from 'react';
import { Outline } from '../api/outline.tsx';
import { useBrand } from '../brand/brand.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { type ContentDraft, type ContentForm, partsOf } from '../email-design/content.ts';
import { type EmailDesign, newDesign } from '../email-design/design.ts';
import { blank } from '../email-design/starters.ts';
import classes from '../form/editor.module.css';
import { FormContext } from '../form/form-context.ts';
import { isEqual } from '../json/is-equal.ts';
import { Panel } from '../page/panel.tsx';
import { EmailChecks } from './email-checks.tsx';
import { EmailPreview, problemsOf, type Sendable, useContentPreview } from './email-preview.tsx';
import { type Sender, SendTest } from './send-test.tsx';
import { SubjectFields } from './subject-fields.tsx';
import { useChecks } from './use-checks.ts';

// The editors are large, and are loaded when an email is opened.
const EmailEditor = lazy(() => import('./email-editor.tsx'));
const HtmlEditor = lazy(() => import('./html-editor.tsx'));

type Props = {
  form: ContentForm;
  sender?: Sender | undefined;
  /** The campaign, if it is saved as it is shown. */
  savedId?: string | undefined;
  /** Whether the email can read `data`, as templates of messages do. */
  readsData?: boolean;
  action?: ReactNode;
};

const previewAfterMs = 500;

/** The content of an email: written in blocks or as HTML, previewed, checked and sent as a test. */
export function ContentPanel({ form, sender, savedId, readsData = false, action }: Props) {
  const { values, errors } = form;
  const [view, setView] = useState('edit');
  const [contactId, setContactId] = useState<string>();
  const parts = partsOf(values);
  const content: Sendable = { ...parts, subject: values.subject, preview_text: values.preview_text };
  const [settled] = useDebouncedValue(content, previewAfterMs, { leading: true });
  const preview = useContentPreview(settled, contactId, readsData);
  const checks = useChecks({
    ...{ content, fromEmail: sender?.email ?? '', error: preview.error },
    preview: view === 'preview' ? preview.data?.html : undefined,
    savedId: view === 'preview' ? savedId : undefined,
  });
  const inDesign = values.design && (errors.html ?? errors.design ?? errors.text);

  return (
    <Panel
      title="Content"
      action={
        <Group gap="xs">
          {action}
          <SegmentedControl
            size="xs"
            aria-label="View"
            data={[
              { value: 'edit', label: 'Edit' },
              { value: 'preview', label: `Preview and checks${checks.length > 0 ? ` (${checks.length})` : ''}` },
            ]}
            value={view}
            onChange={setView}
          />
        </Group>
      }
    >
      <Stack gap="sm">
        <SubjectFields form={form} />
        {/* Hidden and not removed: the editor keeps what it can undo. */}
        <div hidden={view !== 'edit'}>
          <Stack gap="sm">
            <Writing form={form} error={preview.error} />
          </Stack>
        </div>
        {inDesign && (
          <Text size="sm" c="red" role="alert">
            {inDesign}
          </Text>
        )}
        {view === 'preview' && (
          <>
            <Group justify="space-between" align="start">
              <EmailChecks checks={checks} />
              <SendTest content={content} sender={sender} contactId={contactId} />
            </Group>
            <EmailPreview content={settled} preview={preview} contactId={contactId} onContact={setContactId} />
          </>
        )}
      </Stack>
    </Panel>
  );
}

/** The editor for how the email is written. */
function Writing({ form, error }: { form: ContentForm; error: Error | null }) {
  const { values, setValues } = form;
  const isDisabled = use(FormContext)?.isPending ?? false;
  const loading = <Outline of="the editor" shape="email" />;
  if (values.mjml !== null && !values.design) {
    return (
      <Alert color="gray" title="This email is written in MJML">
        <Text size="sm">You can change its MJML through the API. To edit it here, convert it to HTML.</Text>
        <Button variant="default" size="xs" mt="sm" onClick={() => setValues({ mjml: null })}>
          Convert to HTML
        </Button>
      </Alert>
    );
  }
  return (
    <>
      <FormatChoice values={values} setValues={setValues} />
      {values.design && <OldBrand design={values.design} onChange={(design) => setValues({ design })} />}
      <Suspense fallback={loading}>
        {values.design ? (
          <EmailEditor
            key={keyOf(values.design)}
            design={values.design}
            isDisabled={isDisabled}
            onChange={(design) => {
              keepKey(values.design, design);
              setValues({ design });
            }}
          />
        ) : (
          <HtmlEditor
            value={values.html}
            problems={[...problemsOf(error, '/html'), ...failedHtml(form)]}
            isDisabled={isDisabled}
            onChange={(html) => setValues({ html })}
          />
        )}
      </Suspense>
      {!values.design && (
        <Textarea
          label="Plain text"
          description="Leave empty to generate it from the HTML."
          autosize
          minRows={2}
          classNames={{ input: classes.source ?? '' }}
          {...form.getInputProps('text')}
        />
      )}
    </>
  );
}

/** Offers the current brand to an email that was made with an earlier one. */
function OldBrand({ design, onChange }: { design: EmailDesign; onChange: (design: EmailDesign) => void }) {
  const { data: brand } = useBrand();
  if (!brand || isEqual(brand, design.brand)) return null;
  return (
    <Alert color="gray" role="note" title="Your brand has changed since this email was written">
      <Button
        variant="default"
        size="xs"
        // Another document, so that the editor reads it again.
        onClick={() => onChange({ ...design, brand, doc: { ...design.doc } })}
      >
        Use the current brand
      </Button>
    </Alert>
  );
}

/** The API's response when the email was saved. */
const failedHtml = ({ errors }: ContentForm) => (typeof errors.html === 'string' ? [{ line: undefined, message: errors.html }] : []);

/**
 * The editor reads a design once. Designs that it reported itself have the key of the one they were made from; any other, such as a
 * template that was chosen, gets a new key.
 */
const keys = new WeakMap<object, number>();
let lastKey = 0;

function keyOf(design: EmailDesign): number {
  const known = keys.get(design.doc);
  if (known !== undefined) return known;
  lastKey += 1;
  keys.set(design.doc, lastKey);
  return lastKey;
}

function keepKey(before: EmailDesign | null, after: EmailDesign) {
  if (before) keys.set(after.doc, keyOf(before));
}

const formats = [
  { value: 'blocks', label: 'Blocks' },
  { value: 'html', label: 'HTML' },
];

/** Blocks or HTML. Blocks become HTML without loss; HTML does not become blocks. */
function FormatChoice({ values, setValues }: { values: ContentDraft; setValues: ContentForm['setValues'] }) {
  const { data: brand } = useBrand();
  const [left, setLeft] = useState<EmailDesign>();
  const [isAsking, setAsking] = useState(false);
  const toHtml = (design: EmailDesign) => {
    setLeft(design);
    setValues({ ...partsOf({ ...values, design }), text: '', design: null });
  };
  const toBlocks = () => {
    setAsking(false);
    if (brand) setValues({ design: left ?? newDesign(brand, blank), mjml: null });
  };
  return (
    <>
      <SegmentedControl
        size="xs"
        w={160}
        aria-label="Format"
        data={formats}
        value={values.design ? 'blocks' : 'html'}
        onChange={(format) => {
          if (format === 'html' && values.design) toHtml(values.design);
          else if (values.html.trim() === '') toBlocks();
          else setAsking(true);
        }}
      />
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Replace the HTML with blocks?"
        confirm="Replace the HTML"
        failed="Couldn't replace the HTML"
        isPending={false}
        error={null}
        onConfirm={toBlocks}
      >
        <Text size="sm">
          {left
            ? 'This restores the blocks you had before you switched to HTML. Later changes to the HTML are lost.'
            : 'HTML can’t be converted to blocks. You start with an empty email.'}
        </Text>
      </ConfirmDialog>
    </>
  );
}

import '@mp/move-in/without-eval';
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { counted } from '../numbers/format-number.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { useMe } from '../session/session-query.ts';
import { draftKey } from '../session/stored-draft.ts';
import { ArchiveField } from './archive-field.tsx';
import { archives, isSystem, type System, systems } from './archives.ts';
import { LeaveImport } from './leave-import.tsx';
import { MoveInProgress } from './move-in-progress.tsx';
import { MoveInReport } from './move-in-report.tsx';
import { useMoveIn } from './use-move-in.ts';

/** Moves in from another system: a dry run of its export, and the import. */
export function MoveInPage() {
  const { data: me } = useMe();
  return (
    <Page
      title="Move in"
      describes="Import contacts with consent, lists, tags and suppressions from another system. Nothing is sent, and no workflow starts."
      back={<BackLink to="/contacts/imports">Imports</BackLink>}
    >
      {me && <MoveInFlow storageKey={draftKey({ accountId: me.account.id, userId: me.id }, 'move-in')} />}
    </Page>
  );
}

function MoveInFlow({ storageKey }: { storageKey: string }) {
  const { state, interrupted, choose, write, forget } = useMoveIn(storageKey);
  const [system, setSystem] = useState<System>(interrupted && isSystem(interrupted.system) ? interrupted.system : 'mailchimp');
  const [isAsking, setAsking] = useState(false);
  const [isRejected, setRejected] = useState(false);
  const { stage } = state;
  const file = 'file' in state ? state.file : null;
  const isOpen = stage === 'choose' || stage === 'reading' || stage === 'ready';
  return (
    <Stack gap="lg" maw={900}>
      <LeaveImport when={stage === 'writing'} />
      {isOpen && interrupted && (
        <Alert color="yellow" title={`The import of ${interrupted.file} was interrupted`}>
          <Stack gap="sm" align="flex-start">
            <Text size="sm">Choose the same file again to resume the import.</Text>
            <Button variant="default" size="xs" onClick={forget}>
              Start over
            </Button>
          </Stack>
        </Alert>
      )}
      {isOpen && (
        <Panel title="Export">
          <Stack gap="md">
            <SegmentedControl
              aria-label="The other system"
              data={systems}
              value={system}
              onChange={(chosen) => {
                if (!isSystem(chosen)) return;
                setSystem(chosen);
                void choose(chosen, file);
              }}
            />
            <ArchiveField
              file={file}
              describes={archives[system].describes}
              onChange={(chosen) => {
                setRejected(false);
                void choose(system, chosen);
              }}
              onReject={() => setRejected(true)}
              error={isRejected ? 'Choose one ZIP or CSV file of up to 1 GiB.' : undefined}
            />
            <Text size="sm" c="dimmed">
              The file is read in this browser. With an API key, mp imports more: templates, complaints, and what has no export.
            </Text>
            <CommandLine label="the command">{`mp import --from ${system} --dry-run`}</CommandLine>
          </Stack>
        </Panel>
      )}
      {stage === 'choose' && state.error && <ErrorAlert error={state.error} title="Couldn't read the export" />}
      {stage === 'reading' && <Outline doing="Reading" of="the export" shape="rows" count={4} />}
      {stage === 'ready' && <MoveInReport report={state.plan.report} />}
      {stage === 'failed' && <ErrorAlert error={state.error} title="The import was interrupted" />}
      {(stage === 'writing' || stage === 'failed' || stage === 'done') && (
        <MoveInProgress {...state} isOver={stage === 'done'} isInterrupted={stage === 'failed'} />
      )}
      <Group justify="flex-end" gap="sm">
        {stage === 'ready' && (
          <Button disabled={state.plan.rows.length === 0 && state.plan.suppressions.length === 0} onClick={() => setAsking(true)}>
            {state.isContinued ? 'Resume the import' : `Import ${counted(state.plan.rows.length, 'contact')}…`}
          </Button>
        )}
        {stage === 'failed' && <Button onClick={() => void write(state)}>Continue</Button>}
        {stage === 'done' && <ButtonLink to="/contacts">Show contacts</ButtonLink>}
      </Group>
      {stage === 'ready' && (
        <ConfirmDialog
          opened={isAsking}
          onClose={() => setAsking(false)}
          title={`Import from ${archives[state.system].title}?`}
          confirm={`Import ${counted(state.plan.rows.length, 'contact')}`}
          isHarmless
          isPending={false}
          error={null}
          failed="Couldn't start the import"
          onConfirm={() => {
            setAsking(false);
            void write(state);
          }}
        >
          <Text size="sm">
            Suppressions come first, then contacts, lists and templates. Nothing is sent, and no workflow starts. Keep this page open until
            it is done.
          </Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}

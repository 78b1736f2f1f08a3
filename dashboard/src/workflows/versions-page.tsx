import { Button, NativeSelect, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import type { Mark } from './canvas/card-node.tsx';
import { Canvas } from './canvas/lazy-canvas.tsx';
import { useStepNames } from './step-names.ts';
import { changesOf, marksOf } from './version-changes.ts';
import classes from './versions-page.module.css';
import { WorkflowTabs } from './workflow-tabs.tsx';
import { useVersions, useWorkflow, type WorkflowVersion } from './workflows.ts';

/** The versions of a workflow, newest first, with their changes. */
export function VersionsPage() {
  const { id } = useParams({ from: '/signed-in/workflows/$id/versions' });
  const { data: workflow } = useWorkflow(id);
  const { rows, error, isPending, hasMore, isLoadingMore, loadMore, reload } = useVersions(id);
  return (
    <Page
      title={workflow ? `Versions of ${workflow.name}` : 'Versions'}
      describes="Every change to an activated workflow creates a version. Active runs stay on the version they started with."
      back={
        <BackLink to="/workflows/$id" params={{ id }}>
          {workflow?.name ?? 'Workflow'}
        </BackLink>
      }
    >
      <WorkflowTabs id={id} />
      {error && <ErrorAlert error={error} title="Couldn't load the versions" onRetry={() => void reload()} />}
      {isPending && <Outline of="the versions" />}
      {rows.length > 1 && <Comparison versions={rows} />}
      {rows.length > 0 && (
        <Panel title="Versions">
          {rows.map((version, index) => (
            <Version key={version.version} version={version} before={rows[index + 1]} isNow={version.version === workflow?.version} />
          ))}
          {hasMore && (
            <Button variant="default" mt="md" loading={isLoadingMore} onClick={() => void loadMore()}>
              Load more
            </Button>
          )}
        </Panel>
      )}
    </Page>
  );
}

type Props = { version: WorkflowVersion; before: WorkflowVersion | undefined; isNow: boolean };

function Version({ version, before, isNow }: Props) {
  const [isShown, setShown] = useState(false);
  const title = `Version ${version.version}`;
  return (
    <section className={classes.version} aria-label={title}>
      <header className={classes.head}>
        <Title order={3} size="h6">
          {title}
          {isNow && ', current'}
        </Title>
        <Text size="xs" c="dimmed">
          <RelativeTime at={version.created_at} />
        </Text>
      </header>
      {before && (
        <ul className={classes.changes} aria-label="Changes">
          {changesOf(version, before).map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      {version.version === 1 && (
        <Text size="sm" c="dimmed" my={6}>
          First version
        </Text>
      )}
      <details className={classes.steps} onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>Show steps</summary>
        {isShown && <Steps version={version} label={`Steps of version ${version.version}`} />}
      </details>
    </section>
  );
}

function Steps({ version, label, marks }: { version: WorkflowVersion; label: string; marks?: ReadonlyMap<string, Mark> }) {
  const named = useStepNames(version);
  return <Canvas label={label} definition={version} named={named} marks={marks} />;
}

/** Two versions side by side. The earlier one marks what was removed, the later one what was added or changed. */
function Comparison({ versions }: { versions: readonly WorkflowVersion[] }) {
  const [numbers, setNumbers] = useState<{ earlier: number; later: number }>();
  const [newest, second] = versions;
  const find = (number: number | undefined) => versions.find(({ version }) => version === number);
  const earlier = find(numbers?.earlier) ?? second;
  const later = find(numbers?.later) ?? newest;
  if (!earlier || !later) return null;
  const data = versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` }));
  const choose = (side: 'earlier' | 'later', number: number) =>
    setNumbers({ earlier: earlier.version, later: later.version, [side]: number });
  return (
    <Panel title="Compare">
      <div className={classes.sides}>
        {(['earlier', 'later'] as const).map((side) => {
          const version = side === 'earlier' ? earlier : later;
          return (
            <div key={side} className={classes.side}>
              <NativeSelect
                aria-label={side === 'earlier' ? 'Compare version' : 'With version'}
                w={160}
                mb="sm"
                data={data}
                value={String(version.version)}
                onChange={(event) => choose(side, Number(event.currentTarget.value))}
              />
              <Steps
                version={version}
                label={`Version ${version.version}`}
                marks={side === 'earlier' ? marksOf(later, earlier).before : marksOf(later, earlier).after}
              />
            </div>
          );
        })}
      </div>
    </Panel>
  );
}

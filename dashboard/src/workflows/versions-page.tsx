import { Button, Skeleton, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { useNames } from '../segments/names.ts';
import { BackLink, Page } from '../shell/page.tsx';
import { Panel } from '../shell/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { changesOf } from './version-changes.ts';
import classes from './versions-page.module.css';
import { WorkflowFlow } from './workflow-flow.tsx';
import { useVersions, useWorkflow, type WorkflowVersion } from './workflows.ts';

const noCounts = new Map();

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
      {error && <ErrorAlert error={error} title="Couldn't load the versions" onRetry={() => void reload()} />}
      {isPending && <Skeleton height={240} role="status" aria-label="Loading the versions" />}
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
  const { named } = useNames();
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
      <details className={classes.steps}>
        <summary>Show steps</summary>
        <WorkflowFlow workflow={version} named={named} counts={noCounts} />
      </details>
    </section>
  );
}

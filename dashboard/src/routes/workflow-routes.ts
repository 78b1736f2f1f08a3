import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workflowSearch } from '../workflows/workflow-search.ts';
import { getParentRoute } from './signed-in-route.ts';

const workflows = createRoute({
  getParentRoute,
  path: '/workflows',
  validateSearch: workflowSearch,
  component: lazyRouteComponent(() => import('../workflows/workflows-page.tsx'), 'WorkflowsPage'),
});

const newWorkflow = createRoute({
  getParentRoute,
  path: '/workflows/new',
  validateSearch: ({ segment }: Record<string, unknown>): { segment?: string } => (typeof segment === 'string' ? { segment } : {}),
  component: lazyRouteComponent(() => import('../workflows/new-workflow-page.tsx'), 'NewWorkflowPage'),
});

const workflow = createRoute({
  getParentRoute,
  path: '/workflows/$id',
  component: lazyRouteComponent(() => import('../workflows/workflow-page.tsx'), 'WorkflowPage'),
});

const editWorkflow = createRoute({
  getParentRoute,
  path: '/workflows/$id/edit',
  component: lazyRouteComponent(() => import('../workflows/edit-workflow-page.tsx'), 'EditWorkflowPage'),
});

const simulation = createRoute({
  getParentRoute,
  path: '/workflows/$id/simulate',
  component: lazyRouteComponent(() => import('../workflows/simulate-page.tsx'), 'SimulatePage'),
});

const versions = createRoute({
  getParentRoute,
  path: '/workflows/$id/versions',
  component: lazyRouteComponent(() => import('../workflows/versions-page.tsx'), 'VersionsPage'),
});

const run = createRoute({
  getParentRoute,
  path: '/workflows/runs/$runId',
  component: lazyRouteComponent(() => import('../workflows/run-page.tsx'), 'RunPage'),
});

export const workflowRoutes = [workflows, newWorkflow, workflow, editWorkflow, simulation, versions, run] as const;

import { PageTabs, TabLink } from '../page/page-tabs.tsx';

/** The pages of one workflow. */
export const WorkflowTabs = ({ id }: { id: string }) => (
  <PageTabs label="Pages of the workflow">
    <TabLink to="/workflows/$id" params={{ id }} activeOptions={{ exact: true }}>
      Report
    </TabLink>
    <TabLink to="/workflows/$id/versions" params={{ id }}>
      Versions
    </TabLink>
    <TabLink to="/workflows/$id/simulate" params={{ id }}>
      Simulation
    </TabLink>
  </PageTabs>
);

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { SegmentForm, segmentDraftOf } from './segment-form.tsx';
import { type Segment, useSegment, useUpdateSegment } from './segments.ts';

export function EditSegmentPage() {
  const { id } = useParams({ from: '/signed-in/segments/$id/edit' });
  const query = useSegment(id);
  return (
    <Page
      title={query.data ? `Edit ${query.data.name}` : 'Edit segment'}
      back={
        <BackLink to="/segments/$id" params={{ id }}>
          Segment
        </BackLink>
      }
    >
      <Loaded of="the segment" shape="form" query={query}>
        {(segment) => <Edit segment={segment} load={() => query.refetch({ throwOnError: true })} />}
      </Loaded>
    </Page>
  );
}

function Edit({ segment, load }: { segment: Segment; load: () => Promise<{ data: Segment | undefined }> }) {
  const finish = useFinishForm();
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(segment);
  const { id } = opened;
  const [revision, setRevision] = useState(opened.revision);
  const update = useUpdateSegment({ id, revision });
  return (
    <SegmentForm
      segment={opened}
      submit="Save"
      failed="Couldn't update the segment"
      saving={update}
      kept={{
        name: `segment ${id}`,
        stored: {
          revision,
          onRevision: setRevision,
          current: async () => {
            const { data = segment } = await load();
            return { values: segmentDraftOf(data), revision: data.revision };
          },
        },
      }}
      cancel={
        <ButtonLink to="/segments/$id" params={{ id }} variant="default">
          Cancel
        </ButtonLink>
      }
      onSubmit={(wanted) => update.mutate(wanted, { onSuccess: () => finish('Saved.', { to: '/segments/$id', params: { id } }) })}
    />
  );
}

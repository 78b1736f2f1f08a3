import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { SegmentForm, segmentDraftOf } from './segment-form.tsx';
import { SegmentStatus } from './segment-status.tsx';
import { type Segment, useSegment, useUpdateSegment } from './segments.ts';

export function EditSegmentPage() {
  const { id } = useParams({ from: '/signed-in/segments/$id/edit' });
  const query = useSegment(id);
  return (
    <LoadedEditor of="the segment" query={query} title="Edit segment" back={<EditorBack to="/segments/$id" params={{ id }} />}>
      {(segment) => <Edit key={id} segment={segment} load={() => query.refetch({ throwOnError: true })} />}
    </LoadedEditor>
  );
}

function Edit({ segment, load }: { segment: Segment; load: () => Promise<{ data: Segment | undefined }> }) {
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(segment);
  const { id } = opened;
  const [revision, setRevision] = useState(opened.revision);
  const [savedName, setSavedName] = useState(opened.name);
  const update = useUpdateSegment({ id, revision });
  return (
    <SegmentForm
      segment={opened}
      title={`Edit ${savedName}`}
      back={<EditorBack to="/segments/$id" params={{ id }} />}
      status={<SegmentStatus status={segment.status} />}
      live={opened.definition ? 'Saving evaluates every contact again.' : undefined}
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
      onSubmit={(wanted, onDone) =>
        update.mutate(wanted, {
          onSuccess: (saved) => {
            setRevision(saved.revision);
            setSavedName(saved.name);
            onDone();
          },
        })
      }
    />
  );
}

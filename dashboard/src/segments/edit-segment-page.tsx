import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { StartedWorkflows } from '../bulk-jobs/started-workflows.tsx';
import { EditorBack, LoadedEditor } from '../editor/editor-frame.tsx';
import { SegmentForm, segmentDraftOf } from './segment-form.tsx';
import { SegmentStatus } from './segment-status.tsx';
import { type Definition, type Segment, useSegment, useUpdateSegment } from './segments.ts';
import { useSegmentPreview } from './use-segment-preview.ts';

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
  const [isStarting, setStarting] = useState(true);
  return (
    <SegmentForm
      segment={opened}
      title={`Edit ${savedName}`}
      back={<EditorBack to="/segments/$id" params={{ id }} />}
      status={<SegmentStatus status={segment.status} />}
      live={opened.definition ? 'Saving evaluates every contact again.' : undefined}
      ask={(changed) => <Started id={id} changed={changed} isStarting={isStarting} onChange={setStarting} />}
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
        update.mutate(
          { ...wanted, startsWorkflows: isStarting },
          {
            onSuccess: (saved) => {
              setRevision(saved.revision);
              setSavedName(saved.name);
              setStarting(true);
              onDone();
            },
          },
        )
      }
    />
  );
}

type StartedProps = { id: string; changed: Definition; isStarting: boolean; onChange: (isStarting: boolean) => void };

/** What the contacts start that enter or leave because of the changed conditions. */
function Started({ id, changed, isStarting, onChange }: StartedProps) {
  const entering = useSegmentPreview({ all: [changed, { segment: id, op: 'not_in' }] });
  const leaving = useSegmentPreview({ all: [{ segment: id }, { not: changed }] });
  const counted = ({ data, isPlaceholderData }: typeof entering) => (data?.exact && !isPlaceholderData ? data.count : undefined);
  return (
    <StartedWorkflows
      title="Workflows"
      counts={{ segment_entered: counted(entering), segment_left: counted(leaving) }}
      segmentId={id}
      who="Contacts that enter or leave the segment by this change"
      unknown="Counting the runs…"
      isStarting={isStarting}
      onChange={onChange}
    />
  );
}

import { Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { SegmentForm } from './segment-form.tsx';
import { type Segment, useSegment, useUpdateSegment } from './segments.ts';

export function EditSegmentPage() {
  const { id } = useParams({ from: '/signed-in/segments/$id/edit' });
  const { data: segment, error, refetch } = useSegment(id);
  return (
    <Page
      title={segment ? `Edit ${segment.name}` : 'Edit segment'}
      back={
        <BackLink to="/segments/$id" params={{ id }}>
          Segment
        </BackLink>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the segment" onRetry={() => void refetch()} />}
      {!segment && !error && <Skeleton height={320} role="status" aria-label="Loading the segment" />}
      {segment && <Edit segment={segment} />}
    </Page>
  );
}

function Edit({ segment }: { segment: Segment }) {
  const navigate = useNavigate();
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(segment);
  const { mutate, isPending, error } = useUpdateSegment(opened);
  return (
    <SegmentForm
      segment={opened}
      submit="Save"
      failed="Couldn't update the segment"
      isPending={isPending}
      error={error}
      onSubmit={(wanted) =>
        mutate(wanted, {
          onSuccess: ({ id }) => {
            notifications.show({ message: 'Saved.' });
            void navigate({ to: '/segments/$id', params: { id }, ignoreBlocker: true });
          },
        })
      }
    />
  );
}

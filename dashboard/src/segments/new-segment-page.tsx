import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { BackLink, Page } from '../shell/page.tsx';
import { SegmentForm } from './segment-form.tsx';
import { useCreateSegment } from './segments.ts';

export function NewSegmentPage() {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useCreateSegment();
  return (
    <Page title="New segment" back={<BackLink to="/segments">Segments</BackLink>}>
      <SegmentForm
        submit="Create segment"
        failed="Couldn't create the segment"
        isPending={isPending}
        error={error}
        onSubmit={(wanted) =>
          mutate(wanted, {
            onSuccess: ({ id, name }) => {
              notifications.show({ message: `${name} was created.` });
              void navigate({ to: '/segments/$id', params: { id }, ignoreBlocker: true });
            },
          })
        }
      />
    </Page>
  );
}

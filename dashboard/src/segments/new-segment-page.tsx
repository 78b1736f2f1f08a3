import { useFinishForm } from '../form/use-finish-form.ts';
import { NewPage } from '../page/new-page.tsx';
import { SegmentForm } from './segment-form.tsx';
import { useCreateSegment } from './segments.ts';

export function NewSegmentPage() {
  const finish = useFinishForm();
  const creation = useCreateSegment();
  return (
    <NewPage title="New segment" list="/segments" of="Segments">
      {(cancel) => (
        <SegmentForm
          kept={{ name: 'new segment' }}
          submit="Create segment"
          failed="Couldn't create the segment"
          saving={creation}
          cancel={cancel}
          onSubmit={(wanted) =>
            creation.mutate(wanted, {
              onSuccess: ({ id, name }) => finish(`${name} was created.`, { to: '/segments/$id', params: { id } }),
            })
          }
        />
      )}
    </NewPage>
  );
}

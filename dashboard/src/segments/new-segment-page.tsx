import { EditorBack } from '../editor/editor-frame.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { SegmentForm } from './segment-form.tsx';
import { useCreateSegment } from './segments.ts';

export function NewSegmentPage() {
  const finish = useFinishForm();
  const creation = useCreateSegment();
  return (
    <SegmentForm
      title="New segment"
      back={<EditorBack to="/segments" />}
      kept={{ name: 'new segment' }}
      submit="Create segment"
      failed="Couldn't create the segment"
      saving={creation}
      onSubmit={(wanted) =>
        creation.mutate(wanted, {
          onSuccess: ({ id, name }) => finish(`${name} was created.`, { to: '/segments/$id', params: { id } }),
        })
      }
    />
  );
}

import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { SegmentForm } from './segment-form.tsx';
import { useCreateSegment } from './segments.ts';

export function NewSegmentPage() {
  const finish = useFinishForm();
  const creation = useCreateSegment();
  return (
    <Page title="New segment" back={<BackLink to="/segments">Segments</BackLink>}>
      <SegmentForm
        kept={{ name: 'new segment' }}
        submit="Create segment"
        failed="Couldn't create the segment"
        saving={creation}
        cancel={
          <ButtonLink to="/segments" variant="default">
            Cancel
          </ButtonLink>
        }
        onSubmit={(wanted) =>
          creation.mutate(wanted, {
            onSuccess: ({ id, name }) => finish(`${name} was created.`, { to: '/segments/$id', params: { id } }),
          })
        }
      />
    </Page>
  );
}

import { Stack } from '@mantine/core';
import { Loaded } from '../api/loaded.tsx';
import { Outline } from '../api/outline.tsx';
import { Page } from '../page/page.tsx';
import { useBrand } from './brand.ts';
import { BrandForm } from './brand-form.tsx';

/** Settings → Brand. */
export function BrandPage() {
  const query = useBrand();
  return (
    <Page title="Brand" describes="Logo, colors and footer of your emails. New emails use them; existing ones don't change.">
      {query.isPending && <Outline of="the brand" shape="form" />}
      <Stack gap="lg">
        <Loaded of="the brand" shape="form" query={query}>
          {(brand) => <BrandForm brand={brand} />}
        </Loaded>
      </Stack>
    </Page>
  );
}

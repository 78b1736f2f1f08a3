import { Text } from '@mantine/core';
import { IconTicket } from '@tabler/icons-react';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { count } from '../numbers/format-number.ts';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Coupon, useCoupons, useDeleteCoupon } from './coupons.ts';
import { CreateCoupon } from './create-coupon.tsx';

const columns: readonly Column<Coupon>[] = [
  {
    name: 'Coupon',
    width: 'minmax(0, 2fr)',
    cell: ({ name, description }) => (
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {description ?? `{{ coupon.${name} }}`}
        </Text>
      </div>
    ),
  },
  {
    name: 'Codes left',
    width: '130px',
    alignEnd: true,
    cell: ({ codes_left, codes_count }) => (codes_left === null ? 'Shared' : `${count(codes_left)} of ${count(codes_count)}`),
  },
  { name: 'Expires', width: '140px', wideOnly: true, cell: ({ expires_at }) => (expires_at ? <RelativeTime at={expires_at} /> : 'Never') },
  { name: 'Created', width: '138px', wideOnly: true, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
];

const actions: Column<Coupon> = { name: 'Actions', width: '98px', alignEnd: true, cell: (coupon) => <DeleteCoupon coupon={coupon} /> };

export function CouponsPage() {
  const coupons = useCoupons();
  const { mayWrite } = usePermission('campaigns');
  return (
    <ListPage
      title="Coupons"
      describes="Codes that your emails hand out, one to each recipient."
      action={mayWrite && <CreateCoupon />}
      of="coupons"
      list={coupons}
      columns={mayWrite ? [...columns, actions] : columns}
      empty={
        <EmptyState title="No coupons yet" icon={IconTicket}>
          A coupon is a pool of voucher codes. An email that uses it gives each recipient one code, exactly once.
        </EmptyState>
      }
    />
  );
}

function DeleteCoupon({ coupon: { id, name } }: { coupon: Coupon }) {
  const deletion = useDeleteCoupon(id);
  return (
    <ConfirmButton
      label="Delete"
      description={`Delete ${name}`}
      title="Delete this coupon?"
      confirm="Delete coupon"
      failed="Couldn't delete the coupon"
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`${name} was deleted.`}
    >
      <Text size="sm">
        <strong>{name}</strong> and its codes are deleted. Reports keep the codes that were handed out. This can't be undone.
      </Text>
    </ConfirmButton>
  );
}

import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { EditCredential } from '../secrets/edit-credential.tsx';
import { ApiKeyCards } from './api-key-cards.tsx';
import { ApiKeyTable } from './api-key-table.tsx';
import { type ApiKey, useChangeApiKey } from './api-keys.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';

/** The keys as a table, or as cards on narrow screens. */
export function ApiKeyList({ keys }: { keys: readonly ApiKey[] }) {
  const [revoking, setRevoking] = useState<ApiKey>();
  const [changing, setChanging] = useState<ApiKey>();
  const change = useChangeApiKey();
  const [rotating, setRotating] = useState<ApiKey>();
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const Keys = isWide ? ApiKeyTable : ApiKeyCards;

  return (
    <>
      <Keys keys={keys} onRevoke={setRevoking} onRotate={setRotating} onChange={setChanging} />
      <EditCredential
        credential={changing}
        title="Edit key"
        failed="Couldn't update the key"
        saving={change}
        onClose={() => setChanging(undefined)}
      />
      <RotateKey apiKey={rotating} onClose={() => setRotating(undefined)} />
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />
    </>
  );
}

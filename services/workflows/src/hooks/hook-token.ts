import { type Keyring, sign, verify } from '@mp/contracts/keyring';
import { type AccountId, idPrefixes, trustedId, type WorkflowId } from '@mp/ids';

/** What the URL of a `webhook_received` trigger names. `generation` is that of the trigger, so that a URL can be replaced. */
export type Hook = { accountId: AccountId; workflowId: WorkflowId; generation: number };

const macBytes = 24;
const pattern = /^([0-9a-z]{26})([0-9a-z]{26})([1-9]\d{0,6})$/;

const suffix = (id: string) => id.slice(id.lastIndexOf('_') + 1);

/** `account workflow generation . key . code`: a secret that cannot be guessed, and that needs no storage. */
export const signHook = (keys: Keyring, { accountId, workflowId, generation }: Hook): string =>
  sign(keys, `${suffix(accountId)}${suffix(workflowId)}${generation}`, 'hook', macBytes);

/** Undefined if the signature is not valid. */
export function readHook(keys: Keyring, token: string): Hook | undefined {
  const text = verify(keys, token, 'hook', macBytes);
  const [, account, workflow, generation] = pattern.exec(text ?? '') ?? [];
  if (account === undefined || workflow === undefined) return undefined;
  return {
    accountId: trustedId<'account'>(`${idPrefixes.account}_${account}`),
    workflowId: trustedId<'workflow'>(`${idPrefixes.workflow}_${workflow}`),
    generation: Number(generation),
  };
}

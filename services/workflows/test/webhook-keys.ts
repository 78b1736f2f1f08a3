import { parseKeyring } from '@mp/contracts/keyring';

export const webhookKeys = parseKeyring(`test:${Buffer.alloc(32, 3).toString('base64url')}`);

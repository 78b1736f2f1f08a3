import { storedNames } from '@mp/service-kit/stored-names';
import { Definition } from './definition.ts';

const names = storedNames(Definition);

/** JSON, because rules and webhook bodies can have field names that MongoDB 4.0 does not accept. */
export const storedDefinition = (definition: Definition): string => JSON.stringify(names.stored(definition));

export const readDefinition = (stored: string): Definition => names.read(JSON.parse(stored));

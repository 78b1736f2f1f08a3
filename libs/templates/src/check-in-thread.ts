import { checkMessage } from './check-message.ts';

/** In a thread of its own: see `createTemplates`. */
export default checkMessage;

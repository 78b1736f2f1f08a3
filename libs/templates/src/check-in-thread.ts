import { checkMessage } from './check-message.ts';

/** Runs in a worker thread; see `createTemplates`. */
export default checkMessage;

/** What the page of a form tells the page that embeds it. */
export type FrameMessage = { mp: 'form' } & (
  | { kind: 'ready'; title: string; close: string }
  | { kind: 'size'; height: number }
  | { kind: 'submitted'; redirect?: string | undefined }
  | { kind: 'close' }
);

/** Whether the data of a message has this shape. Its origin and source must be checked before. */
export const isFrameMessage = (data: unknown): data is FrameMessage =>
  typeof data === 'object' && data !== null && Reflect.get(data, 'mp') === 'form';

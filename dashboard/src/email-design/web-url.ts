/** The URL of a page or an image on the web, or a field that holds one; empty if it is something else. */
export const webUrl = (value: string) => (/^(?:https?:\/\/|\{\{)/i.test(value.trim()) ? value.trim() : '');

const youtube =
  /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com\/(?:watch\?(?:[^#]*&)?v=|shorts\/|live\/|embed\/)|youtu\.be\/)([\w-]{11})(?![\w-])/i;

/** The picture that YouTube has of a video; empty for videos elsewhere. */
export function thumbnailOf(video: string): string {
  const id = youtube.exec(video.trim())?.[1];
  return id === undefined ? '' : `https://img.youtube.com/vi/${id}/hqdefault.jpg`;
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { Image } from '@marketing-platform/sdk';

const listed = ['images'];
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
export const maxImageBytes = 5 * 1_048_576;

/** The content of a file in base64. */
function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '');
  reader.onerror = () => reject(new Error(`${file.name} can't be read. Choose it again.`));
  reader.readAsDataURL(file);
  return promise;
}

export function useImages() {
  const api = useApi();
  return useList({
    queryKey: listed,
    page: (at, signal) => responseData(api.GET('/v2/campaigns/images', { params: { query: { limit: 24, ...at } }, signal })),
  });
}

export function useUploadImage() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      if (file.size > maxImageBytes) throw new Error(`${file.name} is larger than 5 MiB. Choose a smaller image.`);
      const content = await base64Of(file);
      return responseData(api.POST('/v2/campaigns/images', { body: { name: file.name, content } }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

/** Whether the response says that its body is JSON. A proxy in between may send a page instead. */
export const isJson = (response: Response): boolean => response.headers.get('content-type')?.includes('json') ?? false;

/** How long the old secret keeps working beside the new one, in seconds. */
export const graces = [
  { value: '0', label: 'Stops working now' },
  { value: '3600', label: 'Works for one more hour' },
  { value: '86400', label: 'Works for one more day' },
  { value: '604800', label: 'Works for seven more days' },
];

/** How long the old secret goes on working beside the new one. */
export const graces = [
  { value: '0', label: 'Ends at once' },
  { value: '3600', label: 'Works one more hour' },
  { value: '86400', label: 'Works one more day' },
  { value: '604800', label: 'Works seven more days' },
];

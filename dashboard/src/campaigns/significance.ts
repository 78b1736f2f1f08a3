/** How a report describes the certainty of a difference. */
export const significanceWords = {
  significant: 'The difference is statistically significant.',
  not_significant: 'The difference may be due to chance.',
  not_enough_data: 'There is not enough data to rule out chance.',
};

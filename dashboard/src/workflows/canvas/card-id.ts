/** The ID of a card on the canvas: that of a step, or of the trigger for null. */
export const cardId = (stepId: string | null) => (stepId === null ? 'trigger' : `step:${stepId}`);

/** Moves the focus to a card, if the canvas shows it. */
export function focusCard(within: ParentNode | null, stepId: string | null) {
  const card = within?.querySelector(`[data-card="${CSS.escape(cardId(stepId))}"]`);
  // The canvas scrolls to it by itself.
  if (card instanceof HTMLElement) card.focus({ preventScroll: true });
}

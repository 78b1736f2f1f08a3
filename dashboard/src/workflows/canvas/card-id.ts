/** The ID of a card on the canvas: that of a step, or of the trigger for null. */
export const cardId = (stepId: string | null) => (stepId === null ? 'trigger' : `step:${stepId}`);

const maxFrames = 60;

/** Moves the focus to a card, if the canvas shows it. A new card can take it a few frames later, when it has been placed. */
export function focusCard(within: ParentNode | null, stepId: string | null, frames = maxFrames) {
  const card = within?.querySelector(`[data-card="${CSS.escape(cardId(stepId))}"]`);
  // The canvas scrolls to it automatically.
  if (card instanceof HTMLElement) card.focus({ preventScroll: true });
  if (frames > 0 && document.activeElement !== card) requestAnimationFrame(() => focusCard(within, stepId, frames - 1));
}

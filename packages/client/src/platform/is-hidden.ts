/** Whether the page is hidden. */
export function isHidden(): boolean {
  return globalThis.document?.visibilityState === 'hidden'
}

/** Whether nobody sees the page. */
export function isHidden(): boolean {
  return globalThis.document?.visibilityState === 'hidden'
}
